import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { buildKernel, KERNELS } from "../../scripts/build_kernels.ts";

Deno.test.each([...KERNELS])(
  "$target is what build_kernels.ts makes of $source",
  async (kernel) => {
    const url = new URL(`../../${kernel.target}`, import.meta.url);
    assert.equal(
      await readFile(url, "utf8"),
      await buildKernel(kernel),
      "Run scripts/build_kernels.ts",
    );
  },
);
