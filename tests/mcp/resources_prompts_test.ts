import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { openTempKb } from "../helpers/temp_kb.ts";
import {
  connectMcp,
  type Revision,
  REVISIONS,
  type TestClient,
} from "../helpers/mcp.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** The code of "not found" in a revision. */
function notFoundCode(revision: Revision): number {
  return revision === "2025-11-25" ? -32002 : -32602;
}

/** Fails unless a request is answered with an error of this code. */
async function assertCode(
  { lines }: TestClient,
  request: Promise<unknown>,
  code: number,
  message: RegExp,
): Promise<void> {
  await assert.rejects(request, message);
  // The client gives some errors another code, so what was sent counts.
  assert.equal(JSON.parse(lines.at(-1) ?? "").error.code, code);
}

for (const revision of REVISIONS) {
  Deno.test(`resources are listed, described by templates and read in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    const text = kb.learn("# Hi\n\nText.", { docid: "a b/ü", title: "Hi" });
    const code = kb.learn("let a = 1;", {
      type: "text/typescript",
      docid: "a b/ü",
    });
    const bytes = new Uint8Array(Buffer.from(PNG, "base64"));
    const image = kb.learn(bytes, { type: "image/png", title: "Dot" });
    await using mcp = await connectMcp(kb, revision);
    const { client } = mcp;
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map((one) => [one.uriTemplate, one.mimeType]),
      [
        ["kbdb://section/{kbid}", "text/plain"],
        ["kbdb://document/{docid}", "application/json"],
      ],
    );
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map(({ uri, name }) => [uri, name]), [
      ["kbdb://document/a%20b%2F%C3%BC", "a b/ü"],
    ]);
    const read = async (uri: string) =>
      (await client.readResource({ uri })).contents[0];
    assert.deepEqual(await read(`kbdb://section/${text.kbid}`), {
      uri: `kbdb://section/${text.kbid}`,
      mimeType: "text/markdown",
      text: "# Hi\n\nText.",
    });
    assert.deepEqual(await read(`kbdb://section/${code.kbid}`), {
      uri: `kbdb://section/${code.kbid}`,
      mimeType: "text/typescript",
      text: "let a = 1;",
    });
    assert.deepEqual(await read(`kbdb://section/${image.kbid}`), {
      uri: `kbdb://section/${image.kbid}`,
      mimeType: "image/png",
      blob: PNG,
    });
    const contents = await read(resources[0]?.uri ?? "");
    assert.equal(contents?.mimeType, "application/json");
    assert.ok(contents !== undefined && "text" in contents);
    const document = JSON.parse(contents.text);
    assert.equal(document.docid, "a b/ü");
    assert.deepEqual(
      document.sections.map((one: { content: string }) => one.content),
      ["# Hi\n\nText.", "let a = 1;"],
    );
  });

  Deno.test(`resources and prompts that are not there are answered with the code of ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, revision);
    const code = notFoundCode(revision);
    for (
      const uri of [
        "kbdb://section/0123456789abcdefghjkmnpqrs",
        "kbdb://document/none",
        "kbdb://nothing/at-all",
        "kbdb://section/",
        "kbdb://section/%E0%A4%A",
        "file:///etc/passwd",
      ]
    ) {
      await assertCode(
        mcp,
        mcp.client.readResource({ uri }),
        code,
        /not found/i,
      );
    }
    await assertCode(
      mcp,
      mcp.client.getPrompt({ name: "none" }),
      code,
      /Prompt not found: none/,
    );
  });

  Deno.test(`skills and agents are prompts in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    const { skill } = kb.learnSkill({
      name: "summarize",
      description: "Summarize",
      body: "Summarize {{docid}} in {{ max }} points. {{docid}}!",
      arguments: [
        { name: "docid", description: "Which", required: true },
        { name: "max", required: false },
      ],
    });
    kb.createAgent({
      name: "reviewer",
      description: "Reviews code",
      persona: "You are a reviewer.",
      skills: [skill.kbid],
    });
    await using mcp = await connectMcp(kb, revision);
    const { client } = mcp;
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts, [
      {
        name: "summarize",
        description: "Summarize",
        arguments: [
          { name: "docid", description: "Which", required: true },
          { name: "max", required: false },
        ],
      },
      { name: "agent:reviewer", description: "Reviews code", arguments: [] },
    ]);
    const filled = await client.getPrompt({
      name: "summarize",
      arguments: { docid: "$& {{max}}" },
    });
    assert.deepEqual(filled.messages, [{
      role: "user",
      content: {
        type: "text",
        text: "Summarize $& {{max}} in  points. $& {{max}}!",
      },
    }]);
    const agent = await client.getPrompt({ name: "agent:reviewer" });
    assert.deepEqual(agent.messages, [
      {
        role: "assistant",
        content: { type: "text", text: "You are a reviewer." },
      },
      {
        role: "user",
        content: {
          type: "text",
          text: "Available skills:\n- summarize: Summarize",
        },
      },
    ]);
    await assertCode(
      mcp,
      client.getPrompt({ name: "summarize", arguments: { max: "3" } }),
      -32602,
      /"docid"/,
    );
  });

  Deno.test(`completions offer prompt names, kbids and docids in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    for (const name of ["summarize", "search-and-report", "other"]) {
      kb.learnSkill({ name, description: "d", body: "b {{docid}}" });
    }
    for (let i = 0; i < 150; i++) kb.learn(`Text ${i}`, { docid: `doc-${i}` });
    await using mcp = await connectMcp(kb, revision);
    const { client } = mcp;
    async function complete(
      ref: Parameters<typeof client.complete>[0]["ref"],
      name: string,
      value: string,
    ): Promise<Awaited<ReturnType<typeof client.complete>>["completion"]> {
      const params = { ref, argument: { name, value } };
      const { completion } = await client.complete(params);
      return completion;
    }
    assert.deepEqual(
      await complete({ type: "ref/prompt", name: "s" }, "name", "s"),
      {
        values: ["summarize", "search-and-report"],
        total: 2,
        hasMore: false,
      },
    );
    const docids = await complete(
      { type: "ref/resource", uri: "kbdb://document/{docid}" },
      "docid",
      "doc-",
    );
    assert.equal(docids.values.length, 100);
    assert.equal(docids.total, 150);
    assert.equal(docids.hasMore, true);
    const ofArgument = await complete(
      { type: "ref/prompt", name: "summarize" },
      "docid",
      "doc-14",
    );
    assert.equal(ofArgument.values.length, 11);
    const [kbid = ""] = kb.findIds("kbid", "", 1);
    for (
      const uri of [
        "kbdb://section/{kbid}",
        `kbdb://section/${kbid.slice(0, 8)}`,
      ]
    ) {
      const found = await complete(
        { type: "ref/resource", uri },
        "kbid",
        kbid.slice(0, 8),
      );
      assert.deepEqual(found.values, [kbid]);
    }
    const none = await complete(
      { type: "ref/resource", uri: "http://x/{y}" },
      "y",
      "",
    );
    assert.deepEqual(none.values, []);
  });
}

Deno.test("resources/list goes on at its cursor and refuses one that is none", async () => {
  await using temp = openTempKb();
  for (let i = 0; i < 120; i++) {
    temp.kb.learn(`Text ${i}`, { docid: `doc-${i}` });
  }
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const first = await mcp.client.listResources({ cursor: "0" });
  assert.equal(first.resources.length, 50);
  const uris = new Set<string>();
  for (let cursor: string | undefined = "0"; cursor !== undefined;) {
    const page: Awaited<ReturnType<typeof mcp.client.listResources>> = await mcp
      .client.listResources({ cursor });
    for (const { uri } of page.resources) uris.add(uri);
    cursor = page.nextCursor;
  }
  assert.equal(uris.size, 120);
  await assertCode(
    mcp,
    mcp.client.listResources({ cursor: "x" }),
    -32602,
    /cursor/,
  );
});

Deno.test("a completion without argument goes by the name alone", async () => {
  await using temp = openTempKb();
  temp.kb.learnSkill({ name: "summarize", description: "d", body: "b" });
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const { completion } = await mcp.client.request(
    {
      method: "completion/complete",
      params: { ref: { type: "ref/prompt", name: "su" } },
    },
    z.looseObject({
      completion: z.looseObject({ values: z.array(z.string()) }),
    }),
  );
  assert.deepEqual(completion.values, ["summarize"]);
});

Deno.test("roots/list answers the directory of the base, and ping nothing", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const schema = z.looseObject({ roots: z.array(z.unknown()) });
  const { roots } = await mcp.client.request({ method: "roots/list" }, schema);
  assert.deepEqual(roots, [
    { uri: pathToFileURL(temp.dir).href, name: "kbdb database" },
  ]);
  assert.deepEqual(await mcp.client.ping(), {});
});
