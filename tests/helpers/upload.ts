import { Buffer } from "node:buffer";
import type { Kb } from "../../lib/kb/mod.ts";

/** Takes a file in as an upload does, its original kept in the base. */
export async function upload(
  kb: Kb,
  name: string,
  text: string,
): Promise<void> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(text));
  }
  const { id } = await kb.jobs.submitFile(name, bytes());
  kb.jobs.start();
  while (["queued", "processing"].includes(kb.jobs.get(id).status)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await kb.jobs.stop();
}
