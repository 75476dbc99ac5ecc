import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isCodeType,
  listIdentifierParts,
  splitIdentifier,
} from "../../lib/core/mod.ts";
import type { Kb } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test.each<{ word: string; parts: string[] | undefined }>([
  { word: "getUserName", parts: ["get", "User", "Name"] },
  { word: "GetUserName", parts: ["Get", "User", "Name"] },
  { word: "get_user_name", parts: ["get", "user", "name"] },
  { word: "MAX_PAGE_SIZE", parts: ["MAX", "PAGE", "SIZE"] },
  { word: "parseHTTPHeader", parts: ["parse", "HTTP", "Header"] },
  { word: "HTTPServer2", parts: ["HTTP", "Server", "2"] },
  { word: "__init__", parts: undefined },
  { word: "_userName", parts: ["user", "Name"] },
  { word: "größeÄndern", parts: ["größe", "Ändern"] },
  { word: "имяФайла", parts: ["имя", "Файла"] },
  { word: "user", parts: undefined },
  { word: "User", parts: undefined },
  { word: "USER", parts: undefined },
  { word: "sha256", parts: undefined },
  { word: "検索結果", parts: undefined },
  { word: "", parts: undefined },
  { word: "aB".repeat(60), parts: undefined },
])("splitIdentifier() cuts $word", ({ word, parts }) => {
  assert.deepEqual(splitIdentifier(word), parts);
});

Deno.test("splitIdentifier() loses no letter and no digit", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(..."abzABZ019_äÄжЖ名ǅ\u0301"),
        maxLength: 100,
      }),
      (word) => {
        const parts = splitIdentifier(word);
        if (parts === undefined) return;
        assert.ok(parts.length > 1);
        assert.equal(parts.join(""), word.replaceAll("_", ""));
      },
    ),
  );
});

Deno.test.each<{ rule: string; text: string; parts: string | undefined }>([
  {
    rule: "names with a small first letter, anywhere",
    text: "Call getUserName twice, getUserName again.",
    parts: "get User Name",
  },
  {
    rule: "names with an underscore, anywhere",
    text: "The value of max_size counts.",
    parts: "max size",
  },
  {
    rule: "no name of a product in a sentence",
    text: "PowerShell and GitHub by JetBrains.",
    parts: undefined,
  },
  {
    rule: "the same name in a line of code",
    text: "A sentence with PowerShell.\nconst shell = new PowerShell();",
    parts: "Power Shell",
  },
  {
    rule: "a name between marks of code",
    text: "See `UserStore` and std::StringView here.",
    parts: "User Store \ue000 String View",
  },
  {
    rule: "three parts in a sentence",
    text: "An AbstractUserFactory is made.",
    parts: "Abstract User Factory",
  },
  { rule: "nothing in a sentence", text: "No name at all.", parts: undefined },
])("listIdentifierParts() takes $rule", ({ text, parts }) => {
  assert.equal(listIdentifierParts(text, false), parts);
});

Deno.test("listIdentifierParts() takes each changing word of code", () => {
  assert.equal(
    listIdentifierParts("PowerShell, plain", true),
    "Power Shell",
  );
});

Deno.test.each<{ mime: string; isCode: boolean }>([
  { mime: "text/typescript", isCode: true },
  { mime: "text/x-python", isCode: true },
  { mime: "text/markdown", isCode: false },
  { mime: "text/plain", isCode: false },
  { mime: "text/x-rst", isCode: false },
])("isCodeType() of $mime is $isCode", ({ mime, isCode }) => {
  assert.equal(isCodeType(mime), isCode);
});

const FORMS = [
  "getUserName",
  "GetUserName",
  "get_user_name",
  "GET_USER_NAME",
  "get-user-name",
];

/** Adds a note for each form of a name, two that have its parts elsewhere, and others. */
function addForms(kb: Kb): void {
  for (const form of FORMS) kb.addNote(`Here ${form} is called.\n`);
  kb.addNote("A user may get it. The file has a name.\n");
  kb.addNote("function getUser() {}\nconst fileName = 1;\n");
  for (let at = 0; at < 20; at++) kb.addNote(`Other matter ${at}.\n`);
}

/** Texts of the hits by word, as they are without marks. */
async function textsFor(kb: Kb, query: string): Promise<string[]> {
  const { hits } = await kb.search(query, { retriever: "fts" });
  return hits.map(({ snippet }) => snippet.text);
}

Deno.test("every form of an identifier finds every other", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  addForms(kb);
  const wanted = FORMS.map((form) => `Here ${form} is called.`).toSorted();
  for (const form of FORMS) {
    const found = new Set(await textsFor(kb, form));
    assert.deepEqual(wanted.filter((text) => !found.has(text)), [], form);
    // A phrase holds as it is written: in one word it finds one word.
    const isOneWord = !/[_-]/.test(form);
    assert.deepEqual(
      (await textsFor(kb, `"${form}"`)).toSorted(),
      isOneWord ? wanted.filter((text) => !/[_-]/.test(text)) : wanted,
    );
  }
  assert.deepEqual((await textsFor(kb, '"get user name"')).toSorted(), wanted);
});

Deno.test("parts, prefixes and exclusions reach into identifiers, but no phrase across two", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  addForms(kb);
  const count = async (query: string) => (await textsFor(kb, query)).length;
  assert.equal(await count("user"), FORMS.length + 2);
  assert.equal(await count("filena*"), 1);
  assert.equal(await count('"user name" -getUserName'), 0);
  assert.equal(await count("user -fileName"), FORMS.length + 1);
  assert.equal(await count('"user file"'), 0);
});

Deno.test("an identifier is marked whole where a part of it is looked for", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("Then getUserName is called.\n");
  const { hits } = await temp.kb.search("user", { retriever: "fts" });
  assert.deepEqual(hits[0]?.snippet, {
    text: "Then getUserName is called.",
    highlights: [[5, 16]],
  });
  assert.deepEqual(hits[0]?.matchedTerms, ["user"]);
});
