import { Buffer } from "node:buffer";

/**
 * Reads strict base64; white space between lines is let pass.
 *
 * @returns The bytes; `undefined` if the text is empty or no base64.
 */
export function readBase64(text: string): Uint8Array | undefined {
  const base64 = text.replaceAll(/[\r\n\t ]/g, "");
  const isBase64 = base64.length > 0 && base64.length % 4 === 0 &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  return isBase64 ? new Uint8Array(Buffer.from(base64, "base64")) : undefined;
}
