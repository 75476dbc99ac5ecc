import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { Buffer } from "node:buffer";
import process from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";

/** Starts a browser, if this machine has one; says so if not. */
async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = [
    process.env["CHROMIUM_BIN"] ?? "",
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
  ].find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined) {
    // deno-lint-ignore no-console -- says that the test was skipped
    console.warn("SKIPPED: there is no Chromium; CHROMIUM_BIN names one");
    return undefined;
  }
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--headless"],
  });
}

/** Gives a test a page of a server that needs a key, and what the page complained of. */
async function withPage(
  path: string,
  run: (page: Page, server: Awaited<ReturnType<typeof startServer>>) => unknown,
): Promise<void> {
  const browser = await openBrowser();
  if (browser === undefined) return;
  await using server = await startServer({ keys: KEY_TEXT });
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (message) => {
      const isAnswer = /status of 4\d\d/.test(message.text());
      if (message.type() === "error" && !isAnswer) faults.push(message.text());
    });
    page.setDefaultTimeout(30_000);
    await page.goto(`${server.url}${path}`);
    await run(page, server);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

async function giveKey(page: Page, key: string): Promise<void> {
  await page.waitForSelector("#key[open]");
  await page.fill("#key input", key);
  await page.press("#key input", "Enter");
}

Deno.test({
  name:
    "the page asks for a key until it is right, and finds and shows a passage",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage("/", async (page, server) => {
      server.kb.addNote(
        "# Kettle\n\nIt whistles <img src=x onerror=alert(1)> at noon.",
        { tags: ["kitchen"] },
      );
      await page.waitForSelector("#key[open]");
      await page.press("#key input", "Escape");
      await page.waitForSelector("text=Nothing is shown without a key");
      assert.equal(await page.isVisible("#key"), false);
      await page.reload();
      await giveKey(page, "wrong-key-1");
      await page.waitForSelector("#key[open] >> text=not right");
      await giveKey(page, KEYS.write);
      await page.waitForSelector("text=Kettle");
      await page.click("text=Status");
      await page.waitForSelector("dd:has-text('SQLite')");
      await page.waitForSelector(".tag >> text=kitchen 1");
      await page.fill("[name=q]", "whistles");
      await page.press("[name=q]", "Enter");
      assert.equal(await page.textContent("ol mark"), "whistles");
      await page.click("ol a");
      assert.match(
        await page.textContent("section.found pre") ?? "",
        /whistles <img src=x onerror=alert\(1\)> at noon/,
      );
      await page.fill("[aria-label=Tag]", "-kitchen");
      await page.press("[aria-label=Tag]", "Enter");
      await page.waitForSelector(".tag", { state: "detached" });
      page.on("dialog", (dialog) => dialog.accept());
      await page.click("text=Remove");
      await page.waitForSelector("text=Removed Kettle");
      assert.equal(server.kb.status().documents, 0);
    }),
});

Deno.test({
  name: "the page adds files and a note, and says what became of each",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage("/#add", async (page, server) => {
      await giveKey(page, KEYS.write);
      await page.setInputFiles("[type=file]", [
        file("boats.md", "# Boats\n\nThe ferry leaves at seven.\n"),
        file("noise.md", "\0\0\0"),
      ]);
      await page.fill("[aria-label=Note]", "# From the page\n");
      await page.fill("[aria-label=Tags]", "harbour, sea");
      await page.click(".adding button");
      await page.waitForSelector("tr:has-text('boats.md') >> text=done");
      await page.waitForSelector("tr:has-text('noise.md') >> text=Retry");
      await page.waitForSelector("tr:has-text('note') >> text=done");
      assert.equal(server.kb.list({ tags: ["harbour", "sea"] }).total, 2);
      await page.click("text=boats.md");
      await page.waitForSelector("text=The ferry leaves at seven.");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.click("text=Download"),
      ]);
      assert.equal(download.suggestedFilename(), "boats.md");
    }),
});

Deno.test({
  name: "the page shows each passage once and goes to one far down a document",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage("/", async (page) => {
      const parts = Array.from({ length: 1_050 }, (_, index) =>
        `## Lock ${index}\n\nIts gate ${
          index === 1_049 ? "squeaks" : "opens"
        }.\n`);
      await giveKey(page, KEYS.write);
      await page.click("text=Add");
      await page.setInputFiles(
        "[type=file]",
        file("locks.md", parts.join("\n")),
      );
      await page.click(".adding button");
      await page.waitForSelector("tr:has-text('locks.md') >> text=done");
      await page.fill("[name=q]", "gate");
      await page.press("[name=q]", "Enter");
      await page.dblclick("text=More");
      await page.waitForSelector("ol li:nth-child(20)");
      await page.click("text=More");
      await page.waitForSelector("ol li:nth-child(30)");
      const links = await page.$$eval("ol a", (all) =>
        all.map(String));
      assert.equal(links.length, 30);
      assert.equal(new Set(links).size, 30);
      await page.fill("[name=q]", "squeaks");
      await page.press("[name=q]", "Enter");
      await page.click("ol a >> text=Lock 1049");
      await page.waitForSelector("section.found >> text=Its gate squeaks.");
    }),
});

function file(
  name: string,
  text: string,
): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: "text/markdown", buffer: Buffer.from(text) };
}
