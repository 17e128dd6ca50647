/** Any value of a filter that has another one after it: `isFunctionCallOutput(ANY, true)`. */
export const ANY: AnyValue;
/**
 * A message.
 * @extends {FoundEvent<ChatMessageEvent>}
 */
export class ChatMessageAssert extends FoundEvent<ChatMessageEvent> {
    /**
     * @param {RunResult} result
     * @param {number} index
     */
    constructor(result: RunResult, index: number);
    /**
     * Another model, or a target, decides whether the message does what `intent` says.
     * @param {Judge} judge The name of a target of the config, a target in place, or a function that is a model.
     * @param {{ intent: string }} options
     * @returns {Promise<this>}
     * @throws {AssertionError} If it does not, or is empty.
     * @throws {JudgeError} If the judge cannot be asked, or gives no clear verdict.
     * @throws {TypeError} If the intent is empty, or the judge is the session's own model.
     */
    judge(judge: Judge, options: {
        intent: string;
    }): Promise<this>;
    #private;
}
/**
 * A call to a tool.
 * @extends {FoundEvent<FunctionCallEvent>}
 */
export class FunctionCallAssert extends FoundEvent<FunctionCallEvent> {
    /**
     * @param {RunResult} result
     * @param {number} index
     */
    constructor(result: RunResult, index: number);
}
/**
 * The result of a call.
 * @extends {FoundEvent<FunctionCallOutputEvent>}
 */
export class FunctionCallOutputAssert extends FoundEvent<FunctionCallOutputEvent> {
    /**
     * @param {RunResult} result
     * @param {number} index
     */
    constructor(result: RunResult, index: number);
}
/**
 * An event whose type is to be asserted.
 * @extends {FoundEvent<RunEvent>}
 */
export class EventAssert extends FoundEvent<RunEvent> {
    /**
     * @param {RunResult} result
     * @param {number} index
     */
    constructor(result: RunResult, index: number);
    /**
     * It is a message, of `role` if that is given.
     * @param {[role?: MessageRole | AnyValue]} filters
     * @returns {ChatMessageAssert}
     */
    isMessage(role?: MessageRole | AnyValue | undefined): ChatMessageAssert;
    /**
     * It is a call, to `name` and with at least these arguments if they are given.
     * @param {[name?: string | AnyValue, args?: { [name: string]: unknown } | AnyValue]} filters
     * @returns {FunctionCallAssert}
     */
    isFunctionCall(name?: string | AnyValue | undefined, args?: AnyValue | {
        [name: string]: unknown;
    } | undefined): FunctionCallAssert;
    /**
     * It is the output of a call: exactly this one, and an error or not, if that is given.
     * @param {[output?: unknown, isError?: boolean | AnyValue]} filters
     * @returns {FunctionCallOutputAssert}
     */
    isFunctionCallOutput(output?: unknown, isError?: boolean | AnyValue | undefined): FunctionCallOutputAssert;
    #private;
}
/** Some of the events of a run, in which one is searched. */
export class EventRangeAssert {
    /**
     * @param {RunResult} result
     * @param {number} [begin]
     * @param {number} [end]
     */
    constructor(result: RunResult, begin?: number, end?: number);
    /** @protected @type {RunResult} */
    protected _result: RunResult;
    /**
     * The first message, of `role` if that is given.
     * @param {[role?: MessageRole | AnyValue]} filters
     * @returns {ChatMessageAssert}
     */
    containsMessage(role?: MessageRole | AnyValue | undefined): ChatMessageAssert;
    /**
     * The first call, to `name` and with at least these arguments if they are given.
     * @param {[name?: string | AnyValue, args?: { [name: string]: unknown } | AnyValue]} filters
     * @returns {FunctionCallAssert}
     */
    containsFunctionCall(name?: string | AnyValue | undefined, args?: AnyValue | {
        [name: string]: unknown;
    } | undefined): FunctionCallAssert;
    /**
     * The first output of a call: exactly this one, and an error or not, if that is given.
     * @param {[output?: unknown, isError?: boolean | AnyValue]} filters
     * @returns {FunctionCallOutputAssert}
     */
    containsFunctionCallOutput(output?: unknown, isError?: boolean | AnyValue | undefined): FunctionCallOutputAssert;
    #private;
}
/**
 * The assertion for an event of this type.
 * @typedef {object} AssertsByType
 * @property {ChatMessageAssert} message
 * @property {FunctionCallAssert} function_call
 * @property {FunctionCallOutputAssert} function_call_output
 */
/** What is expected of the events of a run, from the first one that was not looked at. */
export class RunAssert extends EventRangeAssert {
    /** @param {RunResult} result */
    constructor(result: RunResult);
    /**
     * The next event.
     * @overload
     * @returns {EventAssert}
     */
    nextEvent(): EventAssert;
    /**
     * The next event of a type; others are passed.
     * @template {EventType} T
     * @overload
     * @param {T} type
     * @returns {AssertsByType[T]}
     */
    nextEvent<T extends EventType>(type: T): AssertsByType[T];
    /**
     * Passes the next `count` events.
     * @param {number} [count]
     * @returns {this}
     */
    skipNext(count?: number): this;
    /** All events were looked at. */
    noMoreEvents(): void;
    /**
     * The event at an index; `at(-1)` is the last one.
     * @param {number} index
     * @returns {EventAssert}
     */
    at(index: number): EventAssert;
    /**
     * The events of a range, as `Array.prototype.slice` has it.
     * @param {number} [begin]
     * @param {number} [end]
     * @returns {EventRangeAssert}
     */
    slice(begin?: number, end?: number): EventRangeAssert;
    #private;
}
/**
 * The reason for which an event is not the expected one, with both values if they can be compared.
 */
export type Mismatch = {
    message: string;
    values?: {
        actual: unknown;
        expected: unknown;
    } | undefined;
};
/**
 * The assertion for an event of this type.
 */
export type AssertsByType = {
    message: ChatMessageAssert;
    function_call: FunctionCallAssert;
    function_call_output: FunctionCallOutputAssert;
};
/** The type of `ANY`. */
declare class AnyValue {
    toString(): "" | "any";
    #private;
}
import type { ChatMessageEvent } from "./types.js";
/**
 * The reason for which an event is not the expected one, with both values if they can be compared.
 * @typedef {object} Mismatch
 * @property {string} message
 * @property {{ actual: unknown, expected: unknown }} [values]
 */
/** @template {RunEvent} E */
declare class FoundEvent<E extends RunEvent> {
    /**
     * @param {RunResult} result
     * @param {number} index
     */
    constructor(result: RunResult, index: number);
    /** @protected @type {RunResult} */
    protected _result: RunResult;
    /** @protected @type {number} */
    protected _index: number;
    /**
     * The event.
     * @returns {E}
     */
    event(): E;
}
import type { Judge } from "./types.js";
import type { RunResult } from "./run-result.js";
import type { FunctionCallEvent } from "./types.js";
import type { FunctionCallOutputEvent } from "./types.js";
import type { RunEvent } from "./types.js";
import type { MessageRole } from "./types.js";
import type { EventType } from "./types.js";
export {};
