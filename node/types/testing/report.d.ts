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
/** Whether events and what judges said are printed. */
export function isVerbose(): boolean;
/**
 * Prints a text, if that is wanted.
 * @param {string} text
 */
export function say(text: string): void;
import type { RunEvent } from "./types.js";
import type { Interrupt } from "./types.js";
