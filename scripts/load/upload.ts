import { once } from "node:events";
import { request } from "node:http";
import { Buffer } from "node:buffer";
import type { Goals } from "./goals.ts";
import type { ServeProcess } from "./server.ts";

const PART = "upload";
const MIB = 1024 * 1024;
const UPLOAD_BYTES = 200_000_000;
const PART_BYTES = 64 * 1024;
const BOUNDARY = "boundary-of-the-load-test";
/** The most the server may grow, in MiB. */
const GROWTH_MIB = 64;

/** Sends a large file part by part, and waits until the job of it is over. */
export async function loadUpload(
  server: ServeProcess,
  goals: Goals,
): Promise<void> {
  server.forgetPeak();
  const before = server.readMemory();
  const started = performance.now();
  const { status, text } = await upload(server);
  const seconds = (performance.now() - started) / 1000;
  const grownMib = () =>
    ((server.readMemory()?.peakBytes ?? NaN) - (before?.bytes ?? NaN)) / MIB;
  const receivedMib = grownMib();
  goals.report({
    part: PART,
    measure: `${UPLOAD_BYTES / 1e6} MB received`,
    value: seconds,
    unit: "s",
    note: `${Math.round(UPLOAD_BYTES / 1e6 / seconds)} MB/s`,
  });
  goals.check({
    part: PART,
    measure: "  answers other than 202",
    value: status === 202 ? 0 : 1,
    most: 0,
    unit: "",
  });
  if (before === undefined) {
    const measure = "  growth of the server";
    goals.report({ part: PART, measure, value: "not known here" });
    return;
  }
  goals.check({
    part: PART,
    measure: "  growth of the server",
    value: receivedMib,
    most: GROWTH_MIB,
    unit: "MiB",
  });
  if (status !== 202) return;
  const job = await server.waitForJob(JSON.parse(text).id);
  goals.check({
    part: PART,
    measure: `  growth until the job is over (${job.status})`,
    value: grownMib(),
    most: GROWTH_MIB,
    unit: "MiB",
  });
}

/** Posts the form as fast as the server takes it, one part of it in memory at a time. */
async function upload(
  { port, headers }: ServeProcess,
): Promise<{ status: number; text: string }> {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/api/v1/jobs",
    headers: {
      ...headers,
      "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`,
    },
  });
  const answered = readAnswer(outgoing);
  // Awaited below; a refusal may come while the body still goes out.
  answered.catch(() => {});
  const disposition = 'form-data; name="file"; filename="large.bin"';
  outgoing.write(
    `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  );
  for (let sent = 0; sent < UPLOAD_BYTES; sent += PART_BYTES) {
    const size = Math.min(PART_BYTES, UPLOAD_BYTES - sent);
    const part = Buffer.alloc(size, sent / PART_BYTES % 251);
    if (!outgoing.write(part)) {
      await Promise.race([once(outgoing, "drain"), answered]);
    }
  }
  outgoing.end(`\r\n--${BOUNDARY}--\r\n`);
  return await answered;
}

function readAnswer(
  outgoing: ReturnType<typeof request>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk) => text += chunk);
      incoming.on("error", reject);
      incoming.on(
        "end",
        () => resolve({ status: incoming.statusCode ?? 0, text }),
      );
    });
  });
}
