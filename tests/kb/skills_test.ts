import assert from "node:assert/strict";
import { LIMITS } from "../../lib/core/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

const GREET = {
  name: "greet-person",
  description: "Greets a person",
  body: "Say hello to {{name}} in {{ language }}. Hello {{name}}!",
};

Deno.test("learnSkill() finds the arguments in the body and keeps what is known of them", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { skill, created } = kb.learnSkill({
    ...GREET,
    arguments: [{ name: "language", description: "Tongue", required: false }],
  });
  assert.equal(created, true);
  assert.deepEqual(skill.arguments, [
    { name: "language", description: "Tongue", required: false },
    { name: "name", required: true },
  ]);
  assert.deepEqual(kb.getSkill({ kbid: skill.kbid }), skill);
  assert.deepEqual(kb.getSkill({ name: GREET.name }), skill);
  assert.equal(kb.getSection(skill.kbid).sectionType, "skill");
});

Deno.test("learnSkill() stores the same skill once and another of its name beside it", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const first = kb.learnSkill(GREET);
  assert.deepEqual(kb.learnSkill(GREET), { ...first, created: false });
  const second = kb.learnSkill({ ...GREET, body: "Wave to {{name}}" });
  assert.equal(kb.listSkills().length, 2);
  assert.deepEqual(kb.getSkill({ name: GREET.name }), second.skill);
  assert.deepEqual(
    kb.getSkill({ name: "other", kbid: first.skill.kbid }),
    first.skill,
  );
});

Deno.test("search() finds a skill by what it says", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { skill } = kb.learnSkill(GREET);
  const { hits } = await kb.search("greets person", { retriever: "fts" });
  assert.equal(hits[0]?.kbid, skill.kbid);
  assert.match(hits[0]?.snippet.text ?? "", /Greets a person/);
});

Deno.test.each([
  {
    rule: "a blank body",
    change: { body: " " },
    says: /^skill body must not be empty$/,
  },
  {
    rule: "a name with spaces",
    change: { name: "Greet Person" },
    says: /"greet-person"/,
  },
  {
    rule: "a name of nothing usable",
    change: { name: "!!" },
    says: /"my-skill"/,
  },
  {
    rule: "an argument that is no name",
    change: { arguments: [{ name: "a b" }] },
    says: /"a b"/,
  },
  {
    rule: "two arguments of one name",
    change: { arguments: [{ name: "a" }, { name: "a" }] },
    says: /one name/,
  },
  {
    rule: "a description that is too long",
    change: { description: "a".repeat(LIMITS.descriptionChars + 1) },
    says: /limit/,
  },
])("learnSkill() refuses $rule", async ({ change, says }) => {
  await using temp = openTempKb();
  assert.throws(() => temp.kb.learnSkill({ ...GREET, ...change }), {
    code: "invalid_input",
    message: says,
  });
});

Deno.test("getSkill() names skills that come near, or says what is missing", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  assert.throws(() => kb.getSkill({}), { message: "Provide name or kbid" });
  assert.throws(() => kb.getSkill({ name: "a" }), /no skills yet/);
  kb.learnSkill(GREET);
  assert.throws(() => kb.getSkill({ name: "greet" }), /greet-person/);
  assert.throws(() => kb.getSkill({ kbid: kb.learn("text").kbid }), {
    code: "not_found",
  });
});

Deno.test("createAgent() keeps persona and skills, a deleted skill as one without name", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { skill } = kb.learnSkill(GREET);
  const input = {
    name: "host",
    description: "Receives guests",
    persona: "You are a host.",
    skills: [skill.kbid],
  };
  const agent = kb.createAgent(input);
  assert.match(agent.docid, /^agent-/);
  assert.deepEqual(kb.createAgent(input), agent);
  assert.deepEqual(kb.listAgents(), [agent]);
  assert.deepEqual(agent.skills, [{
    kbid: skill.kbid,
    name: "greet-person",
    description: "Greets a person",
    position: 0,
  }]);
  assert.deepEqual(kb.getDocument(agent.docid).sections, [
    { kbid: skill.kbid, heading: "greet-person", type: "skill" },
  ]);
  assert.equal((await kb.check()).ok, true);
  kb.removeSkill(skill.kbid);
  assert.equal(kb.getAgent(agent.docid).skills[0]?.name, null);
  const { errors } = await kb.check();
  assert.deepEqual(errors.map(({ type, entity }) => [type, entity]), [
    ["broken_reference", agent.docid],
  ]);
  kb.removeAgent(agent.docid);
  assert.throws(() => kb.getAgent(agent.docid), { code: "not_found" });
});

Deno.test("removeAgent() keeps its skills, removeSkill() takes skills only", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { skill } = kb.learnSkill(GREET);
  const { docid } = kb.createAgent({
    name: "host",
    description: "",
    persona: "Host",
    skills: [skill.kbid],
  });
  kb.removeAgent(docid);
  assert.equal(kb.listSkills().length, 1);
  const { kbid } = kb.learn("text", { docid: "notes" });
  assert.throws(() => kb.removeSkill(kbid), { code: "not_found" });
  assert.throws(() => kb.removeAgent("notes"), { code: "not_found" });
});

Deno.test("createAgent() refuses a blank persona and a name that is none", async () => {
  await using temp = openTempKb();
  const input = { name: "host", description: "", persona: "Host", skills: [] };
  assert.throws(() => temp.kb.createAgent({ ...input, persona: "" }), {
    code: "invalid_input",
  });
  assert.throws(
    () => temp.kb.createAgent({ ...input, name: "A B" }),
    /name of an agent: .*"a-b"/,
  );
});
