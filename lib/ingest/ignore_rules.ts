import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { KbError } from "../core/mod.ts";

/** Files that say what to leave out, the weaker first. */
const IGNORE_FILES = [".gitignore", ".kbdbignore"] as const;
type IgnoreFile = typeof IGNORE_FILES[number];

/** Which files of a folder are taken in. Patterns are written as in a `.gitignore`, from the folder. */
export interface RuleOptions {
  /** Only files that one of these patterns matches. */
  readonly include?: readonly string[];
  /** No file or folder that one of these patterns matches. */
  readonly exclude?: readonly string[];
  /** `false` does not read `.gitignore` and `.kbdbignore`. */
  readonly ignoreFiles?: boolean;
}

/** The patterns of one file, and the folder they are meant from. */
interface Level {
  readonly file: IgnoreFile;
  readonly folder: string;
  readonly patterns: Ignore;
}

/**
 * What is left out of a folder: by patterns of the caller first, then by the `.kbdbignore` files, then
 * by the `.gitignore` files, of each kind the deepest first, as Git does it.
 *
 * Unlike in Git, a folder that a deeper file takes in again is left out with all in it: a pattern that
 * matches a folder holds for what is below it.
 *
 * Inside a Git work tree, the files above the root count too, and so does `.git/info/exclude`.
 */
export class IgnoreRules {
  readonly #root: string;
  readonly #options: RuleOptions;
  readonly #include: Ignore | undefined;
  readonly #exclude: Ignore | undefined;
  /** The shallowest first. */
  readonly #levels: readonly Level[];

  private constructor(
    root: string,
    options: RuleOptions,
    levels: readonly Level[],
  ) {
    this.#root = root;
    this.#options = options;
    this.#include = toPatterns(options.include);
    this.#exclude = toPatterns(options.exclude);
    this.#levels = levels;
  }

  /** Reads the rules that hold at a root. */
  static open(root: string, options: RuleOptions = {}): IgnoreRules {
    if (options.ignoreFiles === false) {
      return new IgnoreRules(root, options, []);
    }
    const above = new IgnoreRules(root, options, readLevelsAbove(root));
    // Who names a folder wants it, whatever the rules around it say.
    const levels = above.#findByFiles(root, true) === undefined
      ? above.#levels
      : [];
    return new IgnoreRules(root, options, levels).inside(root);
  }

  /** The rules that hold in a folder: these, and those of its own files. */
  inside(folder: string): IgnoreRules {
    if (this.#options.ignoreFiles === false) return this;
    const own = IGNORE_FILES.flatMap((file) =>
      readLevel(join(folder, file), file, folder)
    );
    return own.length === 0
      ? this
      : new IgnoreRules(this.#root, this.#options, [...this.#levels, ...own]);
  }

  /**
   * Finds what leaves out a file or folder.
   *
   * @returns What to say of it, e.g. `.gitignore`; `undefined` if it is taken in.
   */
  find(path: string, isFolder: boolean): string | undefined {
    const fromRoot = toSlashes(relative(this.#root, path));
    const name = isFolder ? `${fromRoot}/` : fromRoot;
    if (this.#exclude?.ignores(name) === true) return "an exclude pattern";
    const included = isFolder || this.#include === undefined ||
      this.#include.ignores(name);
    if (!included) return "no include pattern";
    return this.#findByFiles(path, isFolder);
  }

  #findByFiles(path: string, isFolder: boolean): string | undefined {
    for (const file of IGNORE_FILES.toReversed()) {
      for (const level of this.#levels.toReversed()) {
        if (level.file !== file) continue;
        const name = toSlashes(relative(level.folder, path));
        if (name === "" || name.startsWith("../")) continue;
        const { ignored, unignored } = level.patterns.test(
          isFolder ? `${name}/` : name,
        );
        if (ignored) return file;
        if (unignored) return undefined;
      }
    }
    return undefined;
  }
}

/**
 * Makes one matcher of the patterns of a caller.
 *
 * @throws {KbError} `invalid_input` if one leads out of the folder: it would match nothing there.
 */
function toPatterns(
  patterns: readonly string[] | undefined,
): Ignore | undefined {
  for (const pattern of patterns ?? []) {
    if (!pattern.split("/").includes("..")) continue;
    throw new KbError(
      "invalid_input",
      `Cannot use the pattern "${pattern}": it leads out of the folder; patterns are meant from the folder that is added`,
      { details: { pattern } },
    );
  }
  return patterns === undefined || patterns.length === 0
    ? undefined
    : newPatterns().add([...patterns]);
}

function newPatterns(): Ignore {
  return ignore({ ignorecase: false });
}

function toSlashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** Reads one file of patterns; none if it is not there or cannot be read. */
function readLevel(path: string, file: IgnoreFile, folder: string): Level[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return [{ file, folder, patterns: newPatterns().add(text) }];
}

/** Reads the files of the folders above a root, up to the top of its Git work tree. */
function readLevelsAbove(root: string): Level[] {
  const above: string[] = [];
  for (let folder = root;; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) {
      const exclude = join(folder, ".git/info/exclude");
      return [
        ...readLevel(exclude, ".gitignore", folder),
        ...above.flatMap((each) =>
          IGNORE_FILES.flatMap((file) =>
            readLevel(join(each, file), file, each)
          )
        ),
      ];
    }
    const parent = dirname(folder);
    if (parent === folder) return [];
    above.unshift(parent);
  }
}
