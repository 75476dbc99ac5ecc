import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** A request to the hub of a test. */
export interface HubRequest {
  /** Path asked for. */
  readonly path: string;
  /** `Range` header. */
  readonly range: string | undefined;
}

/** A model hub of one test. */
export interface ModelHub extends AsyncDisposable {
  readonly url: string;
  /** Requests so far. */
  readonly requests: readonly HubRequest[];
}

/** Answers a request; `bytes` are those of the file asked for. */
export type HubAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
) => void;

/** Bytes of a file of the model that ships with kbdb. */
export function shippedFile(name: string): Uint8Array {
  return readFileSync(
    fileURLToPath(
      new URL(`../../models/bge-small-en-v1.5/${name}`, import.meta.url),
    ),
  );
}

/** Gives the file, or the part that is asked for. */
export const giveFile: HubAnswer = (request, response, bytes) => {
  const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
  if (from === undefined) return void response.end(bytes);
  response.writeHead(206, {
    "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
  });
  response.end(bytes.subarray(Number(from)));
};

/** Starts a hub that has the model that ships with kbdb, and answers as it is told. */
export async function startHub(
  answer: HubAnswer = giveFile,
): Promise<ModelHub> {
  const requests: HubRequest[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push({ path, range: request.headers.range });
    answer(
      request,
      response,
      shippedFile(path.endsWith(".onnx") ? "model.onnx" : "tokenizer.json"),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
