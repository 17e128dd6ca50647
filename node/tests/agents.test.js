// Agents that run in the process of the test: functions of one turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { AgentError, TestSession, UsageError } from "ananke-test/testing";
import { opened } from "./helpers.js";

const types = ({ events }) => events.map(({ type }) => type);

for (const [name, agent] of [
  ["plain", () => "Hello"],
  ["async", async () => "Hello"],
  ["generator", function* () { yield "Hel"; yield "lo"; }],
  ["async generator", async function* () { yield "Hel"; await wait(1); yield "lo"; }],
  ["generator that returns a text", function* () { return "Hello"; }],
  ["stream that is returned", async () => new Response("Hello").body.pipeThrough(new TextDecoderStream())],
  ["message of chat completions", () => ({ role: "assistant", content: "Hello" })],
  ["list of messages", () => [{ role: "assistant", content: "Hello", tool_calls: null }]],
  ["event", function* () { yield { type: "message", content: "Hello" }; }],
]) {
  test(`an agent says something: ${name}`, async (t) => {
    const session = await opened(t, { agent });
    const run = await session.run("Hi");
    assert.deepEqual(run.events, [{ type: "message", role: "assistant", content: "Hello" }]);
  });
}

for (const output of [undefined, null, "", []]) {
  test(`an agent says nothing: ${JSON.stringify(output)}`, async (t) => {
    const session = await opened(t, { agent: () => output });
    assert.deepEqual((await session.run("Hi")).events, []);
  });
}

for (const output of [5, {}, [5], { role: "user", content: "Hi" }, { role: "assistant", content: 5 }, { role: "assistant", tool_calls: [{}] }]) {
  test(`an agent returns something else: ${JSON.stringify(output)}`, async (t) => {
    const session = await opened(t, { agent: () => output });
    await assert.rejects(session.run("Hi"), { name: "TypeError", message: /it may return a text, nothing/ });
  });
}

test("three turns with calls, and what each turn gets", async (t) => {
  const seen = [];
  const agent = async (turn) => {
    seen.push({ input: turn.input, messages: turn.messages });
    turn.memory.count = (turn.memory.count ?? 0) + 1;
    if (turn.input !== "Log in") return `Turn ${turn.memory.count}`;
    const result = await turn.call("login", { user: "Ada" }, async ({ user }) => ({ id: user.length }));
    return `You are user ${result.id}`;
  };
  const session = await opened(t, { agent });
  const run = await session.run("Log in");
  const { arguments: args, toolCallId } = run.expect.nextEvent().isFunctionCall("login").event();
  assert.deepEqual(args, { user: "Ada" });
  assert.equal(typeof run.expect.nextEvent().isFunctionCallOutput({ id: 3 }, false).event().executionTimeMs, "number");
  run.expect.nextEvent().isMessage("assistant");
  run.expect.noMoreEvents();
  await session.run("And now?");
  assert.equal((await session.run("Go on")).events[0].content, "Turn 3");
  assert.deepEqual(seen[2], {
    input: "Go on",
    messages: [
      { role: "user", content: "Log in" },
      { role: "assistant", content: null, tool_calls: [{ id: toolCallId, type: "function", function: { name: "login", arguments: '{"user":"Ada"}' } }] },
      { role: "tool", tool_call_id: toolCallId, content: '{"id":3}' },
      { role: "assistant", content: "You are user 3" },
      { role: "user", content: "And now?" },
      { role: "assistant", content: "Turn 2" },
      { role: "user", content: "Go on" },
    ],
  });
  const history = await session.history();
  assert.deepEqual(types({ events: history }), ["message", "function_call", "function_call_output", "message", ...Array(4).fill("message")]);
});

test("rules look back to earlier turns", async (t) => {
  const agent = async (turn) => turn.call(turn.input, {}, () => "done");
  const session = await opened(t, { agent });
  await session.run("login");
  const run = await session.run("pay");
  await run.check({ tools: { require: [{ name: "pay", after: "login" }] } });
  await assert.rejects(run.check({ whenever: [{ call: "pay", not_preceded_by: { call: "login" } }] }), { name: "AssertionError" });
});

test("times are those of the process", async (t) => {
  const agent = async (turn) => {
    await turn.call("slow", {}, () => wait(60));
    return "ok";
  };
  const run = await (await opened(t, { agent })).run("go");
  assert.ok(run.events[1].executionTimeMs >= 59, String(run.events[1].executionTimeMs));
  await run.check({ timing: { max_duration_ms: 60000, max_tool_ms: 60000 } });
  await assert.rejects(run.check({ timing: { max_tool_ms: 50 } }), { name: "AssertionError" });
});

test("the first text is shown only if it is yielded", async (t) => {
  const block = { timing: { max_first_token_ms: 60000 } };
  const streamed = await (await opened(t, { agent: function* () { yield "Hello"; } })).run("go");
  await streamed.check(block);
  const whole = await (await opened(t, { agent: () => "Hello" })).run("go");
  assert.deepEqual((await whole.findings(block)).map(({ status }) => status), ["not_shown"]);
});

test("tokens are added up, and are not shown if they are not known", async (t) => {
  const agent = (turn) => {
    if (turn.input === "count") {
      turn.usage({ inputTokens: 100, outputTokens: 5 });
      turn.usage({ inputTokens: 20, outputTokens: 5 });
    }
    return "ok";
  };
  const session = await opened(t, { agent });
  const run = await session.run("count");
  await run.check({ usage: { max_input_tokens: 120, max_output_tokens: 10 } });
  await assert.rejects(run.check({ usage: { max_input_tokens: 119 } }), { name: "AssertionError" });
  const other = await session.run("nothing");
  assert.deepEqual((await other.findings({ usage: { max_input_tokens: 119 } })).map(({ status }) => status), ["not_shown"]);
  const wrong = await opened(t, { agent: (turn) => turn.usage({ inputTokens: -1 }) });
  await assert.rejects(wrong.run("go"), { name: "TypeError", message: /`inputTokens` is a number of tokens, this is -1/ });
});

test("an error inside a tool is an error of the call, and goes on to the agent", async (t) => {
  const error = new RangeError("out of order");
  const agent = async (turn) => {
    try {
      await turn.call("add", { a: 1 }, () => {
        throw error;
      });
    } catch (caught) {
      return `Sorry: ${caught === error}`;
    }
  };
  const run = await (await opened(t, { agent })).run("go");
  run.expect.containsFunctionCallOutput({ error: "out of order" }, true);
  assert.equal(run.events.at(-1).content, "Sorry: true");
});

test("an error of the agent is thrown as it is, and ends the session", async (t) => {
  const error = new RangeError("no agent");
  const session = await opened(t, {
    agent: () => {
      throw error;
    },
  });
  await assert.rejects(session.run("go"), (thrown) => thrown === error);
  await assert.rejects(session.run("again"), (thrown) => thrown instanceof AgentError && /the session is over/.test(thrown.message));
});

test("an assertion in an agent is no assertion of the test", async (t) => {
  const session = await opened(t, { agent: () => assert.fail("wrong") });
  await assert.rejects(session.run("go"), (error) => error instanceof AgentError && error.message === "the agent failed: wrong");
});

test("interrupts end a turn, and their answers begin one", async (t) => {
  const agent = async (turn) => {
    if (turn.input !== undefined) {
      turn.interrupt({ id: "i1", reason: "approval", message: "Pay 5?" });
      return "May I?";
    }
    const [{ id, payload, cancelled }] = turn.answers;
    return JSON.stringify([turn.input ?? null, id, payload ?? null, cancelled ?? false, turn.messages.length]);
  };
  const session = await opened(t, { agent });
  const run = await session.run("pay");
  assert.deepEqual(run.interrupts, [{ id: "i1", reason: "approval", message: "Pay 5?" }]);
  assert.equal((await session.resume({ payload: { approved: true } })).events[0].content, '[null,"i1",{"approved":true},false,2]');
  await session.run("pay");
  assert.equal((await session.resume({ id: "i1", cancelled: true })).events[0].content, '[null,"i1",null,true,5]');
});

test("a call that waits is executed in the turn of its answer", async (t) => {
  const agent = async (turn) => {
    if (turn.input !== undefined) {
      turn.interrupt({ reason: "approval", toolCallId: "c1" });
      return { role: "assistant", content: null, tool_calls: [{ id: "c1", function: { name: "pay", arguments: '{"euros":5}' } }] };
    }
    const { pay } = turn.tools({ pay: { execute: ({ euros }) => `${euros} paid` } });
    return pay.execute({ euros: 5 }, { toolCallId: "c1" });
  };
  const session = await opened(t, { agent });
  const run = await session.run("pay");
  assert.deepEqual(run.events, [{ type: "function_call", name: "pay", arguments: { euros: 5 }, toolCallId: "c1" }]);
  const resumed = await session.resume({ payload: true, tool: "pay" });
  assert.deepEqual(types(resumed), ["function_call_output", "message"]);
  resumed.expect.nextEvent().isFunctionCallOutput("5 paid", false);
});

test("a run while an interrupt is open is an error", async (t) => {
  const session = await opened(t, { agent: (turn) => void turn.interrupt() });
  await session.run("go");
  await assert.rejects(session.run("again"), UsageError);
});

test("messages and their results are events", async (t) => {
  const agent = () => [
    { role: "assistant", content: "Let me see.", tool_calls: [{ id: "c1", function: { name: "add", arguments: { a: 1 } } }] },
    { role: "tool", tool_call_id: "c1", content: '{"sum":3}' },
    { role: "assistant", content: "It is 3." },
  ];
  const run = await (await opened(t, { agent })).run("go");
  assert.deepEqual(types(run), ["message", "function_call", "function_call_output", "message"]);
  run.expect.containsFunctionCallOutput({ sum: 3 }, false);
});

test("events are yielded, and a call ends a message", async (t) => {
  async function* agent() {
    yield "Let ";
    yield "me see.";
    yield { type: "function_call", name: "add", arguments: { a: 1 }, toolCallId: "c1" };
    yield { type: "function_call_output", toolCallId: "c1", output: 3 };
    yield "It is ";
    yield "3.";
  }
  const run = await (await opened(t, { agent })).run("go");
  assert.deepEqual(run.events.map(({ content, name }) => content ?? name), ["Let me see.", "add", "add", "It is 3."]);
});

test("sessions of one agent run at once and share nothing", async (t) => {
  const agent = async (turn) => {
    turn.memory.names = [...(turn.memory.names ?? []), turn.input];
    await turn.call("greet", { name: turn.input }, () => wait(5));
    return turn.memory.names.join();
  };
  const [one, two] = [await opened(t, { agent }), await opened(t, { agent })];
  const runs = await Promise.all([one.run("a"), two.run("x"), one.run("b"), two.run("y"), one.run("c"), two.run("z")]);
  assert.deepEqual(runs.map(({ events }) => events.at(-1).content), ["a", "x", "a,b", "x,y", "a,b,c", "x,y,z"]);
  assert.deepEqual(runs.map(({ events: [{ arguments: args }] }) => args.name), ["a", "x", "b", "y", "c", "z"]);
});

test("a turn is cancelled by the signal of its run", async (t) => {
  let signal;
  const agent = (turn) => {
    signal = turn.signal;
    return new Promise((_resolve, reject) => turn.signal.addEventListener("abort", () => reject(turn.signal.reason)));
  };
  const session = await opened(t, { agent });
  const controller = new AbortController();
  const run = session.run("go", { signal: controller.signal });
  while (signal === undefined) await wait(1);
  controller.abort();
  await assert.rejects(run, { name: "AbortError" });
  while (!signal.aborted) await wait(1);
});

test("a turn that takes too long ends its session, and no other", async (t) => {
  let signal;
  const hanging = (turn) => {
    signal = turn.signal;
    return new Promise(() => {});
  };
  const session = await opened(t, { agent: hanging, callbackTimeoutMs: 50 });
  await assert.rejects(session.run("go"), AgentError);
  while (!signal.aborted) await wait(1);
  await assert.rejects(session.run("again"), AgentError);
  assert.equal((await (await opened(t, { agent: () => "ok" })).run("go")).events[0].content, "ok");
});

test("what comes after the end of a turn is a warning, and in no other turn", async (t) => {
  const warnings = [];
  t.mock.method(process, "emitWarning", (text) => warnings.push(text));
  let late;
  let go;
  const agent = async (turn) => {
    // Work that the first turn leaves behind goes on in its context.
    if (turn.input === "first") late = new Promise((resolve) => (go = resolve)).then(() => turn.call("late", {}, () => "done"));
    else {
      go();
      assert.equal(await late, "done");
    }
    return "ok";
  };
  const session = await opened(t, { agent });
  await session.run("first");
  assert.deepEqual(types(await session.run("second")), ["message"]);
  assert.match(warnings[0], /call `late`.*after the end of the turn/);
});

test("what is not JSON is shown as Node prints it, and rules about it do not pass", async (t) => {
  let result;
  const agent = async (turn) => {
    result = await turn.call(turn.input, { when: new Date(0), ...(turn.input === "big" ? { size: 1n } : {}) }, () =>
      turn.input === "list" ? new Map([["a", 1]]) : 3,
    );
    return "ok";
  };
  const session = await opened(t, { agent });
  const run = await session.run("list");
  assert.equal(result.get("a"), 1);
  assert.deepEqual(run.events[0].arguments, { when: "1970-01-01T00:00:00.000Z" });
  assert.equal(run.events[1].output, "Map(1) { 'a' => 1 }");
  const statuses = async (ran, tools) => (await ran.findings({ tools })).map(({ status }) => status);
  assert.deepEqual(await statuses(run, { require: [{ name: "list", every: { args: { when: "1970-01-01T00:00:00.000Z" } } }] }), []);
  assert.deepEqual(await statuses(run, { require: [{ name: "list", every: { result: { a: 1 } } }] }), ["failed"]);
  assert.deepEqual(await statuses(run, { require: [{ name: "list", every: { result_match: "Map" } }] }), ["not_shown"]);
  const big = await session.run("big");
  assert.deepEqual(await statuses(big, { forbid_calls: [{ name: "big", args: { size: 1 } }] }), ["not_shown"]);
});

test("the options of an agent are checked", async () => {
  const agent = () => "ok";
  for (const [options, message] of [
    [{ agent, model: agent }, /the agent is a `target`, a `model` or an `agent`, only one of them/],
    [{ agent, target: "shop" }, /only one of them/],
    [{ agent, tools: {} }, /has `tools` of its own/],
    [{ agent, instructions: "Be brief." }, /has `instructions` of its own/],
    [{ agent: 5 }, /an agent is a function of one `turn`, or an agent of AI SDK[^]*this is 5/],
    [{ agent: (turn, other) => [turn, other] }, /a function of one `turn`, this one has 2 parameters/],
    [{ agent: { listTools() {}, generate() {}, tools: {} } }, /an agent of Mastra, which has no adapter/],
    [{ agent: { tools: [], handoffs: [] } }, /an agent of the OpenAI Agents SDK, which has no adapter/],
    [{ agent: { invoke() {}, getState() {} } }, /an agent of LangGraph, which has no adapter/],
  ]) {
    await assert.rejects(TestSession.open(options), { name: "TypeError", message });
  }
});

test("an agent does not judge itself", async (t) => {
  const agent = () => "It is good.";
  const run = await (await opened(t, { agent })).run("go");
  await assert.rejects(run.expect.containsMessage().judge(agent, { intent: "is good" }), { message: /the agent cannot judge itself/ });
  await run.expect.containsMessage().judge(() => "PASS: good", { intent: "is good" });
});

test("a session inside of a turn has its own calls", async (t) => {
  const inner = async (turn) => turn.call("inner", {}, () => "from inside");
  const agent = async (turn) => {
    const session = await TestSession.open({ agent: inner });
    const run = await session.run("go");
    await session.close();
    return turn.call("outer", {}, () => run.events.at(-1).content);
  };
  const run = await (await opened(t, { agent })).run("go");
  assert.deepEqual(run.events.map(({ name, content }) => name ?? content), ["outer", "outer", "from inside"]);
});
