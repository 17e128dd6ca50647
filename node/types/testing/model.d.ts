/**
 * The next message of the assistant.
 * @param {FunctionModel} model
 * @param {ModelMessage[]} messages
 * @param {ModelTool[]} tools
 * @param {CallContext} context
 * @returns {Promise<{ [key: string]: unknown }>}
 * @throws {TypeError} If the function gave something else.
 */
export function replyOf(model: FunctionModel, messages: ModelMessage[], tools: ModelTool[], context: CallContext): Promise<{
    [key: string]: unknown;
}>;
import type { FunctionModel } from "./types.js";
import type { ModelMessage } from "./types.js";
import type { ModelTool } from "./types.js";
import type { CallContext } from "./types.js";
