/** The agents that tests of one program may name, and their conversations. */
export class RegisteredAgents {
    /** @param {Connection} connection */
    constructor(connection: Connection);
    /**
     * Adds agents by their names.
     * @param {{ [name: string]: Agent }} agents
     * @throws {TypeError} If one is no agent.
     * @throws {UsageError} If there is another agent of the same name.
     */
    add(agents: {
        [name: string]: Agent;
    }): void;
    /**
     * Begins the conversation of a test.
     * @param {string} session
     * @param {string} name
     * @returns {SessionCallbacks}
     * @throws {UsageError} If no agent has this name.
     */
    begin(session: string, name: string): SessionCallbacks;
    /**
     * Ends the conversation of a test.
     * @param {string | undefined} session
     * @returns {{ error: unknown } | undefined} What its agent threw.
     */
    end(session?: string | undefined): {
        error: unknown;
    } | undefined;
    /** Ends those that have no result of their own, such as attempts that were repeated. */
    endAll(): void;
    #private;
}
import type { Agent } from "./types.js";
import { SessionCallbacks } from "./callbacks.js";
import type { Connection } from "./connection.js";
