import assert from "node:assert/strict";
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type ServeStdioOptions, serveStreams } from "../../lib/mcp/stdio.ts";
import type { ServerExtras } from "../../lib/mcp/server.ts";
import type { Engine } from "../../lib/kb/mod.ts";

/** The two revisions the server speaks. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = typeof REVISIONS[number];

/** A stream that a test writes to and a server reads. */
export class TestInput implements AsyncIterable<string> {
  readonly #parts: (string | null)[] = [];
  #wake: (() => void) | undefined;

  push(part: string | null): void {
    this.#parts.push(part);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const part = this.#parts.shift();
      if (part === null) return;
      if (part !== undefined) yield part;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** The client's end of a connection in one process. */
class PipeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly input: TestInput = new TestInput();

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.input.push(JSON.stringify(message) + "\n");
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.input.push(null);
    this.onclose?.();
    return Promise.resolve();
  }

  receive(line: string): void {
    // A turn of its own, as between processes.
    setTimeout(() => this.onmessage?.(JSON.parse(line)), 0);
  }
}

/** A connected client and what the server said besides. */
export interface TestClient extends AsyncDisposable {
  readonly client: Client;
  readonly diagnostics: readonly string[];
  /** Everything the server wrote. */
  readonly lines: readonly string[];
}

/** How to connect. */
export interface ConnectOptions
  extends Partial<Omit<ServeStdioOptions, "input" | "output" | "signal">> {
  readonly client?: ClientOptions;
  readonly prepare?: (client: Client) => void;
  readonly extras?: ServerExtras;
}

/** Options of a client that speaks a revision. */
export function speaking(
  revision: Revision,
): Pick<ClientOptions, "versionNegotiation"> {
  return {
    versionNegotiation: {
      mode: revision === "2025-11-25" ? "legacy" : { pin: revision },
    },
  };
}

/** Connects a client to a server on a base. */
export async function connectMcp(
  kb: Engine,
  revision: Revision,
  options: ConnectOptions = {},
): Promise<TestClient> {
  const { client: clientOptions, prepare, extras = {}, ...serverOptions } =
    options;
  const transport = new PipeTransport();
  const diagnostics: string[] = [];
  const lines: string[] = [];
  const stopping = new AbortController();
  const served = serveStreams(kb, {
    version: "0.0.0",
    isWarmedUp: false,
    pollMs: 20,
    onDiagnostic: (text) => diagnostics.push(text),
    ...serverOptions,
    input: transport.input,
    output: {
      write(text): boolean {
        lines.push(text);
        transport.receive(text);
        return true;
      },
    },
    signal: stopping.signal,
  }, extras);
  const client = new Client({ name: "test", version: "0.0.0" }, {
    ...speaking(revision),
    ...clientOptions,
  });
  prepare?.(client);
  await client.connect(transport);
  return {
    client,
    diagnostics,
    lines,
    async [Symbol.asyncDispose](): Promise<void> {
      await client.close();
      stopping.abort();
      await served;
    },
  };
}

/** What a tool answered, taken apart. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The texts after the first. */
  readonly notes: readonly string[];
  readonly structured: unknown;
}

/** Calls a tool. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  const result = await client.callTool({ name, arguments: args });
  const texts = result.content.map((block) =>
    block.type === "text" ? block.text : assert.fail(block.type)
  );
  return {
    text: texts[0] ?? "",
    isError: result.isError === true,
    notes: texts.slice(1),
    structured: result.structuredContent,
  };
}

/** Calls a tool that must succeed and reads its JSON. */
export async function callJson(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  // deno-lint-ignore no-explicit-any -- tests look into answers of every shape
): Promise<any> {
  const { text, isError } = await callTool(client, name, args);
  assert.ok(!isError, text);
  return JSON.parse(text);
}

/** Waits until something is so. */
export async function until(
  isSo: () => boolean,
  timeoutMs = 3_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!isSo()) {
    if (performance.now() > end) assert.fail(`waited ${timeoutMs} ms in vain`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
