import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import {
  IgnoreRules,
  type RuleOptions,
} from "../../lib/ingest/ignore_rules.ts";
import { walk } from "../../lib/ingest/walk.ts";
import { type Tree, writeTree } from "../helpers/temp_kb.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

/** Relative paths of the files a walk takes in. */
function taken(root: string, options: RuleOptions = {}): string[] {
  const rules = IgnoreRules.open(root, options);
  return [...walk(root, { rules })]
    .filter((item) => "sizeBytes" in item)
    .map(({ path }) => relative(root, path))
    .filter((path) => !/\.(?:git|kbdb)ignore$/.test(path))
    .sort();
}

Deno.test.each<
  { rule: string; files: Tree; options?: RuleOptions; expected: string[] }
>([
  {
    rule: "leaves out by a pattern in any folder",
    files: {
      ".gitignore": "*.log\n",
      "a.md": "",
      "x.log": "",
      "sub/y.log": "",
    },
    expected: ["a.md"],
  },
  {
    rule: "keeps an anchored pattern to its folder",
    files: { ".gitignore": "/build\n", "build/a.md": "", "sub/build/b.md": "" },
    expected: ["sub/build/b.md"],
  },
  {
    rule: "takes a pattern with a slash at its end for folders only",
    files: { ".gitignore": "out/\n", "out/a.md": "", "sub/out": "" },
    expected: ["sub/out"],
  },
  {
    rule: "takes in again what an exclamation mark names",
    files: { ".gitignore": "*.md\n!keep.md\n", "a.md": "", "keep.md": "" },
    expected: ["keep.md"],
  },
  {
    rule: "lets a deeper file decide",
    files: {
      ".gitignore": "*.md\n",
      "sub/.gitignore": "!*.md\n",
      "a.md": "",
      "sub/b.md": "",
    },
    expected: ["sub/b.md"],
  },
  {
    rule: "lets .kbdbignore decide before .gitignore",
    files: {
      ".gitignore": "*.pdf\n",
      ".kbdbignore": "!*.pdf\ndraft*\n",
      "a.pdf": "",
      "draft.md": "",
      "sub/.gitignore": "*.pdf\n",
      "sub/b.pdf": "",
    },
    expected: ["a.pdf", "sub/b.pdf"],
  },
  {
    rule: "tells cases apart",
    files: { ".gitignore": "README.md\n", "README.md": "", "readme.md": "" },
    expected: ["readme.md"],
  },
  {
    rule: "takes only what an include pattern names",
    files: { "a.md": "", "b.txt": "", "sub/c.md": "" },
    options: { include: ["*.md"] },
    expected: ["a.md", "sub/c.md"],
  },
  {
    rule: "takes nothing that an exclude pattern names, whatever else says",
    files: { ".kbdbignore": "!a.md\n", "a.md": "", "b.md": "" },
    options: { exclude: ["a.*"] },
    expected: ["b.md"],
  },
  {
    rule: "reads no ignore file if told so",
    files: { ".gitignore": "*.md\n", "a.md": "" },
    options: { ignoreFiles: false },
    expected: ["a.md"],
  },
])("IgnoreRules $rule", ({ files, options, expected }) => {
  using temp = makeTempDir();
  const root = realpathSync(temp.path);
  writeTree(root, files);
  assert.deepEqual(taken(root, options), expected);
});

Deno.test("IgnoreRules counts the files above the root inside a work tree, and .git/info/exclude", () => {
  using temp = makeTempDir();
  const top = realpathSync(temp.path);
  writeTree(top, {
    ".git/info/exclude": "secret.md\n",
    ".gitignore": "*.log\n",
    "docs/a.md": "",
    "docs/b.log": "",
    "docs/secret.md": "",
  });
  assert.deepEqual(taken(join(top, "docs")), ["a.md"]);
});

Deno.test("IgnoreRules takes in a folder that is named, though the rules around it leave it out", () => {
  using temp = makeTempDir();
  const top = realpathSync(temp.path);
  writeTree(top, {
    ".git/HEAD": "",
    ".gitignore": "build/\n",
    "build/a.md": "",
  });
  assert.deepEqual(taken(join(top, "build")), ["a.md"]);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

Deno.test({
  name: "IgnoreRules takes in what git does not ignore",
  ignore: !hasGit,
  fn() {
    const names = fc.constantFrom("a", "b", "ab", "a.md", "b.txt");
    const paths = fc.array(names, { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("/"));
    const patternsWith = (...starts: string[]) =>
      fc.tuple(
        fc.constantFrom(...starts),
        fc.oneof(
          names,
          fc.constantFrom("*.md", "a*", "**/b", "a/**", "a/b", "?"),
        ),
        fc.constantFrom("", "/"),
      ).map((parts) => parts.join(""));
    // Deeper files take nothing in again, which is where Git and kbdb differ.
    const folders = fc.constantFrom("a/", "b/", "a/b/");
    fc.assert(
      fc.property(
        fc.uniqueArray(paths, { minLength: 1, maxLength: 12 }),
        fc.array(patternsWith("", "!", "/"), { maxLength: 4 }),
        fc.dictionary(
          folders,
          fc.array(patternsWith("", "/"), { maxLength: 4 }),
        ),
        (files, top, deeper) => {
          using temp = makeTempDir();
          const root = realpathSync(temp.path);
          write(root, files, { "": top, ...deeper });
          assert.deepEqual(taken(root), listByGit(root));
        },
      ),
      { numRuns: 60 },
    );
  },
});

/** Writes what of the files and ignore files can be written together. */
function write(
  root: string,
  files: readonly string[],
  ignoreFiles: Readonly<Record<string, readonly string[]>>,
): void {
  const all = [
    ...files.map((path) => [path, "x"] as const),
    ...Object.entries(ignoreFiles).map(([folder, lines]) =>
      [`${folder}.gitignore`, lines.join("\n")] as const
    ),
  ];
  for (const [path, text] of all) {
    try {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    } catch {
      // A file is where a folder would have to be, or the other way round.
    }
  }
}

function listByGit(root: string): string[] {
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "core.excludesFile=", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  git("init", "--quiet");
  return git("ls-files", "--others", "--exclude-standard", "-z").stdout
    .split("\0")
    .filter((path) => path !== "" && !path.endsWith(".gitignore"))
    .sort();
}
