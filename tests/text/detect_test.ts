import assert from "node:assert/strict";
import { zipSync } from "fflate";
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
    rule: "an SQLite file",
    bytes: latin1("SQLite format 3\0"),
    state: "binary",
    reason: /SQLite/,
  },
  {
    rule: "a locked Office document",
    bytes: [
      ...latin1("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
      ...utf16("EncryptedPackage", "le"),
    ],
    path: "a.docx",
    state: "password_required",
    reason: /without a password/,
  },
])("detect() rejects $rule", ({ bytes, path, state, reason }) => {
  const found = detect(Uint8Array.from(bytes), path ?? "a.md");
  assert.ok(found.kind === "rejected");
  assert.equal(found.state, state);
  assert.match(found.reason, reason);
});

Deno.test.each([
  {
    rule: "a PNG",
    bytes: latin1("\x89PNG\r\n\x1a\n\0\0"),
    path: "a.png",
    mime: "image/png",
  },
  { rule: "a GIF", bytes: latin1("GIF89a\x01"), mime: "image/gif" },
  {
    rule: "a gzip archive",
    bytes: latin1("\x1f\x8b\x08"),
    path: "a.tar.gz",
    mime: "application/gzip",
  },
  {
    rule: "a PDF",
    bytes: latin1("%PDF-1.7\n%\xe2"),
    path: "A.PDF",
    mime: "application/pdf",
  },
  {
    rule: "a PDF that begins late",
    bytes: latin1("junk\n%PDF-1.7\n"),
    path: "a.pdf",
    mime: "application/pdf",
  },
  { rule: "RTF", bytes: latin1("{\\rtf1 hi}"), mime: "application/rtf" },
  {
    rule: "a ZIP archive",
    bytes: zipSync({ "a.txt": utf8("a") }),
    path: "a.zip",
    mime: "application/zip",
  },
  {
    rule: "a Word document by its entries",
    bytes: zipSync({
      "[Content_Types].xml": utf8("<Types/>"),
      "word/document.xml": utf8("<w/>"),
    }),
    path: "a.zip",
    mime:
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    warns: /ends in ".zip", but the file is a Word document/,
  },
  {
    rule: "a Word document without directory by its name",
    bytes: latin1("PK\x03\x04\x14\0"),
    path: "Report.DOCX",
    mime:
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  },
  {
    rule: "an EPUB by its first entry",
    bytes: zipSync({
      "mimetype": [utf8("application/epub+zip"), { level: 0 }],
    }),
    path: "book",
    mime: "application/epub+zip",
  },
  {
    rule: "a JPEG named as a text",
    bytes: latin1("\xff\xd8\xff\xe0"),
    path: "notes.md",
    mime: "image/jpeg",
    warns: /ends in ".md", but the file is a JPEG image/,
  },
])("detect() recognises $rule", ({ bytes, path, mime, warns }) => {
  const found = detect(bytes, path ?? "a");
  assert.ok(found.kind === "document");
  assert.equal(found.mime, mime);
  if (warns === undefined) assert.deepEqual(found.warnings, []);
  else assert.match(found.warnings.join(), warns);
});

Deno.test("detect() takes a page named .pdf for HTML and warns", () => {
  const found = detect(utf8("<!doctype html><p>Sign in"), "a.pdf");
  assert.ok(found.kind === "text");
  assert.equal(found.mime, "text/html");
  assert.match(found.warnings.join(), /the file is an HTML page, not a PDF/);
});

Deno.test.each([
  { path: "a/b/Note.MD", mime: "text/markdown", docType: "markdown" },
  { path: "a.markdown", mime: "text/markdown", docType: "markdown" },
  { path: "C:\\notes\\log.txt", mime: "text/plain", docType: "text" },
  { path: "x.json", mime: "application/json", docType: "json" },
  { path: "x.jsonl", mime: "application/x-ndjson", docType: "json" },
  { path: "x.csv", mime: "text/csv", docType: "sheet" },
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
    path: "export.json",
    text: '{\n "cells": [{"cell_type": "markdown"}], "nbformat": 4}',
    mime: "application/x-ipynb+json",
    docType: "notebook",
  },
  {
    path: "mail.txt",
    text:
      "From: a@example.com\r\nTo: b@example.com\r\nMIME-Version: 1.0\r\n\r\nHi",
    mime: "message/rfc822",
    docType: "email",
  },
  {
    path: "from.txt",
    text: "From: here on, all is well.\n",
    mime: "text/plain",
    docType: "text",
  },
  {
    path: "feed",
    text: '<?xml version="1.0"?><rss/>',
    mime: "text/xml",
    docType: "code",
  },
  {
    path: "page",
    text: "\n<!DOCTYPE html>\n",
    mime: "text/html",
    docType: "html",
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
