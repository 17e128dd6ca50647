/**
 * The origin of a result; undefined if the result was made by hand.
 * @param {object} result
 */
export function originOf(result: object): RunOrigin | undefined;
/**
 * The result of a run of a session.
 * @template {object} R
 * @param {R} result
 * @param {RunOrigin} origin
 * @returns {R}
 */
export function withOrigin<R extends object>(result: R, origin: RunOrigin): R;
/**
 * A turn of the same session before a run; without a text, it answers interrupts.
 */
export type EarlierTurn = {
    userInput: string | undefined;
    events: readonly RunEvent[];
};
/**
 * The session of a run: its agent and its program, the name of the run there, and the turns before it.
 */
export type RunOrigin = {
    agent: string | TargetKeys | FunctionModel | Agent | undefined;
    config: string | undefined;
    connection: Connection;
    run: string;
    earlier: readonly EarlierTurn[];
};
import type { RunEvent } from "./types.js";
import type { TargetKeys } from "./types.js";
import type { FunctionModel } from "./types.js";
import type { Agent } from "./types.js";
import type { Connection } from "./connection.js";
