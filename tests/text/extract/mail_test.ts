import assert from "node:assert/strict";
import { extractText } from "../../helpers/extract_fixtures.ts";

Deno.test("extract() reads each message of a mailbox with its lines", async () => {
  const messages = Array.from(
    { length: 50 },
    (_, i) =>
      `From a@example.org Wed Mar  4 09:30:00 2026\nFrom: a@example.org\nMessage-ID: <${i}@x>\nSubject: Note ${i}\n\nText ${i}\n\n`,
  );
  const { sections } = await extractText(messages.join(""), "a.mbox");
  assert.deepEqual(
    sections.map(({ title, lineStart, lineEnd }) => [
      title,
      lineStart,
      lineEnd,
    ]),
    messages.map((_, i) => [`Note ${i}`, i * 7 + 2, i * 7 + 7]),
  );
});

Deno.test("extract() takes one mark off each line of a mailbox that was quoted for its beginning", async () => {
  const { sections } = await extractText(
    "From a Wed Mar  4 09:30:00 2026\nFrom: a@example.org\nSubject: >From is kept\n\n>From here\n>>From there\n> From a reader\nno >From\n>Fromage\n",
    "a.mbox",
  );
  const [section] = sections;
  assert.equal(section?.title, ">From is kept");
  assert.match(
    section?.content ?? "",
    /\nFrom here\n>From there\n> From a reader\nno >From\n>Fromage$/,
  );
});

Deno.test("extract() takes no mark off a line of a single message", async () => {
  const { sections: [section] } = await extractText(
    "From: a@example.org\nMessage-ID: <1@x>\nSubject: S\n\n>From here\n",
    "a.eml",
  );
  assert.match(section?.content ?? "", /\n>From here$/);
});

Deno.test("extract() gives no section for a message without words", async () => {
  const { sections } = await extractText("X-Empty: 1\n\n", "a.eml");
  assert.deepEqual(sections, []);
});

Deno.test("extract() throws only ExtractError for a message of 10,000 parts in each other", async () => {
  let text = "From: a@example.org\nMessage-ID: <1@x>\n";
  for (let i = 0; i < 10_000; i++) {
    text += `Content-Type: multipart/mixed; boundary="b${i}"\n\n--b${i}\n`;
  }
  await assert.rejects(extractText(text, "a.eml"), { name: "ExtractError" });
});

Deno.test("extract() says too_large of RTF that is nested 100,000 deep", async () => {
  await assert.rejects(extractText(`{\\rtf1 ${"{".repeat(100_000)}`, "a.rtf"), {
    state: "too_large",
  });
});

Deno.test("extract() keeps the heading of an RTF paragraph that has a footnote, and puts the note below it", async () => {
  const { sections } = await extractText(
    "{\\rtf1\\pard\\outlinelevel0 Wells{\\footnote\\pard\\plain Dug by \\b hand\\b0 .\\par In 1890.}\\par\\pard Text{\\footnote {\\super\\chftn }Note.} goes on.\\par}",
    "a.rtf",
  );
  assert.deepEqual(sections.map(({ headingPath }) => headingPath), [
    ["Wells (1)"],
  ]);
  assert.equal(
    sections[0]?.content,
    "# Wells (1)\n\n(1) Dug by hand. In 1890.\n\nText (2) goes on.\n\n(2) Note.",
  );
});

Deno.test("extract() keeps a footnote of an RTF document that is cut off in it", async () => {
  const { sections } = await extractText(
    "{\\rtf1 Text{\\footnote Note",
    "a.rtf",
  );
  assert.equal(sections[0]?.content, "Text (1)\n\n(1) Note");
});
