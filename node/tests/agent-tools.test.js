// Tools of agents that run in the process of the test: what they report, and their mocks.

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { tool } from "ananke-test/testing";
import { opened } from "./helpers.js";

const getWeather = tool("get_weather", (city, days = 1) => ({ city, days }));

test("outside of a session a tool is the function itself", async () => {
  function weather(city) {
    return [this?.name, city];
  }
  weather.kind = "demo";
  const wrapped = tool("get_weather", weather);
  assert.deepEqual(wrapped.call({ name: "desk" }, "Paris"), ["desk", "Paris"]);
  assert.deepEqual([wrapped.name, wrapped.length, wrapped.kind], ["weather", 1, "demo"]);
  assert.equal(await tool("later", async () => 5)(), 5);
  const error = new Error("wrong");
  assert.throws(tool("fail", () => { throw error; }), (thrown) => thrown === error);
  assert.throws(() => tool(() => 5), { name: "TypeError", message: /a tool is a name and a function/ });
});

for (const [name, execute, given, expected] of [
  ["an object", ({ city }) => city, [{ city: "Paris" }, { signal: null }], { city: "Paris" }],
  ["names", (city, days = 1) => [city, days], ["Paris", 2], { city: "Paris", days: 2 }],
  ["a name without parentheses", (city) => city, ["Paris"], { city: "Paris" }],
  ["a function", function weather(city, days) { return [city, days].length; }, ["Paris"], { city: "Paris" }],
  ["an async function", async function (city) { return city; }, ["Paris"], { city: "Paris" }],
  ["a method", { async weather(city) { return city; } }.weather, ["Paris"], { city: "Paris" }],
  ["positions", (...all) => all, ["Paris", 2], { 0: "Paris", 1: 2 }],
  ["a function without a source", Math.max, [1, 2], { 0: 1, 1: 2 }],
  ["nothing", () => 5, [], {}],
]) {
  test(`the arguments of a tool: ${name}`, async (t) => {
    const wrapped = tool("f", execute);
    const run = await (await opened(t, { agent: async () => void (await wrapped(...given)) })).run("go");
    assert.deepEqual(run.events[0].arguments, expected);
  });
}

test("a tool that returns no promise keeps to that in a turn", async (t) => {
  const agent = () => {
    const { city, days } = getWeather("Paris");
    return `${city} ${days}`;
  };
  const run = await (await opened(t, { agent })).run("go");
  run.expect.nextEvent().isFunctionCall("get_weather", { city: "Paris" });
  run.expect.nextEvent().isFunctionCallOutput({ city: "Paris", days: 1 }, false);
  assert.equal(run.events.at(-1).content, "Paris 1");
});

test("an error in a tool goes on to the agent as it is", async (t) => {
  const error = new RangeError("overflow");
  const add = tool("add", async () => {
    throw error;
  });
  const run = await (await opened(t, { agent: () => add().catch((caught) => `same: ${caught === error}`) })).run("go");
  run.expect.containsFunctionCallOutput({ error: "overflow" }, true);
  assert.equal(run.events.at(-1).content, "same: true");
});

test("calls at once belong to their own turns", async (t) => {
  const slow = tool("slow", async ({ name, ms }) => (await wait(ms), name));
  const agent = async ({ input }) => (await Promise.all([slow({ name: `${input}1`, ms: 20 }), slow({ name: `${input}2`, ms: 1 })])).join();
  const sessions = [await opened(t, { agent }), await opened(t, { agent })];
  const [one, two] = await Promise.all([sessions[0].run("a"), sessions[1].run("b")]);
  for (const [run, letter] of [[one, "a"], [two, "b"]]) {
    assert.deepEqual(run.events.slice(0, 2).map(({ arguments: { name } }) => name), [`${letter}1`, `${letter}2`]);
    assert.deepEqual(run.events.slice(2, 4).map(({ output }) => output), [`${letter}2`, `${letter}1`]);
  }
});

test("a call without a context belongs to the only turn, and to none of several", async (t) => {
  const lost = AsyncLocalStorage.snapshot();
  const add = tool("add", () => 3);
  const agent = async () => {
    await wait(20);
    return String(lost(() => add()));
  };
  const one = await opened(t, { agent });
  (await one.run("go")).expect.nextEvent().isFunctionCall("add");
  const two = await opened(t, { agent });
  const ended = await Promise.allSettled([one.run("go"), two.run("go")]);
  assert.equal(ended[0].reason.name, "UsageError");
  assert.match(ended[0].reason.message, /the call to `add` belongs to one of 2 turns/);
});

test("rules about a call that has lost its context are not shown, also if the agent hides the error", async (t) => {
  const lost = AsyncLocalStorage.snapshot();
  const add = tool("add", () => 3);
  const agent = async () => {
    await wait(20);
    try {
      lost(() => add());
    } catch {
      await wait(50);
      return "hidden";
    }
  };
  const sessions = [await opened(t, { agent }), await opened(t, { agent })];
  for (const run of await Promise.all(sessions.map((session) => session.run("go")))) {
    await assert.rejects(run.check("tools: { forbid: [add] }"), /a call to `add` has lost its context/);
    await assert.rejects(run.check("tools: { require: [add] }"), /a call to `add` has lost its context/);
    await run.check("tools: { forbid: [pay] }");
  }
});

test("a call inside a call is one of a subagent", async (t) => {
  const search = tool("search", () => ["a"]);
  const agent = (turn) => turn.call("research", {}, () => search({ words: "x" }).join());
  const run = await (await opened(t, { agent })).run("go");
  assert.deepEqual(run.events.map(({ name }) => name), ["research", "search", "search", "research", undefined]);
  await run.check({ tools: { forbid: ["search"], subagents: "exclude" } });
  await assert.rejects(run.check({ tools: { forbid: ["search"], subagents: "include" } }), { name: "AssertionError" });
});

test("mocks replace tools of any name, nest, and know their calls", async (t) => {
  const agent = async (turn) => JSON.stringify([getWeather("Paris"), await turn.call("add", { a: 1 }, () => 1)]);
  const session = await opened(t, { agent });
  const outer = await session.mockTools({ get_weather: () => "outer", add: t.mock.fn(async () => 2) });
  const inner = await session.mockTools({ get_weather: ({ city }, { name, toolCallId }) => [city, name, typeof toolCallId] });
  assert.equal((await session.run("go")).events.at(-1).content, '[["Paris","get_weather","string"],2]');
  await inner.restore();
  await inner.restore();
  assert.equal((await session.run("go")).events.at(-1).content, '["outer",2]');
  await outer.restore();
  const run = await session.run("go");
  assert.equal(run.events.at(-1).content, '[{"city":"Paris","days":1},1]');
  assert.deepEqual(outer.calls("add"), [{ a: 1 }, { a: 1 }]);
  assert.equal(inner.callCount("get_weather"), 1);
  assert.deepEqual(getWeather("Paris"), { city: "Paris", days: 1 });
  await assert.rejects(session.mockTools({ add: 2 }), { name: "TypeError", message: /the mock of `add` is 2, not a function/ });
});

test("a mock of one session is none of another", async (t) => {
  const agent = () => JSON.stringify(getWeather("Paris"));
  const [one, two] = [await opened(t, { agent }), await opened(t, { agent })];
  await one.mockTools({ get_weather: () => "mocked" });
  const runs = await Promise.all([one.run("go"), two.run("go")]);
  assert.deepEqual(runs.map(({ events }) => events.at(-1).content), ['"mocked"', '{"city":"Paris","days":1}']);
});

test("a mock that throws is an error of the call", async (t) => {
  const add = tool("add", () => 3);
  const agent = () => {
    try {
      add();
    } catch (error) {
      return error.message;
    }
  };
  const session = await opened(t, { agent });
  await session.mockTools({ add: () => { throw new Error("overflow"); } });
  const run = await session.run("go");
  run.expect.containsFunctionCallOutput({ error: "overflow" }, true);
  assert.equal(run.events.at(-1).content, "overflow");
});

test("mocks end with their block, also after an exception", async (t) => {
  const session = await opened(t, { agent: (turn) => turn.call("add", {}, () => "real") });
  const failed = async () => {
    const mocks = await session.mockTools({ add: () => "mocked" });
    try {
      assert.equal((await session.run("go")).events.at(-1).content, "mocked");
      throw new Error("the test fails");
    } finally {
      await mocks[Symbol.asyncDispose]();
    }
  };
  await assert.rejects(failed, /the test fails/);
  assert.equal((await session.run("go")).events.at(-1).content, "real");
});

test("a tool set of AI SDK is reported, and not changed", async (t) => {
  const tools = {
    add: { description: "Adds.", execute: ({ a }, { toolCallId }) => `${a} ${toolCallId}` },
    stream: { async *execute() { yield "half"; yield "whole"; } },
    hosted: { type: "provider", id: "x.search" },
  };
  const before = { ...tools.add };
  let kept;
  const agent = async (turn) => {
    const set = (kept ??= turn.tools(tools));
    assert.equal(set.hosted, tools.hosted);
    assert.equal(set.add.description, "Adds.");
    const parts = [];
    for await (const part of set.stream.execute({}, { toolCallId: "c2" })) parts.push(part);
    return `${set.add.execute({ a: 1 }, { toolCallId: "c1" })} ${parts}`;
  };
  const session = await opened(t, { agent });
  // A set that is kept reports to the turn in which it is used.
  for (const _turn of [1, 2]) {
    const run = await session.run("go");
    assert.deepEqual(run.events.map(({ toolCallId }) => toolCallId), ["c2", "c2", "c1", "c1", undefined]);
    run.expect.containsFunctionCallOutput("whole", false);
    assert.equal(run.events.at(-1).content, "1 c1 half,whole");
  }
  assert.deepEqual(tools.add, before);
});

test("calls to a tool without `execute` are not seen, and rules about them do not pass", async (t) => {
  const tools = { hosted: { type: "provider", id: "x.search" }, add: { execute: () => 3 } };
  const agent = (turn) => {
    turn.tools(turn.input === "search" ? tools : { add: tools.add });
    return "ok";
  };
  const session = await opened(t, { agent });
  const run = await session.run("search");
  const statuses = async (block) => (await run.findings(block)).map(({ status }) => status);
  assert.deepEqual(await statuses({ tools: { forbid: ["hosted"] } }), ["not_shown"]);
  assert.deepEqual(await statuses({ timing: { max_tool_ms: 60000 } }), ["not_shown"]);
  await (await session.run("add")).check({ tools: { forbid: ["hosted"] } });
});

/** An agent with the shape of one of AI SDK, whose step has these parts. */
function shaped(content) {
  return { tools: undefined, generate: async () => ({ content, steps: [{ content }], responseMessages: [] }) };
}

test("a part of a step that is not known is not read", async (t) => {
  const text = { type: "text", text: "Hello" };
  const known = await (await opened(t, { agent: shaped([text, { type: "source", url: "https://example.com" }]) })).run("Hi");
  await known.check({ tools: { forbid: ["pay"] }, text: "Hello" });
  const unknown = await (await opened(t, { agent: shaped([text, { type: "tool-swarm" }]) })).run("Hi");
  const found = await unknown.findings({ tools: { forbid: ["pay"] } });
  assert.deepEqual(found.map(({ status }) => status), ["not_shown"]);
  assert.match(found[0].words, /part:tool-swarm/);
});

test("an agent that only looks like one of AI SDK", async (t) => {
  const session = await opened(t, { agent: { tools: {}, generate: async () => "Hello" } });
  await assert.rejects(session.run("Hi"), { name: "TypeError", message: /returned 'Hello', and no `steps`: .* runs inside a function/ });
});
