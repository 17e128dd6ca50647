/**
 * Whether the message does what the intent says, and the reason.
 * @param {Judge} judge
 * @param {RunResult} result
 * @param {ChatMessageEvent} message
 * @param {string} intent
 * @returns {Promise<{ passed: boolean, reason: string }>}
 * @throws {JudgeError} If the judge cannot be asked, or gives no clear verdict.
 * @throws {TypeError} If it is not a judge, or the agent itself.
 */
export function askJudge(judge: Judge, result: RunResult, message: ChatMessageEvent, intent: string): Promise<{
    passed: boolean;
    reason: string;
}>;
import type { Judge } from "./types.js";
import type { RunResult } from "./run-result.js";
import type { ChatMessageEvent } from "./types.js";
