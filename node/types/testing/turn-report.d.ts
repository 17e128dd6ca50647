/**
 * The place of the code that asks; undefined outside of a turn. Some queues and pools lose the context of their caller: there it is
 * the only turn that runs.
 * @param {string} name The tool that is called.
 * @returns {PlaceInTurn | undefined}
 * @throws {UsageError} If several turns run, and the context does not say which one it is.
 */
export function placeInTurn(name: string): PlaceInTurn | undefined;
/**
 * The place of code in a turn: the turn, and the call inside which the code runs.
 * @typedef {object} PlaceInTurn
 * @property {TurnReport} turn
 * @property {string | undefined} parent The id of the call.
 */
/**
 * An event with its time in the turn.
 * @typedef {{ type: string, at_ms: number, [key: string]: unknown }} ReportedEvent
 */
/**
 * An event of a call that is kept, with the id of the call.
 * @typedef {{ id: string, event: ReportedEvent }} HeldEvent
 */
/** All that a call shows. */
export const FACTS_OF_CALLS: string[];
/** The report of one turn of an agent of this process. */
export class TurnReport {
    /**
     * @param {AgentSession} session
     * @param {number} number The number of the turn in its session.
     * @param {AbortSignal} signal
     */
    constructor(session: AgentSession, number: number, signal: AbortSignal);
    /** The names of an agent's tools, of which each is one object. @type {ReadonlyMap<unknown, string>} */
    names: ReadonlyMap<unknown, string>;
    /** The first event that cannot be sent: the turn fails with it. @type {{ error: unknown } | undefined} */
    failure: {
        error: unknown;
    } | undefined;
    /**
     * Executes code as a part of this turn.
     * @template T
     * @param {() => T} work
     * @returns {T}
     */
    within<T>(work: () => T): T;
    /** Ends the turn: ananke warns of what is reported from now on. It may be called twice. */
    end(): void;
    /** The turn has ended. */
    get isOver(): boolean;
    /** The answer to the program. */
    get answer(): {
        outcome: string;
        interrupts: {
            [key: string]: unknown;
        }[];
        at_ms: number;
    };
    /**
     * Reports a part of a message. The message ends at a call, or with the turn.
     * @param {string} delta
     */
    delta(delta: string): void;
    /**
     * Reports a whole message.
     * @param {string} content
     * @param {number} [at] The time in the turn, in milliseconds.
     */
    message(content: string, at?: number): void;
    /**
     * Reports a call, unless it is known: an agent executes a call after it was approved.
     * @param {string} id
     * @param {string} name
     * @param {unknown} args
     * @param {{ parent?: string | undefined, at?: number | undefined }} [options]
     */
    call(id: string, name: string, args: unknown, { parent, at }?: {
        parent?: string | undefined;
        at?: number | undefined;
    }): void;
    /**
     * Reports the result of a call.
     * @param {string} id
     * @param {string} name
     * @param {unknown} output
     * @param {{ isError?: boolean, at?: number | undefined }} [options]
     */
    result(id: string, name: string, output: unknown, { isError, at }?: {
        isError?: boolean;
        at?: number | undefined;
    }): void;
    /**
     * Executes a call, or its mock, and reports it. A function that returns no promise keeps to that.
     * @param {string} name
     * @param {unknown} args
     * @param {() => any} work
     * @param {string} [id]
     * @returns {any} What the function returns.
     */
    observe(name: string, args: unknown, work: () => any, id?: string): any;
    /**
     * Adds something that the agent waits for.
     * @param {TurnInterrupt} interrupt
     * @returns {string} Its id.
     */
    ask({ id, reason, message, toolCallId }: TurnInterrupt): string;
    /**
     * Reports tokens of a request to a model. They are added up; a number that is undefined is not known.
     * @param {TurnUsage} usage
     * @throws {TypeError} If one is not a number of tokens.
     */
    usage({ inputTokens, outputTokens, cachedInputTokens, model }: TurnUsage): void;
    /**
     * Reports reasoning, which is no part of what the agent says.
     * @param {string} delta
     * @param {number} [at]
     */
    reasoning(delta: string, at?: number): void;
    /**
     * Reports that something cannot be seen: rules that rest on these facts, of the tool if it is of one, neither pass nor fail.
     * @param {string} name
     * @param {string[]} facts
     * @param {string} reason
     * @param {string} [tool]
     */
    unread(name: string, facts: string[], reason: string, tool?: string): void;
    /** Keeps calls and results until `takeHeld` or `release`: what the model said before them is known later. */
    hold(): void;
    /**
     * The events that are kept, in their order; from now on events are sent at once.
     * @returns {HeldEvent[]}
     */
    takeHeld(): HeldEvent[];
    /** Sends what is kept. */
    release(): void;
    /**
     * Sends events that were kept.
     * @param {readonly HeldEvent[]} held
     */
    send(held: readonly HeldEvent[]): void;
    #private;
}
/**
 * The place of code in a turn: the turn, and the call inside which the code runs.
 */
export type PlaceInTurn = {
    turn: TurnReport;
    /**
     * The id of the call.
     */
    parent: string | undefined;
};
/**
 * An event with its time in the turn.
 */
export type ReportedEvent = {
    type: string;
    at_ms: number;
    [key: string]: unknown;
};
/**
 * An event of a call that is kept, with the id of the call.
 */
export type HeldEvent = {
    id: string;
    event: ReportedEvent;
};
import type { TurnInterrupt } from "./types.js";
import type { TurnUsage } from "./types.js";
import type { AgentSession } from "./agent-session.js";
