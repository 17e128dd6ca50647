// Tools that are replaced for a while.

import assert from "node:assert/strict";
import { test } from "node:test";

import { call, opened, project, WEATHER_CONFIG } from "./helpers.js";

const asking = (messages) => (messages.at(-1).role === "tool" ? "ok" : call("add", { a: 1 }, `${messages.length}`));

test("mocks nest, and know their calls", async (t) => {
  const session = await opened(t, { model: asking, tools: { add: ({ a }) => a } });
  const output = async (value) => (await session.run("go")).expect.containsFunctionCallOutput(value, false);
  const outer = await session.mockTools({ add: t.mock.fn(() => "outer") });
  await output("outer");
  const inner = await session.mockTools({ add: async () => "inner" });
  await output("inner");
  await inner.restore();
  await inner.restore();
  await output("outer");
  await outer[Symbol.asyncDispose]();
  await output(1);
  assert.deepEqual(outer.calls("add"), [{ a: 1 }, { a: 1 }]);
  assert.equal(inner.callCount("add"), 1);
  assert.throws(() => inner.callCount("pay"), /`pay` is not mocked here; the mocks are `add`/);
});

test("mocks may be given back in another order", async (t) => {
  const session = await opened(t, { model: asking, tools: { add: ({ a }) => a } });
  const one = await session.mockTools({ add: () => "one" });
  const two = await session.mockTools({ add: () => "two" });
  await one.restore();
  (await session.run("go")).expect.containsFunctionCallOutput("two");
  await two.restore();
  (await session.run("go")).expect.containsFunctionCallOutput(1);
});

test("a mock that throws is an error of the call", async (t) => {
  const session = await opened(t, { model: asking, tools: { add: ({ a }) => a } });
  await session.mockTools({
    add: () => {
      throw new Error("overflow");
    },
  });
  (await session.run("go")).expect.containsFunctionCallOutput({ error: "overflow" }, true);
});

test("names are checked before anything is replaced", async (t) => {
  const session = await opened(t, { model: asking, tools: { add: ({ a }) => a } });
  await assert.rejects(session.mockTools({ add: () => 2, pay: () => 3 }), { name: "UsageError", message: /no tool `pay`[^]*add/ });
  await assert.rejects(session.mockTools({ add: 2 }), { name: "TypeError", message: /the mock of `add` is 2, not a function/ });
  (await session.run("go")).expect.containsFunctionCallOutput(1);
});

test("tools of a config are mocked too", async (t) => {
  const config = `${project(t, { "ananke.config.yaml": WEATHER_CONFIG })}/ananke.config.yaml`;
  const session = await opened(t, { config });
  const mocks = await session.mockTools({ temperature: ({ city }, { name, toolCallId }) => [city, name, typeof toolCallId] });
  (await session.run("In Paris")).expect.containsFunctionCallOutput(["Paris", "temperature", "string"]);
  await mocks.restore();
  (await session.run("In Paris")).expect.containsFunctionCallOutput({ degrees: 21 });
});

test("mocks can be given back after the end of the session", async (t) => {
  const session = await opened(t, { model: asking, tools: { add: ({ a }) => a } });
  const mocks = await session.mockTools({ add: () => 2 });
  await session.close();
  await mocks.restore();
});
