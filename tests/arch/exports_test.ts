import assert from "node:assert/strict";
import * as kbdb from "../../mod.ts";

Deno.test("mod.ts exports these values and no others", () => {
  assert.deepEqual(Object.keys(kbdb).sort(), [
    "Kb",
    "KbError",
    "LIMITS",
    "backupBase",
    "extractFile",
    "listModels",
    "openKb",
    "restoreBase",
    "verifyBackup",
    "verifyModel",
  ]);
});
