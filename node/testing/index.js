// Conversations with agents in tests of vitest and node:test. `docs/node.md` explains them.

/** @import * as types from "./types.js" */

export { ANY } from "./asserts.js";
export { AgentError, AnankeError, JudgeError, ProgramError, UsageError } from "./errors.js";
export { RunResult } from "./run-result.js";
export { TestSession } from "./session.js";
export { yamlTests } from "./yaml-tests.js";
