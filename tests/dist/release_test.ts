import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { makeSbom } from "../../scripts/dist/sbom.ts";
import { readProject, stage } from "../../scripts/dist/stage.ts";
import { TARGETS } from "../../scripts/dist/targets.ts";
import { fillFormula, findProblems } from "../../scripts/release.ts";
import { CliFolder } from "../helpers/run_cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const ENTRY =
  "# Changelog\n\n## [1.2.0] - 2026-12-01\n\n### Added\n\n- Boats.\n";

Deno.test.each([
  {
    rule: "lets a dated entry that says something through",
    version: "1.2.0",
    changelog: ENTRY,
    problems: [],
  },
  {
    rule: "wants an entry",
    version: "1.3.0",
    changelog: ENTRY,
    problems: [/no entry/],
  },
  {
    rule: "wants a date",
    version: "1.2.0",
    changelog: ENTRY.replace(" - 2026-12-01", ""),
    problems: [/no date/],
  },
  {
    rule: "wants the entry to say something",
    version: "1.2.0",
    changelog: ENTRY.replace("- Boats.", "## [1.1.0] - 2026-11-01\n- Old."),
    problems: [/says nothing/],
  },
  {
    rule: "wants a semantic version",
    version: "1.2",
    changelog: ENTRY.replace("1.2.0", "1.2"),
    problems: [/no semantic version/],
  },
])("findProblems() $rule", ({ version, changelog, problems }) => {
  const found = findProblems(version, changelog);
  assert.equal(found.length, problems.length, found.join());
  for (const [index, pattern] of problems.entries()) {
    assert.match(found[index] ?? "", pattern);
  }
});

Deno.test("fillFormula() fills in a checksum for each platform it names", () => {
  const template = readFileSync(
    join(ROOT, "packaging/kbdb.rb.template"),
    "utf8",
  );
  const sums = new Map(
    TARGETS.map(({ name }, index) => [`kbdb-1.2.0-${name}`, `sum${index}`]),
  );
  const formula = fillFormula(template, "1.2.0", sums);
  assert.doesNotMatch(formula, /\{\{/);
  assert.match(formula, /sha256 "sum0"/);
  assert.throws(
    () => fillFormula(template, "1.2.0", new Map()),
    /no executable/,
  );
});

Deno.test("makeSbom() lists what an executable holds, packages with their hashes", () => {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-sbom-"));
  try {
    stage(dir);
    const { components } = makeSbom(dir, "2.9.6", "2026-12-01T00:00:00Z");
    const names = components.map(({ name }) => name);
    assert.ok(names.includes("onnxruntime-web") && names.includes("deno"));
    assert.ok(!names.includes("fast-check"), "a package that only tests use");
    for (const { type, name, licenses, hashes } of components) {
      if (type !== "library") continue;
      assert.equal(licenses?.length, 1, `${name} has a licence`);
      assert.equal(hashes?.length, 1, `${name} has a hash`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

Deno.test("kbdb --version says the version of deno.json", async () => {
  using folder = new CliFolder();
  const { out } = await folder.run(["--version"]);
  assert.ok(out.includes(readProject().version), out);
});

Deno.test("the workflows are YAML and publish to both registries", () => {
  const read = (name: string) =>
    readFileSync(join(ROOT, ".github/workflows", name), "utf8");
  assert.ok(parse(read("ci.yml")).jobs.check);
  assert.deepEqual(Object.keys(parse(read("release.yml")).jobs), [
    "executables",
    "npm",
    "jsr",
  ]);
});
