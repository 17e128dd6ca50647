// Agents of AI SDK in sessions: `ToolLoopAgent` as it is, and `generateText` and `streamText` in functions.

import { generateText, stepCountIs, streamText, tool, ToolLoopAgent } from "ai";
import { TestSession, tool as reported } from "ananke-test/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";

import { asked, call, model, outputs } from "../src/model.js";

const types = ({ events }) => events.map(({ type }) => type);
const text = ({ events }) => events.at(-1).content;

/** A session that ends with its test. */
async function opened(agent) {
  const session = await TestSession.open({ agent });
  onTestFinished(() => session.close());
  return session;
}

/** New tools: `get_weather`, which knows one city, and `pay`, which needs an approval. */
function toolsOf() {
  return {
    get_weather: tool({
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        if (city !== "Paris") throw new RangeError(`there is no city ${city}`);
        return { city, degrees: 21 };
      },
    }),
    pay: tool({
      description: "Pays",
      inputSchema: z.object({ euros: z.number() }),
      needsApproval: true,
      execute: async ({ euros }) => `${euros} paid`,
    }),
  };
}

/** The replies to what the tests say. */
const weatherModel = () =>
  model((prompt) => {
    const [user, results] = [asked(prompt), outputs(prompt)];
    const city = /in (\w+)/.exec(user)?.[1];
    if (user === "Pay" && results.length === 0) return ["One moment.", call("pay", { euros: 5 }, `p${prompt.length}`)];
    if (user === "Call badly" && results.length === 0) return [call("get_weather", { town: 5 }, "bad1"), call("get_wether", {}, "bad2")];
    if (user === "Two cities" && results.length === 0) {
      return [call("get_weather", { city: "Paris" }, "two1"), "And", call("get_weather", { city: "Rome" }, "two2")];
    }
    if (city !== undefined && results.length === 0) return ["Let me ", "see.", call("get_weather", { city }, `w${prompt.length}`)];
    const cities = new Set(prompt.filter(({ role }) => role === "user").flatMap(({ content }) => /in (\w+)/.exec(content[0].text)?.[1] ?? []));
    return results.length > 0 ? `Results: ${JSON.stringify(results.map(({ value, type }) => value ?? type))}` : `Asked for ${[...cities]}`;
  });

const weatherAgent = (tools = toolsOf()) => new ToolLoopAgent({ model: weatherModel(), tools, stopWhen: stepCountIs(5) });

test("three turns of an agent, with a call in the first", async () => {
  const session = await opened(weatherAgent());
  const run = await session.run("The weather in Paris?");
  run.expect.nextEvent().isMessage("assistant");
  const { toolCallId } = run.expect.nextEvent().isFunctionCall("get_weather", { city: "Paris" }).event();
  const output = run.expect.nextEvent().isFunctionCallOutput({ city: "Paris", degrees: 21 }, false).event();
  run.expect.nextEvent().isMessage("assistant");
  run.expect.noMoreEvents();
  expect(run.events[0].content).toBe("Let me see.");
  expect(output.toolCallId).toBe(toolCallId);
  expect(output.executionTimeMs).toBeTypeOf("number");
  expect(text(await session.run("Thanks"))).toBe("Asked for Paris");
  const third = await session.run("And now?");
  expect(text(third)).toBe("Asked for Paris");
  await third.check({ whenever: [{ says: "Asked", preceded_by: { call: "get_weather" } }] });
});

test("two sessions of an agent at once, and one with a mock", async () => {
  const agent = weatherAgent();
  const [one, two] = [await opened(agent), await opened(agent)];
  const mocks = await two.mockTools({ get_weather: vi.fn(async () => ({ degrees: 4 })) });
  const runs = await Promise.all([one.run("The weather in Paris?"), two.run("The weather in Rome?"), one.run("Thanks"), two.run("Thanks")]);
  expect(runs[0].events[2].output).toEqual({ city: "Paris", degrees: 21 });
  expect(runs[1].events[2].output).toEqual({ degrees: 4 });
  expect(text(runs[2])).toBe("Asked for Paris");
  expect(text(runs[3])).toBe("Asked for Rome");
  expect(mocks.calls("get_weather")).toEqual([{ city: "Rome" }]);
  await mocks.restore();
  const real = await two.run("The weather in Paris?");
  expect(real.events[2].output).toEqual({ city: "Paris", degrees: 21 });
});

test("an unknown name of a mock is an error, and nothing is replaced", async () => {
  const session = await opened(weatherAgent());
  await expect(session.mockTools({ get_weather: () => 1, get_wether: () => 2 })).rejects.toThrow(
    "the agent executes no tool `get_wether`: its tools are `get_weather`, `pay`",
  );
  const run = await session.run("The weather in Paris?");
  expect(run.events[2].output).toEqual({ city: "Paris", degrees: 21 });
});

test("an error inside a tool", async () => {
  const run = await (await opened(weatherAgent())).run("The weather in Rome?");
  run.expect.containsFunctionCallOutput({ error: "there is no city Rome" }, true);
  expect(text(run)).toContain("there is no city Rome");
});

test("calls that are not valid, and so are not executed", async () => {
  const run = await (await opened(weatherAgent())).run("Call badly");
  expect(run.events.map(({ name }) => name)).toEqual(["get_weather", "get_wether", "get_weather", "get_wether", undefined]);
  const failed = run.events.filter(({ type }) => type === "function_call_output");
  expect(failed.map(({ isError }) => isError)).toEqual([true, true]);
  expect(failed[1].output.error).toContain("get_wether");
  expect(await run.findings({ timing: { max_tool_ms: 60000 } })).toEqual([]);
});

test("a tool that is not one of the agent's is seen without its time", async () => {
  const { get_weather } = toolsOf();
  const agent = new ToolLoopAgent({
    model: weatherModel(),
    tools: {},
    stopWhen: stepCountIs(5),
    prepareCall: (options) => ({ ...options, tools: { get_weather } }),
  });
  const run = await (await opened(agent)).run("The weather in Paris?");
  expect(types(run)).toEqual(["message", "function_call", "function_call_output", "message"]);
  await run.check({ tools: { require: [{ name: "get_weather", every: { args: { city: "Paris" } } }] } });
  expect((await run.findings({ timing: { max_tool_ms: 60000 } })).map(({ status }) => status)).toEqual(["not_shown"]);
});

test("calls at once, with a text between them", async () => {
  const run = await (await opened(weatherAgent())).run("Two cities");
  const calls = run.events.filter(({ type }) => type === "function_call");
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(["two1", "two2"]);
  expect(run.events.filter(({ type }) => type === "function_call_output").map(({ isError }) => isError)).toEqual([false, true]);
});

test("an approval that is given, and one that is refused", async () => {
  const session = await opened(weatherAgent());
  const run = await session.run("Pay");
  expect(types(run)).toEqual(["message", "function_call"]);
  expect(run.interrupts).toEqual([{ id: expect.any(String), reason: "approval", toolCallId: run.events[1].toolCallId }]);
  const paid = await session.resume({ payload: true, tool: "pay" });
  expect(types(paid)).toEqual(["function_call_output", "message"]);
  paid.expect.nextEvent().isFunctionCallOutput("5 paid", false);
  expect(paid.interrupts).toEqual([]);
  await session.run("Pay");
  const refused = await session.resume({ payload: { approved: false } });
  expect(types(refused)).toEqual(["message"]);
  await session.run("Pay");
  await expect(session.resume({ payload: "maybe" })).rejects.toThrow(/is true, false or \{ approved: true \}: this is 'maybe'/);
});

test("the tokens of each request to the model", async () => {
  const run = await (await opened(weatherAgent())).run("The weather in Paris?");
  await run.check({ usage: { max_input_tokens: 20, max_output_tokens: 8, max_total_tokens: 28 } });
  expect(await run.findings({ usage: { max_input_tokens: 19 } })).toHaveLength(1);
});

test("the first text of a run that does not stream is not shown", async () => {
  const run = await (await opened(weatherAgent())).run("Thanks");
  const findings = await run.findings({ timing: { max_first_token_ms: 60000 } });
  expect(findings.map(({ status }) => status)).toEqual(["not_shown"]);
});

test("an agent is as before after a run that fails", async () => {
  const tools = toolsOf();
  const before = Object.values(tools).map(({ execute }) => execute);
  const error = new Error("no model");
  let during;
  const failing = model(() => {
    during = tools.pay.execute;
    throw error;
  });
  const session = await opened(new ToolLoopAgent({ model: failing, tools, maxRetries: 0 }));
  await expect(session.run("Hi")).rejects.toBe(error);
  expect(during).not.toBe(before[1]);
  expect(Object.values(tools).map(({ execute }) => execute)).toEqual(before);
});

test("an agent is as before after a run that is cancelled", async () => {
  const tools = toolsOf();
  const before = tools.get_weather.execute;
  tools.get_weather.execute = () => new Promise(() => {});
  const hanging = tools.get_weather.execute;
  const session = await opened(weatherAgent(tools));
  const controller = new AbortController();
  const run = session.run("The weather in Paris?", { signal: controller.signal });
  await vi.waitUntil(() => tools.get_weather.execute !== hanging);
  controller.abort();
  await expect(run).rejects.toThrow(/aborted/);
  await vi.waitUntil(() => tools.get_weather.execute === hanging);
  expect(await before({ city: "Paris" })).toEqual({ city: "Paris", degrees: 21 });
});

test("an agent outside of a session", async () => {
  const agent = weatherAgent();
  await (await opened(agent)).run("The weather in Paris?");
  const { text: said } = await agent.generate({ prompt: "The weather in Paris?" });
  expect(said).toContain("21");
});

test("an agent without tools, and one with a tool that has two names", async () => {
  const replies = model(() => "Hello");
  expect(text(await (await opened(new ToolLoopAgent({ model: replies }))).run("Hi"))).toBe("Hello");
  const { pay } = toolsOf();
  const twice = await opened(new ToolLoopAgent({ model: replies, tools: { pay, donate: pay } }));
  await expect(twice.run("Hi")).rejects.toThrow("the tools `pay` and `donate` are one object");
});

test("a tool that is frozen cannot be observed, and the others are as before", async () => {
  const { get_weather, pay } = toolsOf();
  const before = get_weather.execute;
  const session = await opened(weatherAgent({ get_weather, pay: Object.freeze(pay) }));
  await expect(session.run("Thanks")).rejects.toThrow(TypeError);
  expect(get_weather.execute).toBe(before);
});

test("times are real, also if the test has a clock of its own", async () => {
  vi.useFakeTimers();
  onTestFinished(() => vi.useRealTimers());
  const session = await opened(weatherAgent());
  await session.mockTools({ get_weather: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60) });
  const run = await session.run("The weather in Paris?");
  expect(run.events[2].executionTimeMs).toBeGreaterThanOrEqual(59);
});

test("a tool that streams its result", async () => {
  const tools = {
    get_weather: tool({
      inputSchema: z.object({ city: z.string() }),
      async *execute() {
        yield { status: "loading" };
        yield { degrees: 21 };
      },
    }),
  };
  const run = await (await opened(weatherAgent(tools))).run("The weather in Paris?");
  run.expect.containsFunctionCallOutput({ degrees: 21 }, false);
});

test("an agent that is a tool of another agent: its tools are seen if they are reported", async () => {
  const { get_weather } = toolsOf();
  const measured = { ...get_weather, execute: reported("measure", get_weather.execute) };
  const inner = weatherAgent({ get_weather: measured });
  const tools = {
    get_weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => (await inner.generate({ prompt: `The weather in ${city}?` })).text,
    }),
  };
  const run = await (await opened(weatherAgent(tools))).run("The weather in Paris?");
  expect(run.events.map(({ name }) => name)).toEqual([undefined, "get_weather", "measure", "measure", "get_weather", undefined]);
  await run.check({ tools: { forbid: ["measure"], subagents: "exclude" } });
  await expect(run.check({ tools: { forbid: ["measure"], subagents: "include" } })).rejects.toThrow(/measure/);
});

/** A function as an agent, which keeps the messages of AI SDK. */
const generating = (tools) => async (turn) => {
  const messages = (turn.memory.messages ??= []);
  if (turn.input !== undefined) messages.push({ role: "user", content: turn.input });
  for (const { id, payload } of turn.answers) {
    messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId: id, approved: payload === true }] });
  }
  const result = await generateText({ model: weatherModel(), tools: turn.tools(tools), stopWhen: stepCountIs(5), messages, abortSignal: turn.signal });
  messages.push(...(result.responseMessages ?? result.response.messages));
  const { inputTokens, outputTokens } = result.totalUsage ?? result.usage;
  turn.usage({ inputTokens, outputTokens });
  const waiting = result.content.filter(({ type }) => type === "tool-approval-request");
  for (const { approvalId, toolCall } of waiting) turn.interrupt({ id: approvalId, reason: "approval", toolCallId: toolCall.toolCallId });
  const calls = waiting.map(({ toolCall }) => ({ id: toolCall.toolCallId, function: { name: toolCall.toolName, arguments: toolCall.input } }));
  return { role: "assistant", content: result.text, tool_calls: calls };
};

test("generateText in a function: turns, a mock, an error and tokens", async () => {
  const tools = toolsOf();
  const before = tools.get_weather.execute;
  const agent = generating(tools);
  const [one, two] = [await opened(agent), await opened(agent)];
  const mocks = await two.mockTools({ get_weather: () => ({ degrees: 4 }) });
  const [run, mocked] = await Promise.all([one.run("The weather in Paris?"), two.run("The weather in Rome?")]);
  expect(types(run)).toEqual(["function_call", "function_call_output", "message"]);
  run.expect.containsFunctionCallOutput({ city: "Paris", degrees: 21 }, false);
  mocked.expect.containsFunctionCallOutput({ degrees: 4 }, false);
  await run.check({ usage: { max_input_tokens: 20, max_output_tokens: 8 } });
  await mocks.restore();
  (await two.run("The weather in Rome?")).expect.containsFunctionCallOutput({ error: "there is no city Rome" }, true);
  expect(text(await one.run("Thanks"))).toBe("Asked for Paris");
  expect(text(await one.run("And now?"))).toBe("Asked for Paris");
  expect(tools.get_weather.execute).toBe(before);
});

test("generateText in a function: an approval", async () => {
  const session = await opened(generating(toolsOf()));
  const run = await session.run("Pay");
  expect(types(run)).toEqual(["message", "function_call"]);
  const paid = await session.resume({ payload: true, tool: "pay" });
  paid.expect.nextEvent().isFunctionCallOutput("5 paid", false);
});

test("streamText in a function: a message that ends at a call, and its first text", async () => {
  const tools = toolsOf();
  const agent = async function* (turn) {
    yield* streamText({ model: weatherModel(), tools: turn.tools(tools), stopWhen: stepCountIs(5), prompt: turn.input }).textStream;
  };
  const run = await (await opened(agent)).run("The weather in Paris?");
  expect(types(run)).toEqual(["message", "function_call", "function_call_output", "message"]);
  expect(run.events[0].content).toBe("Let me see.");
  await run.check({ timing: { max_first_token_ms: 60000 } });
});
