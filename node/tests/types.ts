// What TypeScript accepts and refuses of the package.

import * as nodeTest from "node:test";
import {
  ANY,
  RunResult,
  TestSession,
  tool,
  yamlTests,
  type Agent,
  type AgentFunction,
  type AgentPart,
  type FunctionModel,
  type Json,
  type RunEvent,
  type ToolDefinition,
  type Turn,
} from "ananke-test/testing";

const model: FunctionModel = async (messages, tools, { signal }) => {
  signal.throwIfAborted();
  return messages.length > tools.length ? "Hello" : { tool_calls: [{ function: { name: "add", arguments: { a: 1 } } }] };
};
const add: ToolDefinition = { execute: ({ a }: { a: number }, { toolCallId }) => `${a} ${toolCallId}` };

export async function accepted(): Promise<Json> {
  await using session = await TestSession.open({ model, tools: { add, other: async () => undefined } });
  const run: RunResult = await session.run("Hi", { signal: AbortSignal.timeout(1000) });
  run.expect.nextEvent().isFunctionCall("add", { a: 1 }).event().arguments;
  run.expect.nextEvent().isFunctionCallOutput(ANY, true).event().isError satisfies boolean;
  run.expect.nextEvent("message").event().content satisfies string;
  run.expect.nextEvent("function_call").event().name satisfies string;
  run.expect.at(-1).isMessage("assistant");
  (await run.expect.slice(1).containsMessage().judge("judge", { intent: "greets" })).event().role;
  await run.check({ tools: { require: ["add"] } });
  (await run.findings("tools: {}"))[0]?.message satisfies string | undefined;
  await using mocks = await session.mockTools({ add: () => 2 });
  mocks.calls("add")[0]?.["a"] satisfies Json | undefined;
  const events: RunEvent[] = await session.history();
  for (const event of events) if (event.type === "message") event.content satisfies string;
  await session.resume([{ payload: true, tool: "add" }, { id: "1", cancelled: true }]);
  await yamlTests(nodeTest, { tags: ["smoke"], config: new URL("file:///x") });
  return session.state();
}

const addNumbers = tool("add", (a: number, b = 0) => a + b);
const agents: Agent[] = [
  () => "Hello",
  async (turn: Turn) => {
    const sum: number = await turn.call("add", { a: 1 }, async ({ a }: { a: number }, { toolCallId }) => addNumbers(a) + toolCallId.length);
    turn.usage({ inputTokens: 1, outputTokens: undefined });
    turn.interrupt({ reason: "approval" }) satisfies string;
    turn.tools({ add: { execute: () => sum } }).add.execute() satisfies number;
    turn.input satisfies string | undefined;
    turn.messages.at(-1)?.role;
    turn.memory.messages = [turn.answers[0]?.payload, turn.signal.aborted];
    return { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "add" } }] };
  },
  // Older compilers need the type of what is yielded.
  async function* (): AsyncGenerator<string | AgentPart> {
    yield "Hel";
    yield { type: "function_call", name: "add" };
  },
  function* () {
    yield "lo";
    return "and more";
  },
  { generate: async () => ({}), tools: {} },
];

export async function handedOver(agent: AgentFunction): Promise<void> {
  for (const other of [...agents, agent]) {
    await using session = await TestSession.open({ agent: other, callbackTimeoutMs: 5 });
    await session.run("Hi");
  }
}

export async function refused(session: TestSession, run: RunResult): Promise<void> {
  // @ts-expect-error there is no such option
  await TestSession.open({ targt: "x" });
  // @ts-expect-error a target has a type
  await TestSession.open({ target: { endpoint: "http://127.0.0.1" } });
  // @ts-expect-error an agent has one turn
  await TestSession.open({ agent: (turn: Turn, other: number) => `${turn.input} ${other}` });
  // @ts-expect-error an agent does not return a number
  await TestSession.open({ agent: () => 5 });
  // @ts-expect-error the function keeps its parameters
  addNumbers("1");
  // @ts-expect-error a session is opened
  new TestSession();
  // @ts-expect-error the input is a text
  await session.run(5);
  // @ts-expect-error there is no such role
  run.expect.at(0).isMessage("system");
  // @ts-expect-error there is no such type
  run.expect.nextEvent("call");
  // @ts-expect-error the name is a text
  run.expect.at(0).isFunctionCall(5, {});
  // @ts-expect-error a judge needs an intent
  await run.expect.containsMessage().judge("judge");
  // @ts-expect-error a mock is a function
  await session.mockTools({ add: 2 });
}
