import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RemoteEngine } from "../../lib/client/mod.ts";
import type { Progress } from "../../lib/kb/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";
import { startRemote } from "../helpers/remote.ts";
import { writeTree } from "../helpers/temp_kb.ts";

Deno.test("a remote engine answers what the base does, bytes and absent results too", async () => {
  await using remote = await startRemote();
  const { engine, server: { kb } } = remote;
  await engine.addNote("The spare key hangs behind the boiler.", {
    tags: ["home"],
    docid: "keys",
  });
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255, 1]);
  const { kbid } = await engine.learn(png, { type: "image/png", title: "dot" });
  assert.deepEqual(await engine.getSection(kbid), kb.getSection(kbid));
  assert.deepEqual((await engine.getSection(kbid)).content, png);
  assert.deepEqual(await engine.list(), kb.list());
  assert.deepEqual(await engine.status(), kb.status());
  assert.deepEqual(
    await engine.listTags(),
    kb.listTags().map((tag) => ({ ...tag })),
  );
  assert.equal(await engine.versionOf({ docid: "none" }), undefined);
  assert.equal(await engine.original("keys"), undefined);
  const found = await engine.search("spare key", { retriever: "fts" });
  assert.deepEqual(found, await kb.search("spare key", { retriever: "fts" }));
  assert.deepEqual(await engine.embed(), {
    embedded: 2,
    reused: 0,
    cut: 0,
    failed: [],
  });
});

Deno.test("a remote engine throws what the base throws, with code, message and details", async () => {
  await using remote = await startRemote();
  const { engine, server: { kb } } = remote;
  for (
    const call of [
      (on: typeof kb | typeof engine) => on.info("none"),
      (on: typeof kb | typeof engine) => on.addNote(" "),
      (on: typeof kb | typeof engine) => on.search("tag:"),
      (on: typeof kb | typeof engine) => on.list({ limit: 0 }),
      (on: typeof kb | typeof engine) => on.jobs.get(7),
    ]
  ) {
    const errors: unknown[] = [];
    for (const on of [kb, engine]) {
      try {
        await call(on);
      } catch (error) {
        errors.push(error);
      }
    }
    const [own, remote] = errors;
    if (own === undefined) assert.equal(remote, undefined);
    assert.ok(own === undefined || remote instanceof Error, String(call));
    assert.deepEqual(
      JSON.stringify({ ...own as Error, m: String(own) }),
      JSON.stringify({ ...remote as Error, m: String(remote) }),
    );
    assert.equal(own?.constructor, remote?.constructor);
  }
});

Deno.test("a remote engine tells progress, and ends the work of the engine when it is cancelled", async () => {
  await using remote = await startRemote();
  const { engine, server: { kb } } = remote;
  for (let count = 0; count < 20; count++) kb.addNote(`note ${count}`);
  const told: Progress[] = [];
  await engine.embed({ onProgress: (progress) => told.push(progress) });
  assert.equal(told.at(-1)?.done, 20);
  await assert.rejects(engine.embed({ signal: AbortSignal.abort() }), {
    code: "cancelled",
  });
});

Deno.test("the work of an engine ends when the call of its client is cancelled", async () => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const embedder = fakeEmbedder({
    onEmbed: () => {
      begun.resolve();
      return go.promise;
    },
  });
  await using remote = await startRemote({ base: { embedder } });
  const { engine, server: { kb } } = remote;
  kb.addNote("a note");
  const stopping = new AbortController();
  const embedding = engine.embed({ signal: stopping.signal });
  await begun.promise;
  stopping.abort();
  await assert.rejects(embedding, { code: "cancelled" });
  // The engine hears of it by the end of the connection.
  await new Promise((resolve) => setTimeout(resolve, 50));
  go.resolve();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(kb.status().vectors.vectors, 0);
});

Deno.test("a remote sync sends what changed, moves, labels and removes, and passes over the rest", async () => {
  await using remote = await startRemote();
  const { engine, server: { kb, temp } } = remote;
  const folder = join(temp.dir, "synced");
  writeTree(folder, {
    "a.md": "# A\n",
    "deep/b.md": "# B\n",
    "c.md": "# C\n",
    ".gitignore": "out/\n",
    "out/x.md": "# X\n",
  });
  await engine.add(temp.folder({ "else/a.md": "# Else\n" }));
  const first = await engine.sync(folder, { tags: ["one"] });
  assert.equal(first.counts.indexed, 4);
  assert.equal(first.counts.ignored, 1);
  const id = kb.list({ sort: "path" }).documents.find(({ path }) =>
    path?.endsWith("synced/a.md")
  )?.id;
  writeTree(folder, { "a.md": "# A, changed\n", "moved.md": "# C\n" });
  rmSync(join(folder, "c.md"));
  const dry = await engine.sync(folder, { dryRun: true });
  const counts = { indexed: 2, unchanged: 2, ignored: 1, removed: 1 };
  assert.deepEqual(dry.counts, counts);
  assert.equal(kb.status().documents, 5);
  const second = await engine.sync(folder, {
    tags: ["two"],
    collection: "team",
  });
  assert.deepEqual(second.counts, counts);
  const documents = kb.list({ collection: "team", sort: "path" }).documents;
  assert.deepEqual(
    documents.map(({ title, tags }) => [title, tags.join()]),
    [[".gitignore", "one,two"], ["A, changed", "one,two"], [
      "B",
      "one,two",
    ], ["C", "two"]],
  );
  assert.equal(documents[1]?.id, id);
  writeTree(folder, { ".gitignore": "out/\ndeep/\n" });
  const third = await engine.sync(folder);
  assert.equal(third.counts.removed, 1);
  assert.equal(kb.list().total, 4);
});

Deno.test("a remote engine takes an id that is gone for no folder of that name", async () => {
  await using remote = await startRemote();
  const { server } = remote;
  const engine = new RemoteEngine({
    address: { url: server.url },
    version: "0.1.0",
    cwd: "/home/ann",
  });
  await server.ingest({
    source_path: "home/ann/5/a.md",
    file: new File(["# A\n"], "a.md"),
  });
  await assert.rejects(engine.remove("5"), { code: "not_found" });
  assert.equal(server.kb.status().documents, 1);
  assert.equal((await engine.remove("./5")).length, 1);
  await engine.close();
});

Deno.test("a remote sync refuses a file, archives, and a folder that became empty", async () => {
  await using remote = await startRemote();
  const { engine, server: { kb, temp } } = remote;
  const folder = join(temp.dir, "synced");
  writeTree(folder, { "a.md": "# A\n" });
  await engine.sync(folder);
  for (
    const [path, options, code] of [
      [join(folder, "a.md"), {}, "invalid_input"],
      [folder, { takesArchives: true }, "invalid_input"],
      [join(folder, "none"), {}, "not_found"],
      [folder, { signal: AbortSignal.abort() }, "cancelled"],
    ] as const
  ) await assert.rejects(engine.sync(path, options), { code });
  rmSync(join(folder, "a.md"));
  await assert.rejects(engine.sync(folder), { code: "conflict" });
  assert.equal(kb.status().documents, 1);
});

Deno.test("a remote add sends each file as a job and reports it by its path here", async () => {
  await using remote = await startRemote();
  const { engine, server } = remote;
  const folder = join(server.temp.dir, "files");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.md"), "# Boiler\n\nThe valve sticks.");
  writeFileSync(join(folder, "b.bin"), new Uint8Array([0, 1, 2, 0, 255]));
  const told: Progress[] = [];
  const report = await engine.add(folder, {
    tags: ["house"],
    onProgress: (progress) => told.push(progress),
  });
  assert.deepEqual(report.counts, { indexed: 1, binary: 1 });
  assert.equal(report.files[0]?.path, join(report.root, "a.md"));
  assert.equal(told.at(-1)?.done, 2);
  const again = await engine.add(join(folder, "a.md"));
  assert.deepEqual(again.counts, { unchanged: 1 });
  const { documents } = await engine.list({ tags: ["house"] });
  assert.equal(documents.length, 1);
  await assert.rejects(engine.add(join(folder, "none")), { code: "not_found" });
});

Deno.test("a remote engine that is away says its address and what to do, and is asked again", async () => {
  let url: string;
  {
    await using server = await startServer();
    url = server.url;
  }
  await using engine = new RemoteEngine({
    address: { url },
    version: "0.1.0",
  });
  for (let count = 0; count < 2; count++) {
    await assert.rejects(Promise.resolve(engine.listTags()), {
      code: "unreachable",
      message:
        `Cannot reach the engine at ${url}: nothing listens there (ECONNREFUSED); start it there with kbdb serve, or correct --url or KB_ENGINE_URL`,
    });
  }
});

Deno.test("a remote engine says that a key is missing, wrong, or not enough", async () => {
  await using server = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  const { url } = server;
  for (
    const [key, says] of [
      [undefined, /needs a key: set KB_API_KEY/],
      ["wrong-key-here", /refuses the key: set KB_API_KEY/],
      [KEYS.read, /The key may read only; this needs write/],
    ] as const
  ) {
    await using engine = new RemoteEngine({
      address: { url, ...(key === undefined ? {} : { key }) },
      version: "0.1.0",
    });
    await assert.rejects(engine.addNote("text"), {
      code: "forbidden",
      message: says,
    });
  }
});

Deno.test("an engine that is too old is refused before the first call, and asked for its version once", async () => {
  await using server = await startServer({ version: "2.1.0" });
  const options = { address: { url: server.url }, version: "3.4.5" };
  await using old = new RemoteEngine({ ...options, leastVersion: "3.0.0" });
  await assert.rejects(old.status(), {
    code: "incompatible",
    message:
      /^Error: kb client v3\.4\.5 requires engine v3\.0\.0\+ \(connected engine is v2\.1\.0\)\n/,
  });
  for (const leastVersion of ["2.1.0", "2.0.9", "dev", ""]) {
    await using engine = new RemoteEngine({ ...options, leastVersion });
    const before = server.log.length;
    await engine.listTags();
    await engine.listTags();
    assert.deepEqual(server.log.slice(before).map(({ path }) => path), [
      "/api/v1/status",
      "/api/v1/engine/listTags",
      "/api/v1/engine/listTags",
    ]);
  }
});

Deno.test("a client asks for the version again once what it calls is gone or is no engine", async () => {
  let version = "0.1.0";
  let answer = "";
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    if (request.url === "/api/v1/status") {
      response.end(JSON.stringify({ version }));
    } else if (answer === "") response.destroy();
    else response.end(answer);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo;
    await using engine = new RemoteEngine({
      address: { url: `http://127.0.0.1:${port}` },
      version: "0.1.0",
    });
    answer = '{"result":["a"]}\n';
    assert.deepEqual(await engine.listTags(), ["a"]);
    for (const foreign of ['{"status":"ok"}\n', "<html>\n", "3\n"]) {
      answer = foreign;
      await assert.rejects(engine.listTags(), {
        code: "incompatible",
        message: /is no kbdb engine/,
      });
    }
    answer = "";
    await assert.rejects(engine.listTags(), { code: "unreachable" });
    version = "0.0.1";
    await assert.rejects(engine.listTags(), {
      code: "incompatible",
      message: /connected engine is v0\.0\.1/,
    });
    const checks = asked.filter((path) => path === "/api/v1/status").length;
    assert.equal(checks, 5);
  } finally {
    server.close();
  }
});

Deno.test("a path on the engine's machine is refused over a network, with any key", async () => {
  await using server = await startServer({ keys: KEY_TEXT });
  const { status, json } = await server.call("POST", "/api/v1/engine/add", {
    key: KEYS.admin,
    json: { args: ["/etc"] },
  });
  assert.equal(status, 403);
  assert.equal(json.error.code, "forbidden");
});
