// What tests print, and what failures say.

/** @import { Finding, Interrupt, RunEvent } from "./types.js" */

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

// The number of an event of the whole session, which no list of a failure has: before the text that is shown of the event.
const EVENT_NUMBER = /^([^:({]*?),? ?#\d+ ?/;

/**
 * A finding: its sentence, which says what was expected, and what was seen in addition to it.
 * @param {Finding} finding
 */
export function inWords({ message, type, status, expected, seen = [] }) {
  const sentence = message ?? type;
  // The sentence of a rule that could not be evaluated is about the facts that are missing.
  const missing = status === "not_shown" && expected ? `, expected ${expected}` : "";
  const more = seen.filter((part) => !sentence.includes(part)).map((part) => `  seen ${part.replace(EVENT_NUMBER, "$1")}`);
  return [`${sentence}${missing}`, ...more].join("\n");
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
