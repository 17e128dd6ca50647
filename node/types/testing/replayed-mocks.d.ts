/**
 * Calls a mock function of vitest or of `node:test` once, with the recorded result instead of what it does. Another function is not called,
 * because it has no record of its calls.
 * @param {any} mock
 * @param {RecordedOutput} output
 * @param {unknown} args
 * @param {ToolCallContext} context
 */
export function count(mock: any, output: RecordedOutput, args: unknown, context: ToolCallContext): void;
/** @import { Interrupt, PendingAnswer, RunEvent, ToolCallContext } from "./types.js" */
/** @import { AgentSession } from "./agent-session.js" */
/**
 * A call of a recording.
 * @typedef {Extract<RunEvent, { type: "function_call" }>} RecordedCall
 */
/**
 * The result of a call in a recording; undefined if there is none.
 * @typedef {Extract<RunEvent, { type: "function_call_output" }> | undefined} RecordedOutput
 */
/** The mocks of one session that is replayed. */
export class ReplayedMocks {
    /** @param {AgentSession} agent */
    constructor(agent: AgentSession);
    /**
     * Takes the answers to interrupts: a call that is denied is not executed.
     * @param {readonly PendingAnswer[]} answers
     */
    answer(answers: readonly PendingAnswer[]): void;
    /**
     * Adds the calls of a turn to their mocks. The functions of the mocks are not executed.
     * @param {readonly RunEvent[]} events
     * @param {readonly Interrupt[]} [interrupts]
     */
    take(events: readonly RunEvent[], interrupts?: readonly Interrupt[]): void;
    #private;
}
/**
 * A call of a recording.
 */
export type RecordedCall = Extract<RunEvent, {
    type: "function_call";
}>;
/**
 * The result of a call in a recording; undefined if there is none.
 */
export type RecordedOutput = Extract<RunEvent, {
    type: "function_call_output";
}> | undefined;
import type { ToolCallContext } from "./types.js";
import type { PendingAnswer } from "./types.js";
import type { RunEvent } from "./types.js";
import type { Interrupt } from "./types.js";
import type { AgentSession } from "./agent-session.js";
