/**
 * A function as a tool that sessions see. In a turn of an agent its call is reported, and it may be mocked; outside of a session it is
 * the function itself. The arguments are the keys of a first parameter that is an object, or the parameters by their names.
 * @template {(...args: any[]) => any} F
 * @param {string} name
 * @param {F} execute
 * @returns {F}
 * @throws {TypeError} If it has no name, or is not a function.
 */
export function tool<F extends (...args: any[]) => any>(name: string, execute: F): F;
/** A turn of a conversation: what the user said, and what the agent reports. */
export class Turn {
    /**
     * @internal
     * @param {TurnReport} report
     * @param {readonly EarlierTurn[]} earlier
     * @param {{ input: string | undefined, answers: TurnAnswer[], memory: { [name: string]: any }, signal: AbortSignal }} given
     */
    constructor(report: TurnReport, earlier: readonly EarlierTurn[], { input, answers, memory, signal }: {
        input: string | undefined;
        answers: TurnAnswer[];
        memory: {
            [name: string]: any;
        };
        signal: AbortSignal;
    });
    /** The text of the user; undefined if the turn answers interrupts. @type {string | undefined} */
    input: string | undefined;
    /** The answers to the interrupts of the last turn. @type {readonly TurnAnswer[]} */
    answers: readonly TurnAnswer[];
    /** A place of the session's own, for a history in the form of a framework. @type {{ [name: string]: any }} */
    memory: {
        [name: string]: any;
    };
    /** Aborts when the turn is cancelled. @type {AbortSignal} */
    signal: AbortSignal;
    /** The conversation as chat completions have it, the new message last, with calls and results of earlier turns. */
    get messages(): ModelMessage[];
    /**
     * Calls a function, or its mock, and reports the call.
     * @template {ToolFunction} F
     * @param {string} name
     * @param {{ [name: string]: any }} args
     * @param {F} execute
     * @returns {Promise<Awaited<ReturnType<F>>>}
     */
    call<F extends ToolFunction>(name: string, args: {
        [name: string]: any;
    }, execute: F): Promise<Awaited<ReturnType<F>>>;
    /**
     * The tools of AI SDK with an `execute` that is reported; the given ones are not changed. Calls to a tool without `execute` are not seen, so
     * rules about them neither pass nor fail.
     * @template {{ [name: string]: any }} T
     * @param {T} tools
     * @returns {T}
     */
    tools<T extends {
        [name: string]: any;
    }>(tools: T): T;
    /**
     * Ends the turn with something that the agent waits for; the test answers it with `session.resume`.
     * @param {TurnInterrupt} [interrupt]
     * @returns {string} The id of the interrupt.
     */
    interrupt(interrupt?: TurnInterrupt): string;
    /**
     * Adds tokens of a request to a model. A number that is missing is not known.
     * @param {TurnUsage} usage
     */
    usage(usage: TurnUsage): void;
    #private;
}
import type { TurnAnswer } from "./types.js";
import type { ModelMessage } from "./types.js";
import type { ToolFunction } from "./types.js";
import type { TurnInterrupt } from "./types.js";
import type { TurnUsage } from "./types.js";
import type { TurnReport } from "./turn-report.js";
import type { EarlierTurn } from "./origin.js";
