/** A conversation with an agent: `await using session = await TestSession.open({ target: "shop" })`. */
export class TestSession {
    /**
     * Begins a conversation with an agent of this process, a target of the config, a target in place, or a model that is a function of the
     * test.
     * @param {SessionOptions} [options]
     * @returns {Promise<TestSession>}
     * @throws {UsageError} If something is wrong with the target, its tools or its config.
     * @throws {ProgramError} If the program `ananke` cannot be started.
     */
    static open(options?: SessionOptions): Promise<TestSession>;
    /**
     * @private
     * @param {Connection} program
     * @param {string} session
     * @param {SessionCallbacks} callbacks
     * @param {AgentSession | undefined} inProcess
     * @param {SessionOptions} options
     */
    private constructor();
    /**
     * Says something to the agent, and waits for the end of its turn. A second call waits for the first.
     * @param {string} input
     * @param {RunOptions} [options]
     * @returns {Promise<RunResult>}
     * @throws {AgentError} If the turn does not end as it should; an error of the model itself is thrown as it is.
     */
    run(input: string, options?: RunOptions): Promise<RunResult>;
    /**
     * Answers what the agent waits for (`result.interrupts`), and waits for the end of its turn.
     * @param {PendingAnswer | PendingAnswer[]} answers
     * @param {RunOptions} [options]
     * @returns {Promise<RunResult>}
     * @throws {AgentError} As `run`, also if the answers do not match what is open.
     */
    resume(answers: PendingAnswer | PendingAnswer[], options?: RunOptions): Promise<RunResult>;
    /**
     * Replaces client-side tools, or those of an agent of this process, by their names; their declarations stay. Mocks nest: the last one gets the calls.
     * @param {{ [name: string]: ToolFunction }} mocks
     * @returns {Promise<MockedTools>}
     * @throws {UsageError} If there is no such tool; then nothing is replaced.
     */
    mockTools(mocks: {
        [name: string]: ToolFunction;
    }): Promise<MockedTools>;
    /**
     * Everything that was said and done so far, with the messages of the user.
     * @returns {Promise<RunEvent[]>}
     */
    history(): Promise<RunEvent[]>;
    /**
     * The agent's state after the last run; null if there is none.
     * @returns {Promise<Json>}
     */
    state(): Promise<Json>;
    /** Ends the conversation. A run that goes on is cancelled: it is an `AgentError`. It may be called twice. */
    close(): Promise<void>;
    /** Ends the conversation. */
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
import type { RunOptions } from "./types.js";
import { RunResult } from "./run-result.js";
import type { PendingAnswer } from "./types.js";
import type { ToolFunction } from "./types.js";
import { MockedTools } from "./mocks.js";
import type { RunEvent } from "./types.js";
import type { Json } from "./types.js";
import type { SessionOptions } from "./types.js";
