import { posix } from "node:path";
import { type DocumentId, LIMITS } from "../core/mod.ts";
import {
  findNamedByDocid,
  findNamedByPath,
  findNamedDocument,
  listNamedByFile,
  listNamedByTitle,
  listTagsOf,
  type NamedDocument,
  splitCollection,
  type Store,
} from "../store/mod.ts";

/** Most names and documents remembered at a time. */
const REMEMBERED = 10_000;
/** Most folders of a path that a name may repeat. */
const FOLDERS = 32;

/** Writes a path with "/" whatever system it is of. */
function toSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}

/** Takes the extension off a file name; a name that is all extension stays. */
function withoutExtension(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > name.lastIndexOf("/") + 1 ? name.slice(0, dot) : name;
}

/**
 * Lists the names a link may know a document by: title, docid, and the end of its path with and
 * without extension.
 */
export function namesOf(document: NamedDocument): string[] {
  const names = [document.title, document.docid];
  if (document.sourcePath !== null) {
    const parts = toSlashes(document.sourcePath).split("/").slice(-FOLDERS);
    let end = "";
    for (const part of parts.reverse()) {
      end = end === "" ? part : `${part}/${end}`;
      names.push(end, withoutExtension(end));
    }
  }
  return [...new Set(names)].filter((name) => name !== "");
}

/** Says whether a path ends with a name, with or without its extension. */
function isNamed(path: string, name: string): boolean {
  const whole = `/${toSlashes(path)}`.toLowerCase();
  const end = `/${name.toLowerCase()}`;
  return whole.endsWith(end) || withoutExtension(whole).endsWith(end);
}

/** Counts the folders two paths have in common from the root. */
function commonFolders(a: string, b: string): number {
  const [one, other] = [a, b].map((path) => toSlashes(path).split("/"));
  let count = 0;
  while (
    count < (one?.length ?? 0) - 1 && one?.[count] === other?.[count]
  ) count++;
  return count;
}

/** Finds documents by the names wiki links use. */
export class NameFinder {
  readonly #store: Store;
  readonly #candidates: Map<string, readonly NamedDocument[]> = new Map();
  readonly #collections: Map<DocumentId, string> = new Map();

  /** Makes a finder that remembers nothing yet. */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Finds the document a name means where it stands: in a document, or in none (`null`). */
  find(name: string, from: DocumentId | null): NamedDocument | undefined {
    const byDocid = findNamedByDocid(this.#store, name);
    if (byDocid !== undefined) return byDocid;
    const found = this.#listCandidates(name);
    if (found.length <= 1 || from === null) return found[0];
    const source = findNamedDocument(this.#store, from);
    if (source === undefined) return found[0];
    return this.#nearest(source, [...this.#neighbours(source, name), ...found]);
  }

  /** Documents of that title or file name, oldest first. */
  #listCandidates(name: string): readonly NamedDocument[] {
    const key = name.toLowerCase();
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    const path = toSlashes(name);
    const file = path.slice(path.lastIndexOf("/") + 1);
    const byFile = file === ""
      ? []
      : listNamedByFile(this.#store, file, LIMITS.nameCandidates)
        .filter(({ sourcePath }) => isNamed(sourcePath ?? "", path));
    const byTitle = listNamedByTitle(
      this.#store,
      name,
      LIMITS.nameCandidates,
    );
    const all = new Map([...byTitle, ...byFile].map((it) => [it.id, it]));
    const found = [...all.values()].sort((a, b) => a.id - b.id);
    remember(this.#candidates, key, found);
    return found;
  }

  /** The file of that name beside a document, which may not be among the first candidates. */
  #neighbours({ sourcePath }: NamedDocument, name: string): NamedDocument[] {
    if (sourcePath === null) return [];
    const path = posix.join(posix.dirname(toSlashes(sourcePath)), name);
    return [path, `${path}.md`].flatMap((it) =>
      findNamedByPath(this.#store, it) ?? []
    );
  }

  /** Of several documents the one in the same collection, then the nearest, then the first. */
  #nearest(
    source: NamedDocument,
    candidates: readonly NamedDocument[],
  ): NamedDocument | undefined {
    const own = this.#collectionOf(source.id);
    let best: NamedDocument | undefined;
    let bestScore = -1;
    for (const candidate of candidates) {
      const folders = commonFolders(
        source.sourcePath ?? "",
        candidate.sourcePath ?? "",
      );
      const isSame = this.#collectionOf(candidate.id) === own;
      const score = folders + (isSame ? 1e6 : 0);
      if (score > bestScore) [best, bestScore] = [candidate, score];
    }
    return best;
  }

  #collectionOf(id: DocumentId): string {
    const known = this.#collections.get(id);
    if (known !== undefined) return known;
    const { collection } = splitCollection(listTagsOf(this.#store, id));
    remember(this.#collections, id, collection);
    return collection;
  }
}

/** Keeps a value, and forgets all others when they are too many. */
function remember<K, V>(kept: Map<K, V>, key: K, value: V): void {
  if (kept.size >= REMEMBERED) kept.clear();
  kept.set(key, value);
}
