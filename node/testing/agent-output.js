// Values that agents of a test return and yield, and conversations as chat completions have them.

/** @import { ModelMessage } from "./types.js" */
/** @import { EarlierTurn } from "./origin.js" */
/** @import { TurnReport } from "./turn-report.js" */

import { randomUUID } from "node:crypto";

import { short } from "./json.js";

const POSSIBLE =
  'it may return a text, nothing, a message of chat completions such as { role: "assistant", content: "Hello" }, or a list of the new ' +
  'messages; and yield texts, messages, and events such as { type: "function_call", name: "add", arguments: { a: 1 } }';

/**
 * Reports the value that an agent returned.
 * @param {TurnReport} report
 * @param {any} output
 * @returns {Promise<void>}
 * @throws {TypeError} If it is something else.
 */
export async function reportOutput(report, output) {
  if (output == null) return;
  if (typeof output === "string") report.message(output);
  else if (Array.isArray(output)) output.forEach((message) => reportPart(report, message));
  else if (typeof output[Symbol.asyncIterator] === "function") await reportYielded(report, output[Symbol.asyncIterator]());
  else if (typeof output[Symbol.iterator] === "function") await reportYielded(report, output[Symbol.iterator]());
  else reportPart(report, output);
}

/**
 * Reports the values that a generator yields, in the context of the turn.
 * @param {TurnReport} report
 * @param {Iterator<unknown> | AsyncIterator<unknown>} iterator
 */
async function reportYielded(report, iterator) {
  try {
    while (!report.isOver) {
      const { done, value } = await report.within(() => iterator.next());
      if (done) return await reportOutput(report, value);
      if (typeof value === "string") report.delta(value);
      else reportPart(report, value);
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Reports a message of chat completions, or an event.
 * @param {TurnReport} report
 * @param {any} part
 */
function reportPart(report, part) {
  if (part?.role === "assistant") reportMessage(report, part);
  else if (part?.role === "tool" && typeof part.tool_call_id === "string") {
    report.result(part.tool_call_id, part.name ?? part.tool_call_id, parsed(part.content));
  } else if (part?.type === "message" && typeof part.content === "string" && part.role === undefined) report.message(part.content);
  else if (part?.type === "function_call" && typeof part.name === "string") {
    report.call(part.toolCallId ?? `call_${randomUUID()}`, part.name, part.arguments);
  } else if (part?.type === "function_call_output" && typeof part.toolCallId === "string") {
    report.result(part.toolCallId, part.name ?? part.toolCallId, part.output, { isError: part.isError });
  } else throw new TypeError(`the agent gave ${short(part)}: ${POSSIBLE}`);
}

/**
 * @param {TurnReport} report
 * @param {any} message
 */
function reportMessage(report, message) {
  const { content, tool_calls: calls } = message;
  const isMessage = (content == null || typeof content === "string") && (calls == null || Array.isArray(calls));
  if (!isMessage) throw new TypeError(`the agent gave ${short(message)}: ${POSSIBLE}`);
  if (content != null) report.message(content);
  for (const call of calls ?? []) {
    const name = call?.function?.name;
    if (typeof name !== "string") throw new TypeError(`the call ${short(call)} has no \`function\` with a \`name\`: ${POSSIBLE}`);
    report.call(call.id ?? `call_${randomUUID()}`, name, parsed(call.function.arguments ?? "{}"));
  }
}

/**
 * The value of a text that is JSON; any other value as it is.
 * @param {unknown} value
 * @returns {unknown}
 */
function parsed(value) {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/**
 * The conversation so far, with what the user says now as the last message.
 * @param {readonly EarlierTurn[]} earlier
 * @param {string | undefined} input
 * @returns {ModelMessage[]}
 */
export function chatMessages(earlier, input) {
  /** @type {ModelMessage[]} */
  const messages = [];
  for (const { userInput, events } of earlier) {
    if (userInput !== undefined) messages.push({ role: "user", content: userInput });
    /** The message whose calls have no results yet. @type {ModelMessage | undefined} */
    let asking;
    const open = new Set();
    for (const event of events) {
      if (event.type === "message") {
        messages.push({ role: event.role, content: event.content });
        asking = event.role === "assistant" ? messages.at(-1) : undefined;
      } else if (event.type === "function_call") {
        if (asking === undefined) messages.push((asking = { role: "assistant", content: null }));
        const called = { name: event.name, arguments: JSON.stringify(event.arguments) };
        (asking.tool_calls ??= []).push({ id: event.toolCallId ?? "", type: "function", function: called });
        open.add(event.toolCallId);
      } else {
        const content = typeof event.output === "string" ? event.output : JSON.stringify(event.output);
        messages.push({ role: "tool", tool_call_id: event.toolCallId ?? "", content });
        open.delete(event.toolCallId);
        // Calls that overlap are those of one message: their results follow it.
        if (open.size === 0) asking = undefined;
      }
    }
  }
  if (input !== undefined) messages.push({ role: "user", content: input });
  return messages;
}
