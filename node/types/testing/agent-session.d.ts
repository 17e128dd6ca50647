/**
 * Checks that a value is an agent.
 * @param {any} agent
 * @throws {TypeError} If it is not one, with what is possible.
 */
export function checkAgent(agent: any): void;
/** The agent of a session: its turns, its mocks, and what it reports. */
export class AgentSession {
    /**
     * @param {Connection} connection
     * @param {string} name The session in the protocol.
     * @param {Agent} agent
     */
    constructor(connection: Connection, name: string, agent: Agent);
    /** The turns so far. @type {readonly EarlierTurn[]} */
    earlier: readonly EarlierTurn[];
    /** The calls that have no result yet. @type {Set<string>} */
    openCalls: Set<string>;
    /**
     * Executes a turn. `before` is the turn before in a test of a project, which has no other result.
     * @param {{ turn: number, input?: string, answers?: TurnAnswer[], before?: { input?: string, events: any[] } }} params
     * @param {AbortSignal} signal
     * @returns {Promise<{ [key: string]: unknown }>} The answer to the program.
     */
    turn({ turn, input, answers, before }: {
        turn: number;
        input?: string;
        answers?: TurnAnswer[];
        before?: {
            input?: string;
            events: any[];
        };
    }, signal: AbortSignal): Promise<{
        [key: string]: unknown;
    }>;
    /**
     * Sends an event of a turn.
     * @param {number} turn
     * @param {{ [key: string]: unknown }} event
     * @throws {TypeError} If it is too long.
     */
    send(turn: number, event: {
        [key: string]: unknown;
    }): void;
    /**
     * Replaces tools by their names. A function as the agent may call any name.
     * @param {{ [name: string]: ToolFunction }} mocks
     * @returns {MockedTools}
     * @throws {UsageError} If the agent has a list of tools, and there is no such tool; then nothing is replaced.
     */
    mock(mocks: {
        [name: string]: ToolFunction;
    }): MockedTools;
    /**
     * The mock of a tool: of several, the last one.
     * @param {string} name
     */
    mockOf(name: string): MockedTools | undefined;
    #private;
}
/**
 * The begin of a turn.
 */
export type TurnBegin = {
    /**
     * The text of the user; undefined if the turn answers interrupts.
     */
    input: string | undefined;
    answers: TurnAnswer[];
    signal: AbortSignal;
};
/**
 * An agent in one conversation: `names` are the tools that it executes, if it has a list of them.
 */
export type AgentAdapter = {
    names?: readonly string[] | undefined;
    turn: (report: TurnReport, begin: TurnBegin) => Promise<void>;
};
import type { EarlierTurn } from "./origin.js";
import type { TurnAnswer } from "./types.js";
import type { ToolFunction } from "./types.js";
import { MockedTools } from "./mocks.js";
import type { Connection } from "./connection.js";
import type { Agent } from "./types.js";
import { TurnReport } from "./turn-report.js";
