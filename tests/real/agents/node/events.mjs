// The words that scenes are written with: each makes the events of one thing that an agent does.

import { EventType, PROTOCOL_VERSION } from "@ag-ui/core";

/** The user message that every scene answers by telling what it was sent: the state and the history of the client. */
export const RECITE = "Recite what you were sent.";

export const event = (type, fields) => ({ type: EventType[type], ...fields });

export const started = ({ threadId, runId }, more) =>
  event("RUN_STARTED", { threadId, runId, protocolVersion: PROTOCOL_VERSION, ...more });

export const finished = ({ threadId, runId }, more) => event("RUN_FINISHED", { threadId, runId, ...more });

/** A run from its start to its end, around what happens in it; `end` is what more its end says. */
export const run = (input, events, end) => [started(input), ...events, finished(input, end)];

/** A message of the assistant, in these pieces. */
export const says = (messageId, ...deltas) => [
  event("TEXT_MESSAGE_START", { messageId, role: "assistant" }),
  ...deltas.map((delta) => event("TEXT_MESSAGE_CONTENT", { messageId, delta })),
  event("TEXT_MESSAGE_END", { messageId }),
];

/** A call, its arguments in these pieces. */
export const calls = (toolCallId, toolCallName, ...deltas) => [
  event("TOOL_CALL_START", { toolCallId, toolCallName }),
  ...deltas.map((delta) => event("TOOL_CALL_ARGS", { toolCallId, delta })),
  event("TOOL_CALL_END", { toolCallId }),
];

/** What came of a call. */
export const result = (toolCallId, content) =>
  event("TOOL_CALL_RESULT", { messageId: `result-of-${toolCallId}`, toolCallId, content, role: "tool" });

/** An assistant's message of the history that makes calls: `[id, name, arguments text]` each. */
export const calling = (id, ...made) => ({
  id,
  role: "assistant",
  toolCalls: made.map(([id, name, text]) => ({ id, type: "function", function: { name, arguments: text } })),
});

/** Tells what the client sent: state, tools, forwarded properties, messages; not the ids of the user's messages. */
export function recital(input) {
  const lines = [`state ${JSON.stringify(input.state)}`];
  if (input.tools.length > 0) lines.push(`tools ${input.tools.map(({ name }) => name).join(" ")}`);
  if (input.context.length > 0) lines.push(`context ${JSON.stringify(input.context)}`);
  if (Object.keys(input.forwardedProps ?? {}).length > 0) lines.push(`props ${JSON.stringify(input.forwardedProps)}`);
  for (const message of input.messages.slice(0, -1)) lines.push(...told(message));
  return run(input, says(`recital-${input.messages.length}`, lines.join("\n")));
}

function told({ id, role, content, toolCallId, toolCalls = [], ...rest }) {
  const who = role === "user" ? role : role === "tool" ? `${role} ${id} of ${toolCallId}` : `${role} ${id}`;
  const lines = [];
  if (content !== undefined || toolCalls.length === 0) lines.push(`${who}: ${shown(content)}`);
  for (const { id: callId, type: _type, function: made, ...more } of toolCalls) {
    lines.push(`${who} calls ${callId}: ${made.name}(${made.arguments})${besides(more)}`);
  }
  lines[0] += besides(rest);
  return lines;
}

const besides = (rest) => (Object.keys(rest).length > 0 ? ` and ${JSON.stringify(rest)}` : "");
const shown = (content) => (typeof content === "string" ? content : JSON.stringify(content));
