import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import {
  type ChunkId,
  type DocumentId,
  sha256,
  toKbid,
} from "../../lib/core/mod.ts";
import { dequantizeVector, quantizeVector } from "../../lib/embed/mod.ts";
import {
  deleteDocument,
  findSection,
  findVector,
  findVectorByHash,
  listSections,
  listTagsOf,
  matchChunks,
  openStore,
  putSection,
  SCHEMA_VERSION,
  type Store,
} from "../../lib/store/mod.ts";
import { makeOldBase, type OldVersion, packOld } from "../helpers/old_base.ts";
import { randomUnitVector, seededRandom } from "../helpers/random_vectors.ts";
import {
  addDocument,
  assertIntact,
  chunksOf,
  countRows,
  makeTempDir,
  openTempStore,
  toSectionInput,
} from "../helpers/temp_store.ts";

const DIMS = 48;
const TIMES = ["2026-01-02T03:04:05.678Z", "2025-12-31T23:59:59.001Z"];
const TEXTS = [
  "the quick brown fox",
  "jumps over Zoë",
  "",
  "a lazy dog sleeps",
];

function vectorOf(index: number): Float32Array {
  return randomUnitVector(seededRandom(index + 1), DIMS);
}

/** A base of an old schema, opened and so migrated. */
function openOld(version: OldVersion): Disposable & { store: Store } {
  const dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  makeOldBase(
    path,
    version,
    TEXTS.map((content, index) => ({
      content,
      context: index === 1 ? "" : "Old > Heading",
      createdAt: TIMES[index % 2] ?? "",
      ...(index === 3 ? {} : { vector: packOld(vectorOf(index)) }),
    })),
  );
  const store = openStore(path);
  return {
    store,
    [Symbol.dispose](): void {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}

function found(store: Store, expression: string): number[] {
  return matchChunks(store, expression, { limit: 9 })
    .map(({ chunkId }) => chunkId as number);
}

const OLD: { version: OldVersion }[] = [{ version: 1 }, { version: 2 }, {
  version: 4,
}];

Deno.test.each(OLD)(
  "schema 5 keeps all rows of a base of version $version",
  ({ version }) => {
    using old = openOld(version);
    const { store } = old;
    assert.equal(
      store.get<{ user_version: number }>("PRAGMA user_version")?.user_version,
      SCHEMA_VERSION,
    );
    assertIntact(store);
    assert.deepEqual(
      listSections(store, 1 as DocumentId).map(({ content }) => content),
      TEXTS,
    );
    assert.deepEqual(listTagsOf(store, 1 as DocumentId), ["kept"]);
    assert.equal(countRows(store, "links", "section_id = 1"), 1);
    const rows = store.all<{ kbid: string; at: string; size: number }>(
      "SELECT kbid, created_at AS at, size FROM sections ORDER BY id",
    );
    for (const [index, text] of TEXTS.entries()) {
      assert.equal(rows[index]?.kbid, toKbid(text));
      assert.equal(rows[index]?.at, TIMES[index % 2]);
      assert.equal(rows[index]?.size, new TextEncoder().encode(text).length);
      assert.equal(findSection(store, toKbid(text))?.id, index + 1);
    }
  },
);

Deno.test.each(OLD)(
  "schema 5 keeps the word index of a base of version $version",
  ({ version }) => {
    using old = openOld(version);
    const { store } = old;
    assert.deepEqual(found(store, '"quick brown"'), [1]);
    assert.deepEqual(found(store, "zoe"), [2]);
    assert.deepEqual(found(store, "heading").sort(), [1, 3, 4]);
    assert.deepEqual(found(store, "title : fox"), []);
    assert.deepEqual(found(store, "slee*"), [4]);
  },
);

Deno.test.each(OLD)(
  "schema 5 keeps the vectors of a base of version $version",
  ({ version }) => {
    using old = openOld(version);
    const { store } = old;
    for (const index of [0, 1, 2]) {
      const vector = findVector(store, 1, (index + 1) as ChunkId);
      assert.ok(vector !== undefined);
      const exact = vectorOf(index);
      for (const [at, value] of dequantizeVector(vector).entries()) {
        assert.ok(Math.abs(value - (exact[at] ?? NaN)) < 0.003);
      }
    }
    const hash = sha256("Old > Heading\n\nthe quick brown fox").subarray(0, 16);
    assert.deepEqual(
      findVectorByHash(store, 1, hash),
      findVector(store, 1, 1 as ChunkId),
    );
    assert.equal(findVector(store, 1, 4 as ChunkId), undefined);
  },
);

Deno.test("schema 5 writes the bytes that embedding the text anew would give", () => {
  const random = seededRandom(7);
  let same = 0;
  for (let index = 0; index < 20; index++) {
    using dir = makeTempDir();
    const path = join(dir.path, "kb.db");
    const vector = randomUnitVector(random, 384);
    const section = { content: "a", context: "", createdAt: TIMES[0] ?? "" };
    makeOldBase(path, 2, [{ ...section, vector: packOld(vector) }]);
    using store = openStore(path);
    const stored = findVector(store, 1, 1 as ChunkId) ?? new Uint8Array();
    const fresh = quantizeVector(vector);
    assert.equal(stored.length, fresh.length);
    for (const [at, byte] of fresh.entries()) {
      // The old form is rounded too, so that a value in the middle may go either way.
      const step = Math.abs(
        (byte << 24 >> 24) - ((stored[at] ?? 0) << 24 >> 24),
      );
      assert.ok(step <= 1);
      if (step === 0) same++;
    }
  }
  assert.ok(same > 0.93 * 20 * 384, `${same} of ${20 * 384}`);
});

Deno.test("schema 5 keeps a zero vector and drops what is no vector", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  const rest = { context: "", createdAt: TIMES[0] ?? "" };
  makeOldBase(path, 2, [
    { ...rest, content: "a", vector: packOld(new Float32Array(DIMS)) },
    { ...rest, content: "b", vector: new Uint8Array(11) },
  ]);
  using store = openStore(path);
  assert.deepEqual(
    findVector(store, 1, 1 as ChunkId),
    quantizeVector(new Float32Array(DIMS)),
  );
  assert.equal(findVector(store, 1, 2 as ChunkId), undefined);
  assertIntact(store);
});

Deno.test.each(OLD)(
  "schema 5 leaves a base of version $version that can be written to",
  ({ version }) => {
    using old = openOld(version);
    const { store } = old;
    // An id is never used twice, so the highest one ever given is remembered.
    store.write(() => deleteDocument(store, 1 as DocumentId));
    assert.equal(countRows(store, "sections"), 0);
    assert.equal(countRows(store, "chunk_vectors"), 0);
    const { sections } = addDocument(store, "new", {
      texts: ["the quick brown fox"],
    });
    assert.deepEqual(sections, [5]);
    assert.deepEqual(found(store, "fox"), chunksOf(store, sections[0]));
    assert.throws(
      () => store.run("DELETE FROM sections WHERE id = 5"),
      /FOREIGN KEY/,
    );
    assertIntact(store);
  },
);

Deno.test("schema 5 finds a section by the start of the hash its kbid names", () => {
  using store = openTempStore();
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (content) => {
    const { id } = putSection(store, toSectionInput(content));
    const { kbid } = store.get<{ kbid: string }>(
      "SELECT kbid FROM sections WHERE id = ?",
      id,
    ) ?? {};
    assert.equal(kbid, toKbid(content));
    assert.equal(findSection(store, toKbid(content))?.id, id);
  }));
});

Deno.test("schema 5 finds sections and equal texts by an index", () => {
  using store = openTempStore();
  for (
    const condition of [
      "sections WHERE substr(content_sha256, 1, 12) = x'00'",
      "chunk_vectors WHERE model_id = 1 AND substr(text_hash, 1, 8) = x'00'",
    ]
  ) {
    const [plan] = store.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT 1 FROM ${condition}`,
    );
    assert.match(plan?.detail ?? "", /^SEARCH .*<expr>/);
  }
});
