/// <reference lib="esnext.disposable" preserve="true" />
// Conversations with agents in tests of vitest and node:test. `docs/node.md` explains them.

/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./types.js").JsonObject} JsonObject */
/** @typedef {import("./types.js").MessageRole} MessageRole */
/** @typedef {import("./types.js").ChatMessageEvent} ChatMessageEvent */
/** @typedef {import("./types.js").FunctionCallEvent} FunctionCallEvent */
/** @typedef {import("./types.js").FunctionCallOutputEvent} FunctionCallOutputEvent */
/** @typedef {import("./types.js").RunEvent} RunEvent */
/** @typedef {import("./types.js").EventType} EventType */
/** @typedef {import("./types.js").Interrupt} Interrupt */
/** @typedef {import("./types.js").PendingAnswer} PendingAnswer */
/** @typedef {import("./types.js").TargetKeys} TargetKeys */
/** @typedef {import("./types.js").CallContext} CallContext */
/** @typedef {import("./types.js").ToolCallContext} ToolCallContext */
/** @typedef {import("./types.js").ToolFunction} ToolFunction */
/** @typedef {import("./types.js").ToolDefinition} ToolDefinition */
/** @typedef {import("./types.js").ModelMessage} ModelMessage */
/** @typedef {import("./types.js").ModelTool} ModelTool */
/** @typedef {import("./types.js").ModelToolCall} ModelToolCall */
/** @typedef {import("./types.js").ModelReply} ModelReply */
/** @typedef {import("./types.js").FunctionModel} FunctionModel */
/** @typedef {import("./types.js").Judge} Judge */
/** @typedef {import("./types.js").Agent} Agent */
/** @typedef {import("./types.js").AgentFunction} AgentFunction */
/** @typedef {import("./types.js").AgentOutput} AgentOutput */
/** @typedef {import("./types.js").AgentPart} AgentPart */
/** @typedef {import("./types.js").AgentWithTools} AgentWithTools */
/** @typedef {import("./types.js").TurnAnswer} TurnAnswer */
/** @typedef {import("./types.js").TurnInterrupt} TurnInterrupt */
/** @typedef {import("./types.js").TurnUsage} TurnUsage */
/** @typedef {import("./types.js").SessionOptions} SessionOptions */
/** @typedef {import("./types.js").RunOptions} RunOptions */
/** @typedef {import("./types.js").Finding} Finding */
/** @typedef {import("./types.js").TestRunner} TestRunner */
/** @typedef {import("./types.js").YamlTestsOptions} YamlTestsOptions */
/** @typedef {import("./asserts.js").ChatMessageAssert} ChatMessageAssert */
/** @typedef {import("./asserts.js").EventAssert} EventAssert */
/** @typedef {import("./asserts.js").EventRangeAssert} EventRangeAssert */
/** @typedef {import("./asserts.js").FunctionCallAssert} FunctionCallAssert */
/** @typedef {import("./asserts.js").FunctionCallOutputAssert} FunctionCallOutputAssert */
/** @typedef {import("./asserts.js").RunAssert} RunAssert */
/** @typedef {import("./mocks.js").MockedTools} MockedTools */
/** @typedef {import("./turn.js").Turn} Turn */

import { startEarly } from "./connection.js";

export { ANY } from "./asserts.js";
export { AgentError, AnankeError, JudgeError, ProgramError, UsageError } from "./errors.js";
export { RunResult } from "./run-result.js";
export { TestSession } from "./session.js";
export { tool } from "./turn.js";
export { yamlTests } from "./yaml-tests.js";

startEarly();
