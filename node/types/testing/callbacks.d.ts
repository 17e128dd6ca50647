/** The functions of a session. */
export class SessionCallbacks {
    /**
     * @param {Connection} connection
     * @param {FunctionModel | undefined} model
     * @param {Map<string, SessionTool>} tools
     * @param {AgentSession} [agent]
     */
    constructor(connection: Connection, model: FunctionModel | undefined, tools: Map<string, SessionTool>, agent?: AgentSession);
    /**
     * The mocks by their names in the protocol.
     * @type {Map<string, MockedTools>}
     */
    mocks: Map<string, MockedTools>;
    /**
     * What the model or the agent threw in this run. A judge may be asked again: the first error is the cause.
     * @type {{ error: unknown } | undefined}
     */
    failure: {
        error: unknown;
    } | undefined;
    /** The error in the words of the report. A test of a project has nothing else of it. */
    inWords: typeof words;
    /** Answers in the context of the caller from now on. */
    enter(): void;
    /**
     * Begins an answer.
     * @param {number} request
     * @param {string} method
     * @param {any} params
     */
    begin(request: number, method: string, params: any): void;
    /**
     * Ends an answer that nothing waits for.
     * @param {number} request
     */
    cancel(request: number): void;
    #private;
}
import type { MockedTools } from "./mocks.js";
import { words } from "./errors.js";
import type { Connection } from "./connection.js";
import type { FunctionModel } from "./types.js";
import type { SessionTool } from "./tools.js";
import type { AgentSession } from "./agent-session.js";
