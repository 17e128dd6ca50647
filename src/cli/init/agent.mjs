// The way from ananke to your agent: each run is a line on stdin, and its events are lines on stdout.
//
// Replace `answer` with your agent, and report each of its tool calls with `call`.

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

// Stdout is for events alone: what anything else logs goes to stderr.
console.log = console.info = console.error;

// Import your agent here. What that takes is no time of a test.

// A tool of the agent.
const getWeather = async ({ city }) => ({ city, sky: "clear" });

// What the agent says to the conversation so far, of which each message has a `role` and a `content`.
async function answer(messages, call) {
  const weather = await call("get_weather", { city: "Rome" }, getWeather);
  return `It is ${weather.sky} in ${weather.city}.`;
}

const emit = (type, event) => process.stdout.write(`${JSON.stringify({ type, ...event })}\n`);

// Calls a tool, and reports the call and its result.
async function call(tool, args, execute) {
  const toolCallId = randomUUID();
  emit("TOOL_CALL_START", { toolCallId, toolCallName: tool });
  emit("TOOL_CALL_ARGS", { toolCallId, delta: JSON.stringify(args) });
  emit("TOOL_CALL_END", { toolCallId });
  const result = await execute(args);
  emit("TOOL_CALL_RESULT", { messageId: randomUUID(), toolCallId, content: JSON.stringify(result) });
  return result;
}

async function run({ threadId, runId, messages }) {
  emit("RUN_STARTED", { threadId, runId });
  try {
    const delta = await answer(messages, call);
    emit("TEXT_MESSAGE_CHUNK", { messageId: randomUUID(), role: "assistant", delta });
    emit("RUN_FINISHED", { threadId, runId });
  } catch (error) {
    console.error(error);
    emit("RUN_ERROR", { message: String(error) });
  }
}

process.stdout.write("\n"); // The agent has started: the time of the first turn begins.
for await (const line of createInterface({ input: process.stdin })) {
  await run(JSON.parse(line));
}
