import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pullModel, type PullModelOptions } from "../../lib/embed/mod.ts";
import {
  giveFile,
  type HubAnswer,
  shippedFile,
  startHub,
} from "../helpers/model_hub.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const NAME = "bge-small-en-v1.5";
const TOKENIZER = shippedFile("tokenizer.json");

function optionsFor(dir: string, endpoint: string): PullModelOptions {
  return { modelsDir: dir, endpoint, retryMs: 1 };
}

/** Names of the files a pull left. */
function filesIn(dir: string): string[] {
  return existsSync(join(dir, NAME)) ? readdirSync(join(dir, NAME)).sort() : [];
}

Deno.test("pullModel() downloads what is pinned, and nothing that is here already", async () => {
  using dir = makeTempDir();
  await using hub = await startHub();
  const seen: number[] = [];
  const report = await pullModel(NAME, {
    ...optionsFor(dir.path, hub.url + "/"),
    onProgress: ({ doneBytes, totalBytes }) =>
      seen.push(doneBytes / totalBytes),
  });
  assert.equal(report.id, "bge-small-en-v1.5@1");
  assert.equal(report.downloadedBytes, 711_396 + 34_014_426);
  assert.deepEqual(filesIn(dir.path), ["model.onnx", "tokenizer.json"]);
  assert.equal(seen.at(-1), 1);
  assert.match(hub.requests[0]?.path ?? "", /^\/Xenova\/.*\/tokenizer\.json$/);
  const again = await pullModel(NAME, optionsFor(dir.path, hub.url));
  assert.equal(again.downloadedBytes, 0);
  assert.equal(hub.requests.length, 2);
});

Deno.test("pullModel() goes on where a download broke off, within one call and in the next", async () => {
  using dir = makeTempDir();
  mkdirSync(join(dir.path, NAME));
  writeFileSync(
    join(dir.path, NAME, "tokenizer.json.part"),
    TOKENIZER.subarray(0, 1000),
  );
  let breaks = 2;
  await using hub = await startHub((request, response, bytes) => {
    const from = Number(/=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (!request.url?.endsWith(".json") || breaks-- <= 0) {
      return giveFile(request, response, bytes);
    }
    response.writeHead(206, {
      "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
      "Content-Length": bytes.length - from,
    });
    response.write(
      bytes.subarray(from, from + 5000),
      () => response.destroy(),
    );
  });
  await pullModel(NAME, optionsFor(dir.path, hub.url));
  assert.equal(hub.requests[0]?.range, "bytes=1000-");
  assert.ok(hub.requests.length >= 3);
  assert.deepEqual(
    readFileSync(join(dir.path, NAME, "tokenizer.json")),
    TOKENIZER,
  );
});

Deno.test("pullModel() starts anew where the hub knows no ranges", async () => {
  using dir = makeTempDir();
  mkdirSync(join(dir.path, NAME));
  writeFileSync(join(dir.path, NAME, "tokenizer.json.part"), "old bytes");
  await using hub = await startHub((_, response, bytes) =>
    void response.end(bytes)
  );
  await pullModel(NAME, optionsFor(dir.path, hub.url));
  assert.deepEqual(filesIn(dir.path), ["model.onnx", "tokenizer.json"]);
});

Deno.test("pullModel() replaces a file of the cache that is cut off or damaged", async () => {
  using dir = makeTempDir();
  mkdirSync(join(dir.path, NAME));
  const wrong = Uint8Array.from(TOKENIZER);
  wrong[9] = (wrong[9] ?? 0) ^ 1;
  writeFileSync(join(dir.path, NAME, "tokenizer.json"), wrong);
  writeFileSync(join(dir.path, NAME, "model.onnx"), "cut off");
  await using hub = await startHub();
  const { downloadedBytes } = await pullModel(
    NAME,
    optionsFor(dir.path, hub.url),
  );
  assert.equal(downloadedBytes, 711_396 + 34_014_426);
});

interface Trouble {
  readonly rule: string;
  readonly answer: HubAnswer;
  readonly says: RegExp;
  /** What is kept, to go on from. */
  readonly kept?: readonly string[];
  readonly tries?: number;
}

Deno.test.each<Trouble>([
  {
    rule: "a web page by its type",
    answer: (_, response) => {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end("<p>Log in</p>");
    },
    says: /gave a web page and not the file/,
  },
  {
    rule: "a web page that says it is bytes",
    answer: (_, response) => void response.end("\n<!DOCTYPE html><html>"),
    says: /gave a web page and not the file/,
  },
  {
    rule: "other bytes of the right size",
    answer: (_, response, bytes) =>
      void response.end(new Uint8Array(bytes.length)),
    says: /other bytes for tokenizer\.json than are pinned/,
  },
  {
    rule: "more bytes than the file has",
    answer: (_, response, bytes) => {
      response.write(bytes);
      response.end("more");
    },
    says: /more bytes than the file has/,
  },
  {
    rule: "a file that is cut off each time",
    answer: (_, response, bytes) => void response.end(bytes.subarray(0, 10)),
    says: /broke off at 10 of 711396 bytes\. Run again to go on/,
    kept: ["tokenizer.json.part"],
    tries: 4,
  },
  {
    rule: "404",
    answer: (_, response) => void response.writeHead(404).end(),
    says: /answered 404, it is not there/,
  },
  {
    rule: "401",
    answer: (_, response) => void response.writeHead(401).end(),
    says: /answered 401, it wants a login/,
  },
  {
    rule: "503 each time",
    answer: (_, response) => void response.writeHead(503).end(),
    says: /answered 503/,
    tries: 4,
  },
])("pullModel() refuses $rule and keeps no file by its name", async (row) => {
  const { answer, says, kept = [], tries = 1 } = row;
  using dir = makeTempDir();
  await using hub = await startHub(answer);
  await assert.rejects(pullModel(NAME, optionsFor(dir.path, hub.url)), {
    code: "model_unavailable",
    message: says,
  });
  assert.deepEqual(filesIn(dir.path), kept);
  assert.equal(hub.requests.length, tries);
});

Deno.test("pullModel() says so when the hub cannot be reached, sends nothing, or is not to be asked", async () => {
  using dir = makeTempDir();
  const closed = await startHub();
  await closed[Symbol.asyncDispose]();
  await assert.rejects(pullModel(NAME, optionsFor(dir.path, closed.url)), {
    code: "model_unavailable",
    message: /cannot be reached/,
  });
  await using silent = await startHub(() => {});
  await assert.rejects(
    pullModel(NAME, { ...optionsFor(dir.path, silent.url), idleMs: 20 }),
    { message: /sent nothing for too long|cannot be reached/ },
  );
  await using hub = await startHub();
  await assert.rejects(
    pullModel(NAME, { ...optionsFor(dir.path, hub.url), offline: true }),
    { code: "model_unavailable", message: /HF_HUB_OFFLINE forbids/ },
  );
  assert.equal(hub.requests.length, 0);
  await assert.rejects(pullModel("none", optionsFor(dir.path, hub.url)), {
    message: /no such model/,
  });
});

Deno.test("pullModel() stops at once and keeps what came", async () => {
  using dir = makeTempDir();
  const stop = new AbortController();
  await using hub = await startHub((_, response, bytes) => {
    response.write(bytes.subarray(0, 100));
  });
  await assert.rejects(
    pullModel(NAME, {
      ...optionsFor(dir.path, hub.url),
      signal: stop.signal,
      onProgress: () => stop.abort(),
    }),
    { code: "cancelled" },
  );
  assert.deepEqual(filesIn(dir.path), ["tokenizer.json.part"]);
});
