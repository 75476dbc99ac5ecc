/**
 * Opens a base and writes documents to it, as one of several processes at once.
 *
 * Arguments: path of the base, name of this process, how many documents. Says `ready` on standard
 * output and waits for a byte on standard input, so that all start together.
 *
 * @module
 */
import { openStore } from "../../lib/store/mod.ts";
import { addDocument } from "./temp_store.ts";

if (import.meta.main) {
  const [path = "", name = "", count = "0"] = Deno.args;
  await Deno.stdout.write(new TextEncoder().encode("ready"));
  await Deno.stdin.read(new Uint8Array(1));
  using store = openStore(path);
  for (let i = 0; i < Number(count); i++) {
    addDocument(store, `${name}-${i}`, {
      texts: [`Own text ${i} of ${name}`, "Text that all have"],
      tags: [name, "collection:shared"],
    });
  }
}
