import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Kb, watchFolders } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Most time anything may take before a test gives up on it. */
const GUARD_MS = 20_000;

/** Waits until the documents of a base are as they should be. */
async function until(what: () => boolean, why: () => string): Promise<void> {
  const end = performance.now() + GUARD_MS;
  while (!what()) {
    assert.ok(performance.now() < end, why());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function names(kb: Kb, root: string): string[] {
  return kb.list({ sort: "path" }).documents
    .map(({ path }) => path?.slice(root.length + 1) ?? "");
}

/** Watches a folder while a test changes it. */
async function watching(
  files: Record<string, string>,
  test: (bench: {
    kb: Kb;
    root: string;
    problems: string[];
    expect: (...paths: string[]) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using base = openTempKb();
  const { kb } = base;
  const root = base.folder(files);
  const ending = new AbortController();
  const problems: string[] = [];
  const watch = watchFolders(kb, new Map([[root, {}]]), {
    signal: ending.signal,
    embeds: false,
    onProblem: (_, { message }) => problems.push(message),
  });
  try {
    await test({
      kb,
      root,
      problems,
      expect: (...paths) =>
        until(
          () => names(kb, root).join() === paths.join(),
          () =>
            `has ${names(kb, root)}, should have ${paths}; ${problems.join()}`,
        ),
    });
  } finally {
    ending.abort();
    await watch;
  }
}

Deno.test("watchFolders() takes in what is there, and then every change", async () => {
  await watching({ "a.md": "alpha" }, async ({ kb, root, expect }) => {
    await expect("a.md");
    writeFileSync(join(root, "b.md"), "beta");
    await expect("a.md", "b.md");
    mkdirSync(join(root, "deep/er"), { recursive: true });
    writeFileSync(join(root, "deep/er/c.md"), "gamma");
    await expect("a.md", "b.md", "deep/er/c.md");
    writeFileSync(join(root, "a.md"), "alpha and omega");
    await until(
      () => /omega/.test(kb.get(join(root, "a.md")).text),
      () => "the change of a.md is not there",
    );
    rmSync(join(root, "b.md"));
    await expect("a.md", "deep/er/c.md");
  });
});

Deno.test("watchFolders() keeps the document of a file that an editor replaces or a person renames", async () => {
  await watching({ "a.md": "alpha" }, async ({ kb, root, expect }) => {
    await expect("a.md");
    const { id } = kb.summary(join(root, "a.md"));
    writeFileSync(join(root, "a.md.new"), "alpha two");
    renameSync(join(root, "a.md.new"), join(root, "a.md"));
    await until(
      () => /two/.test(kb.get(join(root, "a.md")).text),
      () => "the replaced file is not there",
    );
    await expect("a.md");
    renameSync(join(root, "a.md"), join(root, "z.md"));
    await expect("z.md");
    assert.equal(kb.summary(join(root, "z.md")).id, id);
  });
});

Deno.test("watchFolders() survives many changes at once", async () => {
  await watching({ "a.md": "alpha" }, async ({ kb, root, expect }) => {
    await expect("a.md");
    for (let n = 0; n < 300; n++) {
      writeFileSync(join(root, `n${n}.md`), `number ${n}`);
    }
    await until(() => kb.list().total === 301, () => `${kb.list().total}`);
    for (let n = 0; n < 300; n++) rmSync(join(root, `n${n}.md`));
    await expect("a.md");
  });
});

Deno.test("watchFolders() keeps the documents of a folder that goes away, and goes on when it is back", async () => {
  await watching(
    { "a.md": "alpha" },
    async ({ kb, root, problems, expect }) => {
      await expect("a.md");
      rmSync(root, { recursive: true });
      await until(() => problems.length > 0, () => "the loss was not told");
      assert.equal(kb.list().total, 1);
      mkdirSync(root);
      writeFileSync(join(root, "b.md"), "beta");
      await expect("b.md");
    },
  );
});
