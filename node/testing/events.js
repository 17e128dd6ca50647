// What an agent did in a run.

/** @import { Interrupt, RunEvent } from "./types.js" */

import { shown, short, truncated } from "./json.js";

/** How many characters of a text a message shows. */
const SHOWN = 100;

/** The types of events in words. */
export const KINDS = /** @type {const} */ ({
  message: "message",
  function_call: "function call",
  function_call_output: "function call output",
});

/**
 * The event of the protocol.
 * @param {any} event
 * @returns {RunEvent}
 */
export function fromProtocol(event) {
  const { type, name } = event;
  if (type === "message") return { type, role: event.role ?? "assistant", content: event.content };
  const id = event.tool_call_id == null ? {} : { toolCallId: event.tool_call_id };
  if (type === "function_call") return { type, name, arguments: event.arguments ?? null, ...id };
  const time = event.execution_time_ms == null ? {} : { executionTimeMs: event.execution_time_ms };
  return { type, name, output: event.output ?? null, isError: event.is_error ?? false, ...id, ...time };
}

/**
 * The event for the protocol.
 * @param {RunEvent} event
 * @returns {{ [key: string]: unknown }}
 * @throws {TypeError} If it has no type of events.
 */
export function toProtocol(event) {
  switch (event?.type) {
    case "message":
      return { type: event.type, role: event.role, content: event.content };
    case "function_call":
      return { type: event.type, name: event.name, arguments: event.arguments, tool_call_id: event.toolCallId };
    case "function_call_output":
      return {
        type: event.type,
        name: event.name,
        output: event.output,
        is_error: event.isError,
        tool_call_id: event.toolCallId,
        execution_time_ms: event.executionTimeMs,
      };
    default:
      throw new TypeError(`${short(event)} is not an event: its \`type\` is one of ${Object.keys(KINDS).join(", ")}`);
  }
}

/**
 * The interrupt of the protocol.
 * @param {any} interrupt
 * @returns {Interrupt}
 */
export function interruptFromProtocol({ id, reason, message, tool_call_id }) {
  return {
    id,
    ...(reason == null ? {} : { reason }),
    ...(message == null ? {} : { message }),
    ...(tool_call_id == null ? {} : { toolCallId: tool_call_id }),
  };
}

/**
 * The event in a sentence.
 * @param {RunEvent} event
 * @returns {string}
 */
export function inSentence(event) {
  if (event.type === "message") return `a message of the ${event.role} \`${truncated(event.content, SHOWN)}\``;
  return event.type === "function_call" ? `a call to ${event.name}` : `an output of ${event.name}`;
}

/**
 * The event on a line of a list.
 * @param {RunEvent} event
 * @returns {string}
 */
function line(event) {
  let text;
  if (event.type === "message") text = `message (${event.role}): ${event.content}`;
  else if (event.type === "function_call") text = `function call: ${event.name}(${shown(event.arguments)})`;
  else text = `function call output: ${event.name} → ${event.isError ? "error: " : ""}${shown(event.output)}`;
  return truncated(truncated(text, 20 * SHOWN).trim().split(/\s+/).join(" "), 2 * SHOWN);
}

/**
 * The list of events, with a mark at one of them.
 * @param {readonly RunEvent[]} events
 * @param {readonly Interrupt[]} interrupts
 * @param {number} [marked]
 * @returns {string}
 */
export function listed(events, interrupts, marked) {
  const lines = [events.length === 0 ? "events: none" : "events:"];
  events.forEach((event, index) => lines.push(`${index === marked ? ">" : " "} ${index + 1}  ${line(event)}`));
  for (const { id, message } of interrupts) {
    lines.push(`waiting for an answer to the interrupt \`${id}\`${message ? `: ${message}` : ""}`);
  }
  return escaped(lines.join("\n"));
}

// Controls, marks of direction, invisible characters, separators of lines, and halves of surrogate pairs.
const HARMFUL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * The text without characters that change what a terminal shows.
 * @param {string} text
 * @returns {string}
 */
export function escaped(text) {
  return text.replace(HARMFUL, (character) => `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`);
}
