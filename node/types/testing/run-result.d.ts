/** The events of a run. One that is made by hand can be asserted in the same way. */
export class RunResult {
    /**
     * @param {readonly RunEvent[]} events What the agent did, in its order.
     * @param {string} [userInput] The text of the user.
     * @param {readonly Interrupt[]} [interrupts] What the agent waits for at the end.
     */
    constructor(events: readonly RunEvent[], userInput?: string, interrupts?: readonly Interrupt[]);
    /** What the agent did, in its order. @type {readonly RunEvent[]} */
    events: readonly RunEvent[];
    /** The text of the user. @type {string | undefined} */
    userInput: string | undefined;
    /** What the agent waits for at the end; `session.resume` answers it. @type {readonly Interrupt[]} */
    interrupts: readonly Interrupt[];
    /** What is expected of the events. There is one cursor per result: what was looked at is passed. */
    get expect(): RunAssert;
    /**
     * What the rules of an assert block find, with the keys of `assertions` in the JSON report; empty if all pass. It may be applied
     * after the end of the session.
     * @param {string | { [rule: string]: unknown }} block YAML, as the `assert` of a turn in a test file, or the same as an object.
     * @returns {Promise<Finding[]>}
     * @throws {UsageError} If the block is wrong, with its place and what to do.
     * @throws {JudgeError} If a script or a judge cannot be asked, or gives no verdict.
     */
    findings(block: string | {
        [rule: string]: unknown;
    }): Promise<Finding[]>;
    /**
     * Applies the rules of an assert block, as `findings` does.
     * @param {string | { [rule: string]: unknown }} block
     * @returns {Promise<void>}
     * @throws {AssertionError} If a rule fails, or the events do not show whether it does.
     * @throws {UsageError} If the block is wrong.
     * @throws {JudgeError} If a script or a judge cannot be asked, or gives no verdict.
     */
    check(block: string | {
        [rule: string]: unknown;
    }): Promise<void>;
    #private;
}
import type { RunEvent } from "./types.js";
import type { Interrupt } from "./types.js";
import { RunAssert } from "./asserts.js";
import type { Finding } from "./types.js";
