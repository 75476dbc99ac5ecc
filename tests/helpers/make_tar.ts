/** An entry without bytes, such as a link. */
export interface TarExtra {
  readonly name: string;
  /** Type flag of its header. */
  readonly type: string;
}

/** Makes a tar archive; a name above 100 bytes gets a header of its own as GNU tar writes it. */
export function makeTar(
  files: Readonly<Record<string, Uint8Array>>,
  extras: readonly TarExtra[] = [],
): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  function add(name: string, type: string, bytes: Uint8Array): void {
    const encoded = new TextEncoder().encode(name);
    if (encoded.length > 100) add("././@LongLink", "L", encoded);
    blocks.push(
      makeHeader(encoded.subarray(0, 100), type, bytes.length),
      bytes,
    );
    blocks.push(new Uint8Array((512 - bytes.length % 512) % 512));
  }
  for (const [name, bytes] of Object.entries(files)) add(name, "0", bytes);
  for (const { name, type } of extras) add(name, type, new Uint8Array());
  blocks.push(new Uint8Array(1024));
  const size = blocks.reduce((sum, { length }) => sum + length, 0);
  const all = new Uint8Array(size);
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}

function makeHeader(name: Uint8Array, type: string, size: number): Uint8Array {
  const header = new Uint8Array(512);
  function write(at: number, text: string): void {
    header.set(new TextEncoder().encode(text), at);
  }
  header.set(name);
  write(100, "0000644\0");
  write(124, `${size.toString(8).padStart(11, "0")}\0`);
  write(148, "        ");
  write(156, type);
  write(257, "ustar\x0000");
  const sum = header.reduce((all, byte) => all + byte, 0);
  write(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}
