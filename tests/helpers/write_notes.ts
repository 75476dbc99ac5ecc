/** Adds notes to the base at the given directory without end; prints a dot for each that is stored. */
import process from "node:process";
import { openKb } from "../../lib/kb/mod.ts";
import { fakeEmbedder } from "./fake_embedder.ts";

const kb = openKb({ dir: process.argv[2] ?? "", embedder: fakeEmbedder() });
for (let n = 0;; n++) {
  kb.addNote(`Note ${n} of a process that goes on writing.`);
  process.stdout.write(".");
  await new Promise((resolve) => setTimeout(resolve, 1));
}
