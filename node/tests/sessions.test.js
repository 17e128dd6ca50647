// Conversations with models of the test and with targets.

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";

import { AgentError, TestSession, UsageError } from "ananke-test/testing";
import { call, opened, project, scripted, WEATHER_CONFIG } from "./helpers.js";

const add = {
  description: "Adds.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a"], additionalProperties: false },
  execute: ({ a, b = 0 }) => a + b,
};

test("a turn with a call", async (t) => {
  const seen = [];
  const reply = scripted({ content: "Let me see.", ...call("add", { a: 1, b: 2 }) }, "It is 3.");
  const model = async (messages, tools) => (seen.push({ messages, tools }), reply());
  const session = await opened(t, { model, tools: { add }, instructions: "You add." });
  const run = await session.run("1 + 2?");
  run.expect.nextEvent().isMessage("assistant");
  assert.equal(run.expect.nextEvent().isFunctionCall("add", { a: 1, b: 2 }).event().toolCallId, "1");
  assert.equal(typeof run.expect.nextEvent().isFunctionCallOutput(3, false).event().executionTimeMs, "number");
  assert.equal(run.expect.nextEvent("message").event().content, "It is 3.");
  run.expect.noMoreEvents();
  assert.equal(run.userInput, "1 + 2?");
  assert.deepEqual(seen[0].messages, [
    { role: "system", content: "You add." },
    { role: "user", content: "1 + 2?" },
  ]);
  assert.equal(seen[0].tools[0].function.description, "Adds.");
  assert.deepEqual(seen[0].tools[0].function.parameters.required, ["a"]);
  assert.deepEqual(seen[1].messages[3], { role: "tool", tool_call_id: "1", content: "3" });
  const history = await session.history();
  assert.deepEqual(
    history.map(({ type }) => type),
    ["message", "message", "function_call", "function_call_output", "message"],
  );
  assert.deepEqual(history[0], { type: "message", role: "user", content: "1 + 2?" });
  assert.equal(await session.state(), null);
});

for (const [name, args, error] of [
  ["pay", {}, /no tool.*pay|pay/],
  ["add", "[1", /not a JSON object/],
  ["add", { b: 1 }, /^`add` needs the argument `a`$/],
  ["add", { a: 1, c: 1 }, /^`add` has no argument `c`: it takes `a`, `b`$/],
  ["fail", {}, /^out of order$/],
  ["bigint", {}, /^the result of `bigint` is not JSON/],
  ["nan", {}, /^the result of `nan` is not JSON: NaN at `x` is not JSON$/],
  ["map", {}, /^the result of `map` is not JSON/],
  ["surrogate", {}, /^the result of `surrogate` is not JSON: .*Unicode/],
]) {
  test(`a call that cannot be executed: ${name} ${JSON.stringify(args)}`, async (t) => {
    const tools = {
      add,
      fail: async () => {
        throw new Error("out of order");
      },
      bigint: () => 1n,
      nan: () => ({ x: NaN }),
      map: () => [new Map()],
      surrogate: () => "\ud800",
    };
    const session = await opened(t, { model: scripted(call(name, args), "Sorry."), tools });
    const run = await session.run("go");
    const { output, isError } = run.expect.nextEvent("function_call_output").event();
    assert.ok(isError);
    assert.match(output.error, error);
    run.expect.nextEvent().isMessage("assistant");
  });
}

test("a tool that returns nothing gives null", async (t) => {
  const session = await opened(t, { model: scripted(call("f", {}), "ok"), tools: { f: () => {} } });
  (await session.run("go")).expect.containsFunctionCallOutput(null, false);
});

test("outputs come in the order in which calls finish", async (t) => {
  let release;
  const quick = new Promise((resolve) => (release = resolve));
  const tools = {
    slow: () => quick.then(() => new Promise((resolve) => setTimeout(resolve, 50, "slow"))),
    quick: () => (release(), "quick"),
  };
  const reply = { tool_calls: [...call("slow", {}, "a").tool_calls, ...call("quick", {}, "b").tool_calls] };
  const session = await opened(t, { model: scripted(reply, "done"), tools });
  const run = await session.run("go");
  const outputs = run.events.filter(({ type }) => type === "function_call_output").map(({ output }) => output);
  assert.deepEqual(outputs, ["quick", "slow"]);
});

for (const reply of [null, undefined, 5, {}, { content: null }, { content: 3 }, { tool_calls: "x" }, { tool_calls: [{}] }, { tool_calls: [{ function: { name: "f", arguments: { a: 1n } } }] }]) {
  test(`no reply: ${typeof reply} ${reply === null ? null : Object.keys(reply ?? {})}`, async (t) => {
    const session = await opened(t, { model: () => reply });
    await assert.rejects(session.run("go"), { name: "TypeError", message: /a reply is a text|are not JSON/ });
  });
}

test("an error of the model is thrown as it is, and ends the session", async (t) => {
  const error = new RangeError("no model");
  const session = await opened(t, {
    model: () => {
      throw error;
    },
  });
  await assert.rejects(session.run("go"), (thrown) => thrown === error);
  await assert.rejects(session.run("again"), (thrown) => thrown instanceof AgentError && /the session is over/.test(thrown.message));
});

test("an assertion in a model is no assertion of the test", async (t) => {
  const session = await opened(t, { model: () => assert.fail("wrong") });
  await assert.rejects(session.run("go"), (error) => {
    assert.ok(error instanceof AgentError);
    assert.equal(error.message, "the model failed: wrong");
    return error.cause instanceof assert.AssertionError;
  });
});

test("what is thrown may be anything", async (t) => {
  const tools = {
    f: () => {
      throw "a text";
    },
  };
  const session = await opened(t, { model: scripted(call("f", {}), "ok"), tools });
  (await session.run("go")).expect.containsFunctionCallOutput({ error: "a text" }, true);
});

test("rounds are limited", async (t) => {
  const session = await opened(t, { model: (messages) => call("add", { a: 1 }, `${messages.length}`), tools: { add } });
  await assert.rejects(session.run("go"), { name: "AgentError", message: /after 25 rounds/ });
});

test("a tool that takes too long is an error of the call, and its signal aborts", async (t) => {
  let aborted;
  const seen = new Promise((resolve) => (aborted = resolve));
  const tools = { f: (_, { signal }) => new Promise(() => signal.addEventListener("abort", aborted)) };
  const session = await opened(t, { model: scripted(call("f", {}), "ok"), tools, callbackTimeoutMs: 50 });
  (await session.run("go")).expect.nextEvent("function_call_output").event();
  await seen;
});

test("an AbortSignal cancels a run, and what it waits for", async (t) => {
  const controller = new AbortController();
  let aborted;
  const seen = new Promise((resolve) => (aborted = resolve));
  const model = (messages, tools, { signal }) => {
    signal.addEventListener("abort", aborted);
    controller.abort(new Error("enough"));
    return new Promise(() => {});
  };
  const session = await opened(t, { model });
  await assert.rejects(session.run("go", { signal: controller.signal }), { message: "enough" });
  await seen;
  await assert.rejects(session.run("again"), { name: "AgentError", message: /a run was cancelled/ });
});

test("a run that has not begun can be cancelled alone", async (t) => {
  let release;
  const first = new Promise((resolve) => (release = resolve));
  const session = await opened(t, { model: () => first });
  const one = session.run("a");
  await assert.rejects(session.run("b", { signal: AbortSignal.timeout(20) }), { name: "TimeoutError" });
  await assert.rejects(session.run("c", { signal: AbortSignal.abort() }), { name: "AbortError" });
  release("ok");
  (await one).expect.containsMessage();
  (await session.run("d")).expect.containsMessage();
});

test("runs at once follow each other", async (t) => {
  const users = (messages) => messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const session = await opened(t, { model: async (messages) => JSON.stringify(users(messages)) });
  const [one, two] = await Promise.all([session.run("a"), session.run("b")]);
  assert.equal(one.events[0].content, '["a"]');
  assert.equal(two.events[0].content, '["a","b"]');
});

test("sessions may wait for each other", async () => {
  let here = 0;
  let release;
  const everyone = new Promise((resolve) => (release = resolve));
  const model = () => (++here === 20 && release(), everyone.then(() => "here"));
  const talk = async () => {
    const session = await TestSession.open({ model });
    (await session.run("go")).expect.containsMessage();
    await session.close();
  };
  await Promise.all(Array.from({ length: 20 }, talk));
});

test("functions have the context of the run", async (t) => {
  const storage = new AsyncLocalStorage();
  const seen = [];
  const session = await opened(t, { model: () => (seen.push(storage.getStore()), "ok") });
  await storage.run("first", () => session.run("a"));
  await storage.run("second", () => session.run("b"));
  assert.deepEqual(seen, ["first", "second"]);
});

test("a session that is closed", async () => {
  const session = await TestSession.open({ model: () => "ok" });
  await session.close();
  await session[Symbol.asyncDispose]();
  await assert.rejects(session.run("go"), { name: "UsageError", message: /the session is closed/ });
});

test("the end of a session cancels its runs", async () => {
  let begun;
  const first = new Promise((resolve) => (begun = resolve));
  const session = await TestSession.open({ model: () => (begun(), new Promise(() => {})) });
  const runs = [session.run("a"), session.run("b")];
  await first;
  const [one, two] = await Promise.all([...runs.map((run) => run.catch((error) => error)), session.close()]);
  assert.equal(one.name, "AgentError");
  assert.match(one.message, /cancelled/);
  assert.equal(two.name, "UsageError");
});

test("an interrupt is answered", async (t) => {
  const rules = [
    { when: { user: "pay" }, do: [{ interrupt: { id: "i1", reason: "confirmation", message: "Really?" } }] },
    { do: [{ say: "Paid." }] },
  ];
  const session = await opened(t, { target: { type: "scripted", rules } });
  const run = await session.run("pay");
  assert.deepEqual(run.interrupts, [{ id: "i1", reason: "confirmation", message: "Really?" }]);
  assert.throws(() => run.expect.containsMessage(), /waiting for an answer to the interrupt `i1`: Really/);
  assert.deepEqual((await session.resume({ payload: { approved: true } })).interrupts, []);
});

test("an answer that matches nothing", async (t) => {
  const target = { type: "scripted", rules: [{ do: [{ interrupt: { id: "i1", message: "Really?" } }] }] };
  const session = await opened(t, { target });
  await session.run("pay");
  const answer = session.resume({ id: "i2", payload: true });
  await assert.rejects(answer, { name: "AgentError", message: /the answer to `i2` matches nothing that is open: .*`i1`: Really/ });
});

test("targets of a config, by name and by default", async (t) => {
  const config = `${project(t, { "ananke.config.yaml": WEATHER_CONFIG })}/ananke.config.yaml`;
  const session = await opened(t, { config, tools: { temperature: () => ({ degrees: 4 }) } });
  (await session.run("In Paris")).expect.containsFunctionCallOutput({ degrees: 4 });
  const named = await opened(t, { config, target: "judge" });
  (await named.run("Hi")).expect.containsMessage();
  await assert.rejects(TestSession.open({ config, target: "judges" }), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /there is no target `judges`\n(.*\n)*.*judge/);
    return /^\s+at .*sessions\.test\.js/m.test(error.stack);
  });
});

test("a config with a mistake names its place", async (t) => {
  const config = `${project(t, { "ananke.config.yaml": 'version: "1.4"\ntargt: { type: scripted }\n' })}/ananke.config.yaml`;
  await assert.rejects(TestSession.open({ config }), { name: "UsageError", message: /2:1[^]*unknown key `targt`[^]*did you mean `target`/ });
});

for (const [options, message] of [
  [{ targt: "x" }, /a session has no option `targt`: the options are target, model/],
  [{ target: "x", model: () => "" }, /a `target`, a `model` or an `agent`, only one of them/],
  [{ model: "gpt" }, /the model is a function/],
  [{ tools: [add] }, /the tools are an object/],
  [{ tools: { add: { excute: () => 1 } } }, /the tool `add` is a function, or an object with `execute`/],
  [{ tools: { add: { execute: () => 1, descripton: "" } } }, /has no `descripton`/],
]) {
  test(`wrong options: ${Object.keys(options)}`, async () => {
    await assert.rejects(TestSession.open(options), { name: "TypeError", message });
  });
}

test("an input that is no text", async (t) => {
  const session = await opened(t, { model: () => "ok" });
  await assert.rejects(session.run(5), TypeError);
  await assert.rejects(session.run("\udc00"), { name: "TypeError", message: /half of a surrogate pair/ });
  (await session.run("line\u2028separators\r and \u0000 \u{1f600}")).expect.containsMessage();
});

test("a large text, in both directions", async (t) => {
  const large = "ä\n".repeat(2_000_000);
  const session = await opened(t, { model: ([, { content }]) => content });
  assert.equal((await session.run(large)).events[0].content, large);
});

test("events are printed on demand", async (t) => {
  const said = t.mock.method(console, "log", () => {});
  process.env.ANANKE_TESTING_VERBOSE = "1";
  t.after(() => delete process.env.ANANKE_TESTING_VERBOSE);
  const session = await opened(t, { model: () => "Hello \u001b[1m" });
  const run = await session.run("Hi");
  await run.expect.containsMessage().judge(() => "PASS: polite", { intent: "greets" });
  assert.deepEqual(
    said.mock.calls.map(({ arguments: [text] }) => text),
    ["user: Hi\nevents:\n  1  message (assistant): Hello \\u{1b}[1m", "judge: PASS: polite  (intent: greets)"],
  );
});
