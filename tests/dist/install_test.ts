import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../install.sh", import.meta.url));
const IS_POSIX = process.platform === "linux" || process.platform === "darwin";

/** Runs the script against a release that lies in a folder. */
function install(
  sum: (file: Uint8Array) => string,
  ...args: string[]
): { status: number | null; stderr: string; installed: string | undefined } {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-install-"));
  try {
    const files = join(dir, "releases/download/v1.2.0");
    mkdirSync(files, { recursive: true });
    const os = process.platform === "darwin" ? "macos" : "linux";
    const arch = process.arch === "arm64" ? "arm64" : "x64";
    const name = `kbdb-1.2.0-${os}-${arch}`;
    const program = new TextEncoder().encode("#!/bin/sh\necho 1.2.0\n");
    writeFileSync(join(files, name), program);
    writeFileSync(join(files, "SHA256SUMS"), `${sum(program)}  ${name}\n`);
    const { status, stderr } = spawnSync("sh", [SCRIPT, ...args], {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: dir,
        KBDB_RELEASES: pathToFileURL(join(dir, "releases")).href,
      },
    });
    const target = join(dir, ".local/bin/kbdb");
    return {
      status,
      stderr,
      installed: existsSync(target) ? readFileSync(target, "utf8") : undefined,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const hasCurl = IS_POSIX && spawnSync("curl", ["--version"]).status === 0;

Deno.test({
  name: "install.sh installs what its checksum names",
  ignore: !hasCurl,
  fn() {
    const { status, stderr, installed } = install(sha256, "--version", "1.2.0");
    assert.equal(status, 0, stderr);
    assert.match(installed ?? "", /echo 1\.2\.0/);
  },
});

Deno.test({
  name: "install.sh installs nothing when the checksum is another",
  ignore: !hasCurl,
  fn() {
    const wrong = () => "0".repeat(64);
    const { status, stderr, installed } = install(wrong, "--version", "1.2.0");
    assert.equal(status, 1);
    assert.match(stderr, /damaged/);
    assert.equal(installed, undefined);
  },
});

Deno.test({
  name: "install.sh says what is missing when there is no such version",
  ignore: !hasCurl,
  fn() {
    const { status, stderr } = install(sha256, "--version", "9.9.9");
    assert.equal(status, 1);
    assert.match(stderr, /cannot download .*9\.9\.9/);
  },
});

Deno.test({
  name: "install.sh refuses an argument it does not know",
  ignore: !hasCurl,
  fn() {
    const { status, stderr } = install(sha256, "--prefix", "/x");
    assert.equal(status, 1);
    assert.match(stderr, /--dir DIR/);
  },
});
