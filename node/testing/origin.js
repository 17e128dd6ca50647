// Where runs come from.

/** @import { Agent, FunctionModel, RunEvent, TargetKeys } from "./types.js" */
/** @import { Connection } from "./connection.js" */

/**
 * A turn of the same session before a run; without a text, it answers interrupts.
 * @typedef {object} EarlierTurn
 * @property {string | undefined} userInput
 * @property {readonly RunEvent[]} events
 */

/**
 * The session of a run: its agent and its program, the name of the run there, and the turns before it.
 * @typedef {object} RunOrigin
 * @property {string | TargetKeys | FunctionModel | Agent | undefined} agent
 * @property {string | undefined} config
 * @property {Connection} connection
 * @property {string} run
 * @property {readonly EarlierTurn[]} earlier
 */

/** @type {WeakMap<object, RunOrigin>} */
const origins = new WeakMap();

/**
 * The origin of a result; undefined if the result was made by hand.
 * @param {object} result
 */
export function originOf(result) {
  return origins.get(result);
}

/**
 * The result of a run of a session.
 * @template {object} R
 * @param {R} result
 * @param {RunOrigin} origin
 * @returns {R}
 */
export function withOrigin(result, origin) {
  origins.set(result, origin);
  return result;
}
