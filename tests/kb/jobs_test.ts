import assert from "node:assert/strict";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256Hex } from "../../lib/core/mod.ts";
import type { Job, Kb } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}

/** Waits until a job is over. */
async function over(kb: Kb, { id }: Job): Promise<Job> {
  while (true) {
    const job = kb.jobs.get(id);
    if (!["queued", "processing"].includes(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

Deno.test("jobs take in a note and an uploaded file with what they were given", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const note = kb.jobs.submitNote("The relay clicks.", {
    tags: ["pump"],
    collection: "memory",
  });
  assert.equal(note.status, "queued");
  const file = await kb.jobs.submitFile(
    "manual.md",
    bytesOf("# Pump\n\ntext"),
    {
      title: "Manual",
      tags: ["x"],
    },
  );
  kb.jobs.start();
  const noteDone = await over(kb, note);
  assert.deepEqual([noteDone.status, noteDone.state, noteDone.attempts], [
    "done",
    "indexed",
    1,
  ]);
  const noteInfo = kb.info(String(noteDone.documentId));
  assert.deepEqual([noteInfo.docType, noteInfo.tags, noteInfo.collection], [
    "note",
    ["pump"],
    "memory",
  ]);
  const fileDone = await over(kb, file);
  const fileInfo = kb.info(String(fileDone.documentId));
  assert.deepEqual(
    [fileInfo.title, fileInfo.path, fileInfo.docType, fileInfo.tags],
    ["Manual", "manual.md", "markdown", ["x"]],
  );
  assert.deepEqual(readdirSync(join(temp.dir, "files")), [
    sha256Hex("# Pump\n\ntext"),
  ]);
});

Deno.test("a job of bytes or a text that is there is skipped and names the document", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const first = await over(
    kb,
    await kb.jobs.submitFile("a.md", bytesOf("text")),
  );
  const again = await over(
    kb,
    await kb.jobs.submitFile("b.md", bytesOf("text"), { tags: ["t"] }),
  );
  assert.deepEqual([again.status, again.documentId], [
    "skipped",
    first.documentId,
  ]);
  assert.deepEqual(kb.info(String(first.documentId)).tags, ["t"]);
  const { documentId } = kb.addNote("note");
  const note = await over(kb, kb.jobs.submitNote("note"));
  assert.deepEqual([note.status, note.documentId], ["skipped", documentId]);
});

Deno.test("a job that gives a document another tag or collection dates the change, one that does not changes nothing", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const submit = async (options: { tags?: string[]; collection?: string }) => {
    const file = await kb.jobs.submitFile("a.md", bytesOf("text"), options);
    const note = kb.jobs.submitNote("note", options);
    const ends = [await over(kb, file), await over(kb, note)];
    return ends.map(({ documentId }) => kb.info(String(documentId)).updatedAt);
  };
  assert.deepEqual(await submit({ tags: ["a"] }), [null, null]);
  assert.deepEqual(await submit({ tags: ["a"] }), [null, null]);
  const tagged = await submit({ tags: ["b"] });
  assert.ok(tagged.every((at) => at !== null));
  const moved = await submit({ collection: "memory" });
  for (const [index, at] of moved.entries()) {
    assert.ok((at ?? "") >= (tagged[index] ?? ""));
  }
  assert.equal(kb.list({ collection: "memory" }).total, 2);
});

Deno.test("a file of a known path updates its document, one of a bare name does not", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const ids: unknown[] = [];
  for (
    const [path, text] of [["m/a.md", "one"], ["m/a.md", "two"], [
      "a.md",
      "three",
    ], ["a.md", "four"]]
  ) {
    const job = await kb.jobs.submitFile(path ?? "", bytesOf(text ?? ""));
    ids.push((await over(kb, job)).documentId);
  }
  assert.equal(ids[0], ids[1]);
  assert.equal(kb.info("m/a.md").id, ids[0]);
  for (const use of [() => kb.info("a.md"), () => kb.remove("a.md")]) {
    assert.throws(use, {
      code: "conflict",
      message: `2 documents are named "a.md": name one by its id, ${ids[2]}, ${
        ids[3]
      }`,
    });
  }
  assert.equal(new Set(ids).size, 3);
  assert.equal(kb.get(String(ids[0])).text, "two");
});

Deno.test("a file that cannot be taken in fails with state and reason, and can be tried again", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const job = await kb.jobs.submitFile("a.md", bytesOf("a\0b"));
  const failed = await over(kb, job);
  assert.deepEqual([failed.status, failed.state, failed.attempts], [
    "failed",
    "binary",
    1,
  ]);
  assert.match(failed.error ?? "", /NUL/);
  assert.equal(kb.jobs.retry(job.id).status, "queued");
  assert.equal((await over(kb, job)).status, "failed");
});

Deno.test("a cancelled job stores nothing and can be queued again", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const job = kb.jobs.submitNote("note");
  assert.equal(kb.jobs.cancel(job.id).status, "cancelled");
  assert.throws(() => kb.jobs.cancel(job.id), { code: "conflict" });
  kb.jobs.start();
  const other = await over(kb, kb.jobs.submitNote("other"));
  assert.equal(other.status, "done");
  assert.equal(kb.status().documents, 1);
  kb.jobs.retry(job.id);
  assert.equal((await over(kb, job)).status, "done");
  assert.throws(() => kb.jobs.retry(job.id), { code: "conflict" });
});

Deno.test("a job of a process that crashed is taken up again once its lease is over", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const job = kb.jobs.submitNote("note");
  const db = new DatabaseSync(join(temp.dir, "kb.db"));
  const hold = (until: string) =>
    db.exec(
      `UPDATE jobs SET status = 'processing', owner = 'gone', attempts = 1, lease_until = '${until}'`,
    );
  hold("2999-01-01");
  kb.jobs.start();
  const next = await over(kb, kb.jobs.submitNote("next"));
  assert.equal(next.status, "done");
  assert.equal(kb.jobs.get(job.id).status, "processing");
  hold("2020-01-01");
  db.close();
  kb.jobs.submitNote("wakes the runner");
  const done = await over(kb, job);
  assert.deepEqual([done.status, done.attempts], ["done", 2]);
});

Deno.test("two processes share a queue and run each job once", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  const jobs = Array.from(
    { length: 40 },
    (_, n) => temp.kb.jobs.submitNote(`note ${n}`),
  );
  temp.kb.jobs.start();
  other.kb.jobs.start();
  for (const job of jobs) {
    const { status, attempts } = await over(temp.kb, job);
    assert.deepEqual([status, attempts], ["done", 1]);
  }
  assert.equal(temp.kb.status().documents, 40);
});

Deno.test("two processes that take in versions of one path at once make one document of it", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  temp.kb.jobs.start();
  other.kb.jobs.start();
  for (let n = 0; n < 10; n++) {
    const jobs = await Promise.all(
      ["old", "new"].map((version) =>
        temp.kb.jobs.submitFile(
          `docs/${n}.md`,
          bytesOf(`# ${version} ${n}\n\ntext`),
        )
      ),
    );
    for (const job of jobs) {
      assert.equal((await over(temp.kb, job)).status, "done");
    }
  }
  assert.equal(temp.kb.status().documents, 10);
});

Deno.test("two processes that take in the same bytes at once make one document of them", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  temp.kb.jobs.start();
  other.kb.jobs.start();
  for (let n = 0; n < 10; n++) {
    const jobs = await Promise.all(
      ["a", "b"].map((name) =>
        temp.kb.jobs.submitFile(`${name}${n}.md`, bytesOf(`# ${n}\n\ntext`))
      ),
    );
    const ends = [];
    for (const job of jobs) ends.push(await over(temp.kb, job));
    assert.deepEqual(ends.map(({ status }) => status).sort(), [
      "done",
      "skipped",
    ]);
    assert.equal(ends[0]?.documentId, ends[1]?.documentId);
  }
  assert.equal(temp.kb.status().documents, 10);
});

Deno.test("an upload that ends early or is too large leaves nothing", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(10));
    throw new Error("connection lost");
  }
  await assert.rejects(kb.jobs.submitFile("a.md", broken()), /connection lost/);
  async function* full(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(10));
    throw Object.assign(new Error("write failed"), { code: "ENOSPC" });
  }
  await assert.rejects(kb.jobs.submitFile("a.md", full()), {
    code: "busy",
    message: /the disk is full; free some space/,
  });
  await assert.rejects(
    kb.jobs.submitFile("a.md", bytesOf("12345"), { maxBytes: 4 }),
    {
      code: "invalid_input",
      message: /4 bytes/,
    },
  );
  assert.deepEqual(readdirSync(join(temp.dir, "files")), []);
  assert.equal(kb.jobs.list().total, 0);
});

Deno.test("a file that one process has received and not queued yet is left alone by another that starts", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  const received = await temp.kb.jobs.receive(bytesOf("text"), 100);
  other.kb.jobs.start();
  const job = await temp.kb.jobs.submitReceived("a.md", received);
  assert.equal((await over(temp.kb, job)).status, "done");
});

Deno.test("sweep() removes what nothing refers to once it is an hour old", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  await over(kb, await kb.jobs.submitFile("a.md", bytesOf("kept")));
  await kb.jobs.receive(bytesOf("left"), 100);
  const dir = join(temp.dir, "files");
  writeFileSync(join(dir, ".part-1"), "half");
  assert.equal(kb.jobs.sweep(), 0);
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of readdirSync(dir)) {
    utimesSync(join(dir, name), longAgo, longAgo);
  }
  assert.equal(kb.jobs.sweep(), 2);
  assert.deepEqual(readdirSync(dir), [sha256Hex("kept")]);
});

Deno.test("the original of a removed document goes, one that another still needs stays", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const { documentId } = await over(
    kb,
    await kb.jobs.submitFile("a.md", bytesOf("text")),
  );
  const path = join(temp.dir, "files", sha256Hex("text"));
  const failed = await over(
    kb,
    await kb.jobs.submitFile("b.md", bytesOf("a\0b")),
  );
  assert.equal(existsSync(path), true);
  kb.remove(String(documentId));
  assert.equal(existsSync(path), false);
  assert.equal(failed.status, "failed");
  assert.equal(existsSync(join(temp.dir, "files", sha256Hex("a\0b"))), true);
});

Deno.test("submitFile() takes names as data only", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  const job = await over(
    kb,
    await kb.jobs.submitFile(
      "C:\\x\\..\\../../etc/pass\nwd.md",
      bytesOf("text"),
    ),
  );
  assert.equal(kb.info(String(job.documentId)).path, "x/etc/passwd.md");
  for (const path of ["", "..", "/", "a".repeat(600)]) {
    await assert.rejects(kb.jobs.submitFile(path, bytesOf("x")), {
      code: "invalid_input",
    });
  }
  assert.throws(() => kb.jobs.submitNote(" "), { code: "invalid_input" });
  assert.throws(() => kb.jobs.submitNote("a", { tags: [""] }), {
    code: "invalid_input",
  });
});

Deno.test("list() pages and filters jobs, newest first; get() of an unknown one is not_found", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  for (const n of [1, 2, 3]) {
    kb.jobs.submitNote(`note ${n}`, { title: `T${n}` });
  }
  kb.jobs.cancel(2);
  assert.deepEqual(kb.jobs.list({ limit: 2 }).jobs.map(({ name }) => name), [
    "T3",
    "T2",
  ]);
  assert.deepEqual(kb.jobs.list({ status: "queued" }).total, 2);
  assert.deepEqual(kb.status().jobsByStatus, { cancelled: 1, queued: 2 });
  assert.throws(() => kb.jobs.get(9), { code: "not_found" });
  assert.throws(() => kb.jobs.list({ limit: 0 }), RangeError);
});

Deno.test("onChange() tells of the jobs of this process", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const seen: string[] = [];
  {
    using _ = kb.jobs.onChange(({ status }) => seen.push(status));
    kb.jobs.start();
    await over(kb, kb.jobs.submitNote("note"));
  }
  await over(kb, kb.jobs.submitNote("other"));
  assert.deepEqual(seen, ["processing", "done"]);
});
