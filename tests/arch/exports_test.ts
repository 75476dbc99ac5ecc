import assert from "node:assert/strict";
import * as kbdb from "../../mod.ts";

Deno.test("mod.ts exports these values and no others", () => {
  assert.deepEqual(Object.keys(kbdb).sort(), [
    "ApiKeys",
    "Kb",
    "KbError",
    "LIMITS",
    "ONNX_RUNTIME_VERSION",
    "backupBase",
    "exportBase",
    "extractFile",
    "fillPlaceholders",
    "inspectDatabase",
    "inspectSqlite",
    "listModels",
    "openApiKeys",
    "openEndpoint",
    "openKb",
    "pullModel",
    "registerModel",
    "restoreBase",
    "takeLock",
    "verifyBackup",
    "verifyModel",
    "watchFolders",
  ]);
});
