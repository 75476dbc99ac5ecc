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
