import assert from "node:assert/strict";
import { detect } from "../../lib/text/mod.ts";

/** Encodes Latin-1, one byte per character. */
function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Encodes UTF-8. */
function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Encodes UTF-16 without a byte order mark. */
function utf16(text: string, order: "le" | "be"): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) {
    view.setUint16(i * 2, text.charCodeAt(i), order === "le");
  }
  return bytes;
}

Deno.test.each([
  {
    rule: "reads UTF-8",
    bytes: utf8("é 成语"),
    text: "é 成语",
    encoding: "utf-8",
  },
  {
    rule: "drops a UTF-8 byte order mark and keeps CRLF",
    bytes: utf8("\ufeff# A\r\n"),
    text: "# A\r\n",
    encoding: "utf-8",
  },
  {
    rule: "reads UTF-16LE by its mark",
    bytes: utf16("\ufeff# Ä 🌸\r\n", "le"),
    text: "# Ä 🌸\r\n",
    encoding: "utf-16le",
  },
  {
    rule: "reads UTF-16BE by its mark",
    bytes: utf16("\ufeff# Ä 🌸", "be"),
    text: "# Ä 🌸",
    encoding: "utf-16be",
  },
  {
    rule: "takes colour codes of a log for text",
    bytes: utf8("\x1b[31mred\x1b[0m\n"),
    text: "\x1b[31mred\x1b[0m\n",
    encoding: "utf-8",
  },
])("detect() $rule", ({ bytes, text, encoding }) => {
  const found = detect(bytes, "a.md");
  assert.ok(found.kind === "text");
  assert.equal(found.text, text);
  assert.equal(found.encoding, encoding);
  assert.deepEqual(found.warnings, []);
});

Deno.test.each([
  {
    rule: "an HTML page",
    bytes: latin1('<html><meta charset="iso-8859-1"><p>caf\xe9</p>'),
    encoding: "iso-8859-1",
    word: "café",
  },
  {
    rule: "an XML file",
    bytes: latin1('<?xml version="1.0" encoding="ISO-8859-2"?>\n<a>\xb1</a>'),
    encoding: "iso-8859-2",
    word: "ą",
  },
  {
    rule: "a Python line",
    bytes: latin1(
      "#!/usr/bin/env python\n# -*- coding: latin-1-unix -*-\nx='\xe9'",
    ),
    encoding: "latin1",
    word: "é",
  },
  {
    rule: "an Emacs line",
    bytes: latin1("; -*- coding: gbk-dos -*-\n\xb3\xc9\xd3\xef"),
    encoding: "gbk",
    word: "成语",
  },
])("detect() decodes what $rule declares, and says so", (row) => {
  const found = detect(row.bytes, "a.txt");
  assert.ok(found.kind === "text");
  assert.equal(found.encoding, row.encoding);
  assert.ok(found.text.includes(row.word));
  assert.equal(found.warnings.length, 1);
});

Deno.test.each([
  { rule: "no bytes", bytes: [], state: "empty", reason: /no bytes/ },
  {
    rule: "white space",
    bytes: utf8(" \n\u3000\t"),
    state: "empty",
    reason: /white space/,
  },
  {
    rule: "a lone byte order mark",
    bytes: [0xef, 0xbb, 0xbf],
    state: "empty",
    reason: /white/,
  },
  {
    rule: "a blank UTF-16 file",
    bytes: [0xff, 0xfe, 0x20, 0],
    state: "empty",
    reason: /white/,
  },
  {
    rule: "a NUL in a text",
    bytes: utf8("good text\0more"),
    state: "binary",
    reason: /NUL byte at offset 9/,
  },
  {
    rule: "a NUL in UTF-16",
    bytes: utf16("\ufeffab\0c", "le"),
    state: "binary",
    reason: /NUL character at offset 2/,
  },
  {
    rule: "UTF-16 without a mark",
    bytes: utf16("plain words in a file", "le"),
    state: "not_text",
    reason: /UTF-16 without a byte order mark/,
  },
  {
    rule: "UTF-32",
    bytes: [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0],
    state: "not_text",
    reason: /UTF-32/,
  },
  {
    rule: "half a UTF-16 character",
    bytes: [0xff, 0xfe, 0x61, 0, 0x62],
    state: "not_text",
    reason: /not valid utf-16le/,
  },
  {
    rule: "a lone surrogate in UTF-16",
    bytes: [0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0x62, 0],
    state: "not_text",
    reason: /not valid utf-16le/,
  },
  {
    rule: "Latin-1",
    bytes: latin1("Un caf\xe9 noir, s'il vous pla\xeet."),
    state: "not_text",
    reason: /byte 0xE9 at offset 6.*Latin-1/,
  },
  {
    rule: "Windows-1250",
    bytes: latin1("\x8elu\x9dou\xe8k\xfd k\xf9\xf2"),
    state: "not_text",
    reason: /byte 0x8E at offset 0.*Windows-1250/,
  },
  {
    rule: "GBK",
    bytes: latin1("\xbd\xf1\xcc\xec\xcd\xe6\xb3\xc9\xd3\xef\xbd\xd3\xc1\xfa"),
    state: "not_text",
    reason: /GBK/,
  },
  {
    rule: "UTF-8 that is cut off",
    bytes: utf8("all good 成").slice(0, -1),
    state: "not_text",
    reason: /cut off inside a character/,
  },
  {
    rule: "UTF-8 that is declared but not true",
    bytes: latin1('<meta charset="utf-8">\xe9!'),
    state: "not_text",
    reason: /declares the encoding "utf-8"/,
  },
  {
    rule: "an encoding that nobody knows",
    bytes: latin1("# coding: klingon\n\xe9!"),
    state: "not_text",
    reason: /declares the encoding "klingon"/,
  },
  {
    rule: "Latin-1 whose only accent is near the end",
    bytes: latin1("caf\xe9s"),
    state: "not_text",
    reason: /byte 0xE9 at offset 3.*Latin-1/,
  },
  {
    rule: "control characters",
    bytes: utf8("\x01\x02\x03abc"),
    state: "binary",
    reason: /control characters/,
  },
  {
    rule: "a PNG with a text name",
    bytes: latin1("\x89PNG\r\n\x1a\n\0\0"),
    state: "binary",
    reason: /a PNG image/,
  },
  {
    rule: "a GIF",
    bytes: latin1("GIF89a\x01"),
    state: "binary",
    reason: /GIF/,
  },
  {
    rule: "an SQLite file",
    bytes: latin1("SQLite format 3\0"),
    state: "binary",
    reason: /SQLite/,
  },
  {
    rule: "a gzip archive",
    bytes: latin1("\x1f\x8b\x08"),
    state: "binary",
    reason: /gzip/,
  },
  {
    rule: "a PDF",
    bytes: latin1("%PDF-1.7\n%\xe2"),
    state: "unsupported",
    reason: /PDF/,
  },
  {
    rule: "RTF",
    bytes: latin1("{\\rtf1 hi}"),
    state: "unsupported",
    reason: /RTF/,
  },
  {
    rule: "a ZIP archive",
    bytes: latin1("PK\x03\x04\x14\0"),
    state: "binary",
    reason: /ZIP/,
  },
  {
    rule: "a DOCX",
    bytes: latin1("PK\x03\x04\x14\0"),
    path: "Report.DOCX",
    state: "unsupported",
    reason: /type DOCX/,
  },
])("detect() rejects $rule", ({ bytes, path, state, reason }) => {
  const found = detect(Uint8Array.from(bytes), path ?? "a.md");
  assert.ok(found.kind === "rejected");
  assert.equal(found.state, state);
  assert.match(found.reason, reason);
});

Deno.test.each([
  { path: "a/b/Note.MD", mime: "text/markdown", docType: "markdown" },
  { path: "a.markdown", mime: "text/markdown", docType: "markdown" },
  { path: "C:\\notes\\log.txt", mime: "text/plain", docType: "text" },
  { path: "x.json", mime: "application/json", docType: "json" },
  { path: "x.jsonl", mime: "application/x-ndjson", docType: "json" },
  { path: "x.csv", mime: "text/csv", docType: "text" },
  { path: "x.test.ts", mime: "text/typescript", docType: "code" },
  { path: "Makefile", mime: "text/x-makefile", docType: "code" },
  { path: "sub.md/README", mime: "text/plain", docType: "text" },
  { path: "x.unknown", mime: "text/plain", docType: "text" },
  { path: "x.md.", mime: "text/plain", docType: "text" },
  { path: "🐘.md", mime: "text/markdown", docType: "markdown" },
  {
    path: "run",
    text: "#!/usr/bin/env python3\n",
    mime: "text/x-python",
    docType: "code",
  },
  {
    path: "run",
    text: "\ufeff#!/bin/sh -e\r\n",
    mime: "text/x-shellscript",
    docType: "code",
  },
  {
    path: "page",
    text: "\n<!DOCTYPE html>\n",
    mime: "text/html",
    docType: "text",
  },
])("detect() takes $path for $mime", ({ path, text, mime, docType }) => {
  const found = detect(utf8(text ?? "some words"), path);
  assert.ok(found.kind === "text");
  assert.equal(found.mime, mime);
  assert.equal(found.docType, docType);
});

Deno.test("detect() does not take words for the magic bytes they begin with", () => {
  for (
    const text of ["RIFF raff", "ID3 tags explained", "MM*", "BZh9", "nameftyp"]
  ) {
    assert.equal(detect(utf8(text), "a.txt").kind, "text", text);
  }
});
