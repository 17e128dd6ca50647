// Replies of models that are functions of a test.

/** @import { CallContext, FunctionModel, ModelMessage, ModelTool } from "./types.js" */

import { randomUUID } from "node:crypto";

import { encoded, short } from "./json.js";

const A_REPLY =
  'a reply is a text, or a message with `content` (a text), `tool_calls` or both: { content: "Hello" } or ' +
  '{ tool_calls: [{ function: { name: "add", arguments: { a: 1 } } }] }';

/**
 * The next message of the assistant.
 * @param {FunctionModel} model
 * @param {ModelMessage[]} messages
 * @param {ModelTool[]} tools
 * @param {CallContext} context
 * @returns {Promise<{ [key: string]: unknown }>}
 * @throws {TypeError} If the function gave something else.
 */
export async function replyOf(model, messages, tools, context) {
  return asMessage(await model(messages, tools, context));
}

/**
 * A reply as a message.
 * @param {unknown} reply
 * @returns {{ [key: string]: unknown }}
 */
function asMessage(reply) {
  if (typeof reply === "string") return { content: reply };
  if (typeof reply !== "object" || reply === null) throw new TypeError(`the model replied with ${short(reply)}: ${A_REPLY}`);
  const { content, tool_calls: calls } = /** @type {{ content?: unknown, tool_calls?: unknown }} */ (reply);
  if (content != null && typeof content !== "string") {
    throw new TypeError(`the \`content\` of the reply is ${short(content)}: ${A_REPLY}`);
  }
  if (calls != null && !Array.isArray(calls)) throw new TypeError(`the \`tool_calls\` of the reply are ${short(calls)}: ${A_REPLY}`);
  if (content == null && (calls == null || calls.length === 0)) {
    throw new TypeError(`the reply ${short(reply)} has neither \`content\` nor \`tool_calls\`: ${A_REPLY}`);
  }
  return {
    ...(content == null ? {} : { content }),
    ...(calls == null || calls.length === 0 ? {} : { tool_calls: calls.map(asCall) }),
  };
}

/** @param {any} call */
function asCall(call) {
  const name = call?.function?.name;
  if (typeof name !== "string") throw new TypeError(`the call ${short(call)} has no \`function\` with a \`name\`: ${A_REPLY}`);
  const args = call.function.arguments ?? "{}";
  return {
    id: call.id == null ? `call_${randomUUID()}` : String(call.id),
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : argumentsOf(args) },
  };
}

/** @param {unknown} args */
function argumentsOf(args) {
  try {
    return encoded(args);
  } catch (error) {
    throw new TypeError(`the arguments ${short(args)} of a call are not JSON`, { cause: error });
  }
}
