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
 * The session of a run: its agent and its program, and the name of the run there.
 */
export type RunOrigin = {
    agent: string | TargetKeys | FunctionModel | undefined;
    config: string | undefined;
    connection: Connection;
    run: string;
};
import type { TargetKeys } from "./types.js";
import type { FunctionModel } from "./types.js";
import type { Connection } from "./connection.js";
