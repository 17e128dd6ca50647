/**
 * The text of an AssertionError: with the list of events, and a mark at the one that is wrong.
 * @param {{ events: readonly RunEvent[], interrupts: readonly Interrupt[] }} result
 * @param {string} message
 * @param {number} [marked]
 */
export function failureOf(result: {
    events: readonly RunEvent[];
    interrupts: readonly Interrupt[];
}, message: string, marked?: number): string;
/**
 * Warns of what came too late in a turn.
 * @param {{ warnings?: string[] }} answer
 */
export function warn({ warnings }: {
    warnings?: string[];
}): void;
/** Whether events and what judges said are printed. */
export function isVerbose(): boolean;
/**
 * Prints a text, if that is wanted.
 * @param {string} text
 */
export function say(text: string): void;
import type { RunEvent } from "./types.js";
import type { Interrupt } from "./types.js";
