import { connect, type Socket } from "node:net";
import type { Goals } from "./goals.ts";
import { searchBody } from "./search.ts";
import { ANSWER_MS, type ServeProcess } from "./server.ts";

const PART = "connect";
const CONNECTIONS = 1_000;
const CONNECT_MS = 20_000;
const IDLE_MS = 5_000;
const MIB = 1024 * 1024;
const EXPECTED: readonly string[] = ["200", "429", "503"];

/** Opens connections that are all there at once, then sends a search over each. */
export async function loadConnections(
  server: ServeProcess,
  goals: Goals,
  texts: readonly string[],
): Promise<void> {
  server.forgetPeak();
  const before = server.readMemory();
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => open(server.port)),
  );
  const started = performance.now();
  const statuses = await Promise.all(
    sockets.map((socket, index) =>
      typeof socket === "string"
        ? socket
        : ask(socket, toRequest(server, searchBody(texts, index)))
    ),
  );
  const ms = performance.now() - started;
  const peak = server.readMemory();
  for (const socket of sockets) {
    if (typeof socket !== "string") socket.destroy();
  }
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  reportStatuses(goals, statuses, ms);
  const reportMemory = (measure: string, bytes: number | undefined) =>
    goals.report({
      part: PART,
      measure: `  memory of the server ${measure}`,
      value: bytes === undefined ? "not known here" : bytes / MIB,
      unit: "MiB",
    });
  reportMemory("before", before?.bytes);
  reportMemory("at its peak", peak?.peakBytes);
  reportMemory(`${IDLE_MS / 1000} s after`, server.readMemory()?.bytes);
}

function reportStatuses(
  goals: Goals,
  statuses: readonly string[],
  ms: number,
): void {
  const counts = new Map<string, number>();
  for (const status of statuses) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  goals.report({
    part: PART,
    measure: `${CONNECTIONS} at once: until the last answer`,
    value: ms,
    unit: "ms",
  });
  for (const [status, value] of [...counts].sort()) {
    goals.report({ part: PART, measure: `  ${status}`, value, unit: "" });
  }
  goals.check({
    part: PART,
    measure: `  none of ${EXPECTED.join(", ")}`,
    value: statuses.filter((status) => !EXPECTED.includes(status)).length,
    most: 0,
    unit: "",
  });
}

/** Connects; answers a name of what went wrong instead if it does. */
function open(port: number): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const timer = setTimeout(() => {
      socket.destroy();
      resolve("no connection");
    }, CONNECT_MS);
    socket.on("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.on("error", () => {
      clearTimeout(timer);
      resolve("no connection");
    });
  });
}

function toRequest({ port, headers }: ServeProcess, body: object): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    "Host": `127.0.0.1:${port}`,
    "Content-Type": "application/json",
    "Content-Length": String(text.length),
    "Connection": "close",
  }).map(([name, value]) => `${name}: ${value}`);
  return ["POST /api/v1/search HTTP/1.1", ...lines, "", text].join("\r\n");
}

/** Sends a request and reads the answer to its end; answers its status. */
function ask(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const timer = setTimeout(() => settle("no answer in time"), ANSWER_MS);
    function settle(status?: string): void {
      clearTimeout(timer);
      socket.destroy();
      const found = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];
      resolve(status ?? found ?? "closed without an answer");
    }
    socket.on("data", (bytes) => {
      // The first line says all that is asked for.
      if (received.length < 64) received += bytes.toString("latin1");
    });
    socket.on("close", () => settle());
    socket.write(request);
  });
}
