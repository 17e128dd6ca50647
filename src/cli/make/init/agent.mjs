// The way from ananke to your agent: each run is a line on stdin, and its events are lines on stdout.
//
// Replace `answer` with your agent, and report each of its tool calls with `call`.

import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// Stdout is for events alone: what anything else logs goes to stderr.
console.log = console.info = console.error;

// Import your agent here, and make its clients: that is no time of a test, and they live as long as this program.

// A tool of the agent.
const getWeather = async ({ city }) => ({ city, sky: "clear" });

// The agent's answer to `messages`: what the user and the agent said so far, each with a `role` and a `content`.
// `request.messages` has the calls and their results as well; `request.threadId` is the conversation's id.
async function answer(messages, call, request) {
  const weather = await call("get_weather", { city: "Rome" }, getWeather);
  return `It is ${weather.sky} in ${weather.city}.`;
}

// What the user and the agent said: a history that frameworks take, without calls, results and other roles.
function texts(messages) {
  const said = [];
  for (const { role, content: written } of messages) {
    const content = Array.isArray(written) ? written.map((part) => part.text ?? "").join("") : (written ?? "");
    if (role === "user" || (role === "assistant" && content !== "")) {
      said.push({ role, content });
    }
  }
  return said;
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

// The error with its type, and with the line of this file in which it came up.
function described(error) {
  const [place] = String(error?.stack).match(new RegExp(`\\b${basename(fileURLToPath(import.meta.url))}:\\d+`)) ?? [];
  return place ? `${error} (${place})` : String(error);
}

async function run(request) {
  const { threadId, runId } = request;
  emit("RUN_STARTED", { threadId, runId });
  try {
    const delta = await answer(texts(request.messages), call, request);
    if (typeof delta !== "string") {
      throw new TypeError(`\`answer\` returned ${JSON.stringify(delta)}, which is no text`);
    }
    emit("TEXT_MESSAGE_CHUNK", { messageId: randomUUID(), role: "assistant", delta });
    emit("RUN_FINISHED", { threadId, runId });
  } catch (error) {
    console.error(error);
    emit("RUN_ERROR", { message: described(error) });
  }
}

process.stdout.write("\n"); // The agent has started: the time of the first turn begins.
for await (const line of createInterface({ input: process.stdin })) {
  await run(JSON.parse(line));
}

// Whatever still runs, such as a client of your agent, ends with the conversation.
process.stdout.write("", () => process.exit());
