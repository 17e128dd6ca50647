/**
 * Reports the value that an agent returned.
 * @param {TurnReport} report
 * @param {any} output
 * @returns {Promise<void>}
 * @throws {TypeError} If it is something else.
 */
export function reportOutput(report: TurnReport, output: any): Promise<void>;
/**
 * The conversation so far, with what the user says now as the last message.
 * @param {readonly EarlierTurn[]} earlier
 * @param {string | undefined} input
 * @returns {ModelMessage[]}
 */
export function chatMessages(earlier: readonly EarlierTurn[], input: string | undefined): ModelMessage[];
import type { TurnReport } from "./turn-report.js";
import type { EarlierTurn } from "./origin.js";
import type { ModelMessage } from "./types.js";
