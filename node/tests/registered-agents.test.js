// YAML tests of agents that run in the process of the test.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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
  assert.match(breaks.message, /agent error: TypeError: the database is gone/);
  assert.match(breaks.cause.stack, /TypeError: the database is gone\n.*registered-agents\.test\.js/);
  assert.match(unknown.message, /no agent `nobody` is registered. Those of this process are `shop`: name it in `yamlTests\(/);
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
  await assert.rejects(results(t, { agents: { shop: 5 } }), { name: "TypeError", message: /^the agent `shop` of `agents`: an agent is a function of one `turn`.* this is 5/ });
  await assert.rejects(results(t, { agents: [] }), { name: "TypeError", message: /`agents` is an object/ });
  const directory = project(t, { "ananke.config.yaml": CONFIG, "a.test.yaml": TESTS });
  const { unknown } = await results(t, { agents: { nobodyy: () => "1" } });
  assert.match(unknown.message, /no agent `nobody` is registered. Did you mean `nobodyy`\? Those of this process are `nobodyy`: name/);
  assert.match((await results(t, {})).unknown.message, /no agent is registered, so there is no `nobody`: name it in/);
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
  // A session that was never used is not recorded.
  const other = await TestSession.open({ agent, replay: directory, id: "other" });
  await assert.rejects(other.run("I am Ada"), { name: "UsageError", message: /there is no recording of `other`/ });
  await other.close();
});

test("a recording that was changed is a warning", async (t) => {
  const config = CONFIG.split("  nobody")[0];
  const tests = 'version: "1.4"\nname: hello\nturns: [{ user: Hi, assert: { text: Hello } }]\n';
  const directory = project(t, { "ananke.config.yaml": config, "a.test.yaml": tests });
  const recorded = join(directory, "recorded");
  const warnings = [];
  const listen = (warning) => warnings.push(String(warning));
  process.on("warning", listen);
  t.after(() => process.off("warning", listen));
  await results(t, { agents: { shop: () => "Hello" }, record: recorded }, directory);
  const [file] = readdirSync(recorded, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
  writeFileSync(join(recorded, file), readFileSync(join(recorded, file), "utf8").replace("{", "{ "));
  assert.deepEqual(await results(t, { replay: recorded }, directory), { hello: "passed" });
  await wait(1);
  assert.match(warnings.join("\n"), /a\.test\.yaml::hello: .*was changed after it was recorded/);
});

test("mocks have the recorded calls in a replay", async (t) => {
  const directory = project(t, {});
  const pay = tool("pay", () => {
    throw new Error("real money");
  });
  const agent = async (turn) => {
    if (turn.input === undefined) return "ended";
    if (turn.input === "fail") {
      pay({ amount: 7 });
      throw new RangeError("no account");
    }
    if (turn.input === "0") return "nothing";
    if (turn.input === "odd") return turn.call("look", { at: new Map() }, () => "seen");
    pay({ amount: 1 });
    return String(pay({ amount: 2, note: "two" }));
  };
  let ran = 0;
  for (const mode of ["record", "replay"]) {
    const session = await TestSession.open({ agent, [mode]: directory, id: "mocks" });
    const fn = t.mock.fn(() => {
      ran += 1;
      return "paid";
    });
    fn.mock.mockImplementationOnce(() => {
      ran += 1;
      return "paid once";
    });
    const mocks = await session.mockTools({ pay: fn });
    await session.run("0");
    assert.equal(mocks.callCount("pay"), 0);
    await session.run("pay");
    assert.deepEqual(mocks.calls("pay"), [{ amount: 1 }, { amount: 2, note: "two" }]);
    assert.deepEqual(fn.mock.calls.map(({ arguments: [args], result }) => [args.amount, result]), [[1, "paid once"], [2, "paid"]]);
    const inner = await session.mockTools({ pay: () => "inner" });
    await session.run("pay");
    assert.deepEqual([inner.callCount("pay"), mocks.callCount("pay")], [2, 2]);
    await inner.restore();
    const odd = await session.mockTools({ look: () => "mocked" });
    await session.run("odd");
    assert.equal(odd.callCount("look"), 1);
    if (mode === "record") assert.deepEqual(odd.calls("look"), [{ at: new Map() }]);
    else assert.throws(() => odd.calls("look"), { name: "UsageError", message: /`look` whose arguments are not a JSON object/ });
    await assert.rejects(session.run("fail"));
    assert.deepEqual(mocks.calls("pay").at(-1), { amount: 7 });
    await session.close();
  }
  assert.equal(ran, 3);
});

test("a call that waits is counted when it is executed", async (t) => {
  const directory = project(t, {});
  for (const [index, [answer, count]] of [[{ payload: { approved: true } }, 1], [{ payload: false }, 0], [{ cancelled: true }, 0]].entries()) {
    const agent = async function* (turn) {
      if (turn.input !== undefined) {
        yield { type: "function_call", name: "pay", arguments: { amount: 5 }, toolCallId: "c1" };
        turn.interrupt({ reason: "approval", toolCallId: "c1" });
      } else yield { type: "function_call_output", name: "pay", output: "ended", toolCallId: "c1" };
    };
    for (const mode of ["record", "replay"]) {
      const session = await TestSession.open({ agent, [mode]: directory, id: `waits-${index}` });
      const mocks = await session.mockTools({ pay: () => "mocked" });
      await session.run("Hi");
      assert.equal(mocks.callCount("pay"), 0);
      await session.resume(answer);
      if (mode === "replay") assert.equal(mocks.callCount("pay"), count);
      await session.close();
    }
  }
});

test("each recording of a session has an id of its own", async (t) => {
  const directory = project(t, {});
  const options = { agent: () => "Hi", record: directory, id: "one" };
  const session = await TestSession.open(options);
  const again = { name: "UsageError", message: /was recorded as `one` in `.*` already, and this one would replace it: give each session an `id`/ };
  await assert.rejects(TestSession.open(options), again);
  await session.close();
  await assert.rejects(TestSession.open(options), again);
  await (await TestSession.open({ ...options, id: "two" })).close();
  for (const [option, value] of [["record", 3], ["replay", ""], ["id", ""], ["id", 5]]) {
    const wrong = { agent: options.agent, [option]: value };
    await assert.rejects(TestSession.open(wrong), { name: "TypeError", message: new RegExp(`^\`${option}\` is the .* this is `) });
  }
  await assert.rejects(results(t, { record: 3 }), { name: "TypeError", message: /`record` is the path of a directory, this is 3/ });
});
