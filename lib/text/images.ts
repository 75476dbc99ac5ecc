/** Bytes that files of an image type begin with, `undefined` for any. */
const SIGNATURES: Readonly<Record<string, readonly (number | undefined)[]>> = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  "image/jpeg": [0xff, 0xd8, 0xff],
  "image/gif": [0x47, 0x49, 0x46, 0x38],
  "image/bmp": [0x42, 0x4d],
  "image/tiff": [0x49, 0x49, 0x2a, 0x00],
  "image/webp": [
    ...[0x52, 0x49, 0x46, 0x46],
    ...[undefined, undefined, undefined, undefined],
    ...[0x57, 0x45, 0x42, 0x50],
  ],
};

/**
 * Recognises an image by its first bytes.
 *
 * @param bytes Whole image or its start.
 * @returns Its MIME type; `undefined` for bytes of no type known here.
 */
export function findImageType(bytes: Uint8Array): string | undefined {
  return Object.entries(SIGNATURES).find(([, signature]) =>
    signature.every((byte, index) =>
      byte === undefined || bytes[index] === byte
    )
  )?.[0];
}
