/**
 * The event of the protocol.
 * @param {any} event
 * @returns {RunEvent}
 */
export function fromProtocol(event: any): RunEvent;
/**
 * The event for the protocol.
 * @param {RunEvent} event
 * @returns {{ [key: string]: unknown }}
 * @throws {TypeError} If it has no type of events.
 */
export function toProtocol(event: RunEvent): {
    [key: string]: unknown;
};
/**
 * The interrupt of the protocol.
 * @param {any} interrupt
 * @returns {Interrupt}
 */
export function interruptFromProtocol({ id, reason, message, tool_call_id }: any): Interrupt;
/**
 * The event in a sentence.
 * @param {RunEvent} event
 * @returns {string}
 */
export function inSentence(event: RunEvent): string;
/**
 * The list of events, with a mark at one of them.
 * @param {readonly RunEvent[]} events
 * @param {readonly Interrupt[]} interrupts
 * @param {number} [marked]
 * @returns {string}
 */
export function listed(events: readonly RunEvent[], interrupts: readonly Interrupt[], marked?: number): string;
/**
 * The text without characters that change what a terminal shows.
 * @param {string} text
 * @returns {string}
 */
export function escaped(text: string): string;
export namespace KINDS {
    let message: "message";
    let function_call: "function call";
    let function_call_output: "function call output";
}
import type { RunEvent } from "./types.js";
import type { Interrupt } from "./types.js";
