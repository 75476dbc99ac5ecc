import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type EndpointOptions, openEndpoint } from "../../lib/embed/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

interface Asked {
  readonly input: string[];
  readonly model: string;
  readonly key: string | undefined;
}

interface Endpoint extends AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[];
}

type Answer = (asked: Asked, response: ServerResponse) => void;

/** Vectors of 16 numbers, in the wrong order, as an endpoint may give them. */
const giveVectors: Answer = ({ input }, response) => {
  response.end(JSON.stringify({
    data: input.map((text, index) => ({
      index,
      embedding: [text.length, 1, ...Array(14).fill(0)],
    })).reverse(),
  }));
};

async function startEndpoint(answer: Answer = giveVectors): Promise<Endpoint> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => body += part);
    request.on("end", () => {
      const one = {
        ...JSON.parse(body),
        key: request.headers.authorization,
      };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function optionsFor(url: string): EndpointOptions {
  return { url, model: "small", dims: 16, retryMs: 1 };
}

Deno.test("openEndpoint() gives vectors of length 1 in the order of the texts", async () => {
  await using endpoint = await startEndpoint();
  await using embedder = openEndpoint({
    ...optionsFor(endpoint.url),
    key: "secret",
  });
  const { data, rows, dims } = await embedder.embed(["a", "three"], {
    role: "passage",
  });
  assert.deepEqual([rows, dims], [2, 16]);
  assert.ok(Math.abs((data[0] ?? 0) - Math.SQRT1_2) < 1e-6);
  assert.ok(Math.abs((data[16] ?? 0) - 5 / Math.hypot(5, 1)) < 1e-6);
  const [asked] = endpoint.asked;
  assert.deepEqual([asked?.model, asked?.input, asked?.key], [
    "small",
    ["a", "three"],
    "Bearer secret",
  ]);
});

Deno.test("openEndpoint() tries again what fails for a while", async () => {
  let fails = 2;
  await using endpoint = await startEndpoint((asked, response) => {
    if (fails-- > 0) {
      response.writeHead(fails === 1 ? 429 : 503, { "Retry-After": "0" }).end();
    } else giveVectors(asked, response);
  });
  await using embedder = openEndpoint(optionsFor(endpoint.url));
  await embedder.embed(["a"], { role: "query" });
  assert.equal(endpoint.asked.length, 3);
});

interface Trouble {
  readonly rule: string;
  readonly answer: Answer;
  readonly says: RegExp;
  readonly tries: number;
}

Deno.test.each<Trouble>([
  {
    rule: "a key is wrong",
    answer: (_, response) => void response.writeHead(401).end("no such key"),
    says: /answered 401: no such key\. Check KB_EMBEDDINGS_KEY/,
    tries: 1,
  },
  {
    rule: "the model is not there",
    answer: (_, response) => void response.writeHead(404).end("{}"),
    says: /answered 404.*embeddingsModel/,
    tries: 1,
  },
  {
    rule: "it is down for long",
    answer: (_, response) => void response.writeHead(500).end("down"),
    says: /answered 500: down/,
    tries: 4,
  },
  {
    rule: "vectors have another length",
    answer: (_, response) =>
      void response.end('{"data":[{"embedding":[1,2]}]}'),
    says: /vectors of 2 numbers, embeddingsDims says 16/,
    tries: 1,
  },
  {
    rule: "vectors are missing",
    answer: (_, response) => void response.end('{"data":[]}'),
    says: /gave 0 vectors for 1 texts/,
    tries: 1,
  },
  {
    rule: "a vector has no direction",
    answer: (_, response) =>
      void response.end(
        '{"data":[{"embedding":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}]}',
      ),
    says: /without direction/,
    tries: 1,
  },
  {
    rule: "a web page comes",
    answer: (_, response) => void response.end("<html>"),
    says: /gave no JSON but "<html>"/,
    tries: 1,
  },
])(
  "openEndpoint() says what to do when $rule",
  async ({ answer, says, tries }) => {
    await using endpoint = await startEndpoint(answer);
    await using embedder = openEndpoint(optionsFor(endpoint.url));
    await assert.rejects(embedder.embed(["a"], { role: "query" }), {
      code: "model_unavailable",
      message: says,
    });
    assert.equal(endpoint.asked.length, tries);
  },
);

Deno.test("openEndpoint() gives up on an endpoint that is silent, gone, or not wanted any more", async () => {
  await using silent = await startEndpoint(() => {});
  await using slow = openEndpoint({ ...optionsFor(silent.url), timeoutMs: 10 });
  await assert.rejects(slow.embed(["a"], { role: "query" }), {
    message: /gave no answer within 10 ms/,
  });
  const stop = new AbortController();
  await using waiting = openEndpoint(optionsFor(silent.url));
  const work = waiting.embed(["a"], { role: "query", signal: stop.signal });
  stop.abort();
  await assert.rejects(work, { code: "cancelled" });
  const gone = await startEndpoint();
  await gone[Symbol.asyncDispose]();
  await using lost = openEndpoint(optionsFor(gone.url));
  await assert.rejects(lost.embed(["a"], { role: "query" }), {
    message: /cannot be reached/,
  });
});

Deno.test("openEndpoint() refuses an address that is none and vectors that cannot be searched", () => {
  for (const url of ["nowhere", "file:///etc"]) {
    assert.throws(() => openEndpoint(optionsFor(url)), {
      code: "invalid_input",
    });
  }
  assert.throws(() => openEndpoint({ ...optionsFor("http://x"), dims: 20 }), {
    message: /multiple of 16/,
  });
});

Deno.test("a base whose endpoint is gone is still searched by word, and says so", async () => {
  const endpoint = await startEndpoint();
  const embedder = openEndpoint(optionsFor(endpoint.url));
  await using temp = openTempKb({ embedder: embedder as never });
  temp.kb.addNote("The spare key hangs outside.");
  assert.equal((await temp.kb.embed()).embedded, 1);
  assert.equal((await temp.kb.search("spare key")).degraded.length, 0);
  await endpoint[Symbol.asyncDispose]();
  const { hits, degraded } = await temp.kb.search("spare key");
  assert.equal(hits.length, 1);
  assert.deepEqual(degraded, ["no_vectors"]);
});
