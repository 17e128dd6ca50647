// YAML tests of agents that run in the process of the test.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { TestSession, tool, UsageError, yamlTests } from "ananke-test/testing";
import { project } from "./helpers.js";

const CONFIG = `version: "1.4"
target: shop
targets:
  shop: { type: external, agent: shop }
  nobody: { type: external, agent: nobody }
`;

const TESTS = `version: "1.4"
tests:
  - name: remembers
    turns:
      - { user: "I am Ada", assert: { tools: { require: [save] } } }
      - { user: "Who am I?", assert: { text: { contains: "Ada" }, tools: { forbid: [save] } } }
  - name: pays
    turns: [{ user: "pay", assert: { tools: { forbid: [pay] } } }]
  - name: breaks
    turns: [{ user: "break" }]
  - name: unknown
    target: nobody
    turns: [{ user: "Hi" }]
`;

/** An agent that remembers what it was told, by the conversation that it is given. */
function shopAgent() {
  const calls = { turns: 0 };
  const save = tool("save", async ({ name }) => `saved ${name}`);
  const pay = tool("pay", () => "paid");
  const agent = async (turn) => {
    calls.turns += 1;
    if (turn.input === "break") throw new TypeError("the database is gone");
    if (turn.input === "pay") return `It is ${pay({})}.`;
    if (turn.input !== "Who am I?") return save({ name: turn.input.split(" ").at(-1) });
    await wait(1);
    const roles = turn.messages.map(({ role }) => role);
    assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "user"]);
    return `You are ${turn.messages[0].content.split(" ").at(-1)}`;
  };
  return { agent, calls };
}

/** Runs each test of a project: its id without the file, with `passed` or its error. */
async function results(t, options, directory = project(t, { "ananke.config.yaml": CONFIG, "a.test.yaml": TESTS })) {
  const tests = new Map();
  let end;
  const runner = { test: (name, _, run) => tests.set(name, run), after: (hook) => (end = hook) };
  await yamlTests(runner, { config: join(directory, "ananke.config.yaml"), ...options });
  const ended = {};
  for (const [name, run] of tests) {
    const how = await run({ signal: new AbortController().signal }).then(() => "passed", (error) => error);
    ended[name.replace(/^.*::/, "")] = how;
  }
  await end();
  return ended;
}

test("tests of a project run an agent of the process", async (t) => {
  const { agent } = shopAgent();
  const { remembers, pays, breaks, unknown } = await results(t, { agents: { shop: agent } });
  assert.equal(remembers, "passed");
  assert.match(pays.message, /`pay` was called, which is forbidden[^]*call     pay\(\{\}\) → paid/);
  assert.match(breaks.message, /agent error: the database is gone/);
  assert.match(breaks.cause.stack, /TypeError: the database is gone\n.*registered-agents\.test\.js/);
  assert.match(unknown.message, /no agent `nobody` is registered, those of this process are `shop`: name it in `yamlTests\(/);
});

test("tests are recorded, and replayed without the agent", async (t) => {
  const directory = project(t, { "ananke.config.yaml": CONFIG, "a.test.yaml": TESTS });
  const { agent, calls } = shopAgent();
  const options = { agents: { shop: agent } };
  const recorded = join(directory, "recorded");
  await results(t, { ...options, record: recorded }, directory);
  const { turns } = calls;
  const { remembers, pays } = await results(t, { replay: recorded }, directory);
  assert.equal(calls.turns, turns);
  assert.equal(remembers, "passed");
  assert.match(pays.message, /`pay` was called, which is forbidden/);
});

test("names of agents are checked", async (t) => {
  await assert.rejects(results(t, { agents: { shop: 5 } }), { name: "TypeError", message: /an agent is a function of one `turn`/ });
  await assert.rejects(results(t, { agents: [] }), { name: "TypeError", message: /`agents` is an object/ });
  const directory = project(t, { "ananke.config.yaml": CONFIG, "a.test.yaml": TESTS });
  await results(t, { agents: { shop: () => "1" } }, directory);
  await assert.rejects(results(t, { agents: { shop: () => "2" } }, directory), UsageError);
});

test("a session is recorded, and replayed without its agent", async (t) => {
  const directory = project(t, {});
  const { agent, calls } = shopAgent();
  const said = [];
  for (const mode of ["record", "replay"]) {
    const session = await TestSession.open({ agent, [mode]: directory, id: "two-turns" });
    const first = await session.run("I am Ada");
    await first.check("tools: { require: [save] }");
    said.push([first.events.map(({ type }) => type), (await session.run("Who am I?")).events]);
    await session.close();
  }
  assert.equal(calls.turns, 2);
  assert.deepEqual(said[0], said[1]);
  assert.deepEqual(readdirSync(directory), ["two-turns.jsonl"]);
  await assert.rejects(TestSession.open({ agent, record: directory }), { name: "UsageError", message: /need the `id`/ });
  await assert.rejects(TestSession.open({ agent, replay: directory, id: "other" }), { message: /there is no recording of `other`/ });
});
