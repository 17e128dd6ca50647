// What tests print, and what failures say.

/** @import { Interrupt, RunEvent } from "./types.js" */

import { escaped, listed } from "./events.js";

/**
 * The text of an AssertionError: with the list of events, and a mark at the one that is wrong.
 * @param {{ events: readonly RunEvent[], interrupts: readonly Interrupt[] }} result
 * @param {string} message
 * @param {number} [marked]
 */
export function failureOf(result, message, marked) {
  return `${escaped(message)}\n\n${listed(result.events, result.interrupts, marked)}`;
}

/**
 * Warns of what came too late in a turn.
 * @param {{ warnings?: string[] }} answer
 */
export function warn({ warnings = [] }) {
  for (const warning of warnings) process.emitWarning(escaped(warning), "AnankeWarning");
}

/** Whether events and what judges said are printed. */
export function isVerbose() {
  return process.env.ANANKE_TESTING_VERBOSE === "1";
}

/**
 * Prints a text, if that is wanted.
 * @param {string} text
 */
export function say(text) {
  if (isVerbose()) console.log(escaped(text));
}
