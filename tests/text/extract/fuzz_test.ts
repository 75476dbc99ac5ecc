import fc from "fast-check";
import { gzipSync, zipSync } from "fflate";
import { ExtractGuard } from "../../helpers/extract_guard.ts";
import {
  type Fixture,
  listFixtures,
  listTypes,
} from "../../helpers/extract_fixtures.ts";
import { makeTar } from "../../helpers/make_tar.ts";
import { NOISE, PDF, spoiled, spoiledPart } from "../../helpers/spoil.ts";

const RUNS = 25;

/** A file to try. */
type Trial = readonly [name: string, bytes: Uint8Array];

/** Files to try together, by what they are. */
type Trials = readonly (readonly [of: string, trials: fc.Arbitrary<Trial>])[];

/**
 * Makes one test that extracts files in a thread that is ended if one hangs; each gives a document or
 * an `ExtractError`.
 */
function testTrials(what: string, groups: Trials, numRuns = RUNS): void {
  Deno.test(`extract() ends with a document or an ExtractError for ${what}`, async (t) => {
    await using guard = new ExtractGuard();
    for (const [of, trials] of groups) {
      await t.step(of, async () => {
        await fc.assert(
          fc.asyncProperty(
            trials,
            ([name, bytes]) => guard.extract(bytes, name),
          ),
          // What hangs would hang again for each smaller file.
          { numRuns, endOnFailure: true },
        );
      });
    }
  });
}

/** Files made of some fixtures. */
function changed(
  fixtures: readonly Fixture[],
  change: (bytes: Uint8Array) => fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Trial> {
  return fc.constantFrom(...fixtures).chain(({ name, bytes }) =>
    change(bytes).map((made): Trial => [name, made])
  );
}

/** Files made of the fixtures of each type. */
function ofTypes(
  types: readonly string[],
  change: (bytes: Uint8Array) => fc.Arbitrary<Uint8Array>,
  leftOut = /^$/,
): Trials {
  return types.map((type) => [
    type,
    changed(
      listFixtures(type).filter(({ name }) => !leftOut.test(name)),
      change,
    ),
  ]);
}

/** Noise behind the start of a file. */
function behindStart(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.tuple(fc.integer({ min: 4, max: 400 }), NOISE).map(([at, noise]) =>
    Uint8Array.from([...bytes.subarray(0, at), ...noise])
  );
}

const TYPES = listTypes();
const PACKED = ["docx", "epub", "odf", "pptx", "xlsx"];

testTrials("spoiled files", ofTypes(TYPES, spoiled));
testTrials("random bytes with the name", ofTypes(TYPES, () => NOISE));
testTrials("random bytes behind the start", ofTypes(TYPES, behindStart));
testTrials(
  "a spoiled part",
  ofTypes(PACKED, spoiledPart, /truncated|locked/),
  4 * RUNS,
);
testTrials("pages drawn by random bytes", [
  ["pdf", PDF.map((bytes): Trial => ["a.pdf", bytes])],
], 4 * RUNS);

const MEMBERS = {
  "a.md": new TextEncoder().encode("# A\n\nwords\n".repeat(50)),
  "deep/b.txt": new Uint8Array(300),
  "zeros.bin": new Uint8Array(3_000_000),
};
const SMALL = { ...MEMBERS, "zeros.bin": new Uint8Array(5_000) };
const TAR = makeTar(SMALL, [{ name: "link", type: "2" }]);
const ARCHIVES: readonly Fixture[] = [
  { name: "a.zip", bytes: zipSync(MEMBERS) },
  { name: "stored.zip", bytes: zipSync(SMALL, { level: 0 }) },
  { name: "a.tar", bytes: TAR },
  { name: "a.tar.gz", bytes: gzipSync(TAR) },
  { name: "a.txt.gz", bytes: gzipSync(MEMBERS["a.md"]) },
];

/** A ZIP file whose directory, which is its end, is spoiled. */
function spoiledEnd(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return spoiled(bytes.slice(-400)).map((end) =>
    Uint8Array.from([...bytes.slice(0, -400), ...end])
  );
}

testTrials("archives, which give members within their bounds", [
  [
    "spoiled",
    changed(ARCHIVES, (bytes) => fc.oneof(spoiled(bytes), spoiledEnd(bytes))),
  ],
  ["random", changed(ARCHIVES, () => NOISE)],
], 4 * RUNS);

/** Files of a few tokens that mean something in their format. */
const LANGUAGES: Readonly<Record<string, [start: string, tokens: string]>> = {
  "a.rtf": [
    "{\\rtf1 ",
    "{ } \\par \\pard \\intbl \\cell \\row \\outlinelevel0 {\\footnote \\bin9999999 \\u-4064 \\'e9 \\uc8 {\\fonttbl \\f0 \\fcharset128 \\ansicpg932 {\\*\\x {\\info {\\title words \\\\ \\",
  ],
  "a.eml": [
    "From: a@example.org\nMessage-ID: <1@x>\n",
    "\n Subject: To: Content-Type:multipart/mixed;boundary=b --b --b-- text/html message/rfc822 charset=utf-7 Content-Transfer-Encoding:base64 quoted-printable =?utf-8?B?gICA?= =E9 Date:never <b> words",
  ],
  "a.mbox": [
    "From a@example.org Wed Mar  4 09:30:00 2026\nSubject: a\n",
    "\n From >From >>From \nFrom\x20 Subject: words --b",
  ],
  "a.ipynb": [
    '{"nbformat":4,"cells":[',
    '{ } [ ] , : "cell_type" "code" "markdown" "source" "outputs" "text" "data" "text/html" 1 null true "\\u0000" "\\ud800" "#\\n"',
  ],
  "a.html": [
    "<!doctype html>",
    "<p> </p> <table> <tr> <td colspan=9999999> <td rowspan=9999999> <pre> <ul> <li> <h1> </h1> <template> <svg> <math> <a href='&#0;'> &#xd800; <select> <frameset> <![CDATA[ words",
  ],
  "a.xml": [
    "<?xml version='1.0'?><a>",
    "<b> </b> <!-- --> <![CDATA[ ]]> <!DOCTYPE &x; &#0; <title> </title> <b c='1'> <b/> </a> words",
  ],
  "a.csv": ["a,b\n1,2\n", '" "" , \n \r ; \t words = \u2028'],
  "a.json": ["[", '{ } [ ] , : "a" 1e999 null // /* */ \\u0000 \' words'],
  "a.yaml": ["a: 1\n", "- : & * | > --- ... \n {} [] \" ' # ! words"],
  "a.toml": ["[a]\n", "[ ] [[ = \" ' \"\"\" ''' \n # words 1979-05-27"],
  "a.tex": [
    "\\documentclass{x}\n",
    "\\section{ } \\begin{a} \\end{a} % \n $ \\\\ \\verb| { words",
  ],
  "a.rst": ["Title\n=====\n", "\n === --- .. :: ``x`` | * words \t"],
  "a.org": [
    "* Title\n",
    "\n * ** #+BEGIN_SRC #+END_SRC | :PROPERTIES: :END: words",
  ],
  "a.adoc": ["= Title\n", "\n = == ---- |=== [source] :a: words"],
  "a.ts": ["export ", "class function ( ) { } => ` ${ /* */ // ' < > \n words"],
  "a.py": ["def a():\n", "class def : ( ) ''' # \n \t @ words lambda"],
  "a.sh": ["#!/bin/bash\n", "f() { } << EOF $( ` ' \" ; \n case esac words"],
  "a.php": ["<?php ", "?> <?php function class { } ' \" << $ \n words"],
};

testTrials(
  "tokens in any order",
  Object.entries(LANGUAGES).map(([name, [start, tokens]]) => [
    name,
    fc.tuple(
      fc.array(fc.constantFrom(...tokens.split(" "), "\n"), {
        maxLength: 80,
        size: "max",
      }),
      fc.constantFrom("", " ", "\n"),
    ).map(([words, glue]): Trial => [
      name,
      new TextEncoder().encode(start + words.join(glue)),
    ]),
  ]),
  2 * RUNS,
);
