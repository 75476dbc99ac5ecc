import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readProject, ROOT } from "./stage.ts";

/** What a `package.json` says that matters here. */
interface PackageFile {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

/** The part of `deno.lock` that is read. */
interface LockFile {
  readonly npm: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** A piece of software or data, as CycloneDX writes it. */
export interface Component {
  readonly type: "library" | "machine-learning-model" | "platform";
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly unknown[];
}

/** A list of what a program holds, of which CycloneDX wants more fields than are named here. */
export interface Sbom {
  /** The runtime, the models and the packages. */
  readonly components: readonly Component[];
  readonly [field: string]: unknown;
}

/**
 * Lists what an executable holds, in the form of CycloneDX 1.6.
 *
 * @param stageDir A folder filled by `stage()`.
 * @param denoVersion Version of the runtime inside.
 * @param timestamp ISO 8601 UTC.
 */
export function makeSbom(
  stageDir: string,
  denoVersion: string,
  timestamp: string,
): Sbom {
  const { name, version, license } = readProject();
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp,
      component: {
        type: "application",
        name,
        version,
        licenses: licenses(license),
      },
    },
    components: [
      { type: "platform", name: "deno", version: denoVersion },
      ...listModels(stageDir),
      ...listPackages(stageDir),
    ],
  };
}

function listModels(stageDir: string): Component[] {
  return readdirSync(join(stageDir, "models"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      type: "machine-learning-model",
      name,
      licenses: licenses("MIT"),
    }));
}

function listPackages(stageDir: string): Component[] {
  const { npm } = JSON.parse(
    readFileSync(join(ROOT, "deno.lock"), "utf8"),
  ) as LockFile;
  const store = join(stageDir, "node_modules/.deno");
  return readdirSync(store)
    .filter((folder) => /(?!^)@/.test(folder))
    .map((folder): Component => {
      const name = folder.replace(/(?!^)@.*$/, "").replaceAll("+", "/");
      const file = JSON.parse(
        readFileSync(
          join(store, folder, "node_modules", name, "package.json"),
          {
            encoding: "utf8",
          },
        ),
      ) as PackageFile;
      const version = file.version ?? "";
      const key = `${name}@${version}`;
      // A package with peers has them behind its version.
      const found = Object.keys(npm).find((it) =>
        it === key || it.startsWith(`${key}_`)
      );
      const integrity = npm[found ?? ""]?.integrity;
      return {
        type: "library",
        name,
        version,
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        licenses: licenses(file.license),
        ...(integrity === undefined ? {} : { hashes: [toHash(integrity)] }),
      };
    });
}

function licenses(license: string | undefined): readonly unknown[] {
  if (license === undefined) return [];
  return /^[\w.+-]+$/.test(license)
    ? [{ license: { id: license } }]
    : [{ expression: license.replace(/^\(|\)$/g, "") }];
}

/** Turns `sha512-BASE64` into what CycloneDX writes. */
function toHash(integrity: string): unknown {
  const base64 = integrity.replace(/^sha512-/, "");
  return {
    alg: "SHA-512",
    content: Buffer.from(base64, "base64").toString("hex"),
  };
}
