// The agent of a session, if it runs in the process of the test.

/** @import { Agent, TurnAnswer, ToolFunction } from "./types.js" */
/** @import { Connection } from "./connection.js" */
/** @import { EarlierTurn } from "./origin.js" */

import { reportOutput } from "./agent-output.js";
import { AiSdkAgent } from "./ai-sdk.js";
import { UsageError, withoutOwnFrames } from "./errors.js";
import { fromProtocol } from "./events.js";
import { short } from "./json.js";
import { MockedTools } from "./mocks.js";
import { TurnReport } from "./turn-report.js";
import { Turn } from "./turn.js";

/**
 * The begin of a turn.
 * @typedef {object} TurnBegin
 * @property {string | undefined} input The text of the user; undefined if the turn answers interrupts.
 * @property {TurnAnswer[]} answers
 * @property {AbortSignal} signal
 */

/**
 * An agent in one conversation: `names` are the tools that it executes, if it has a list of them.
 * @typedef {object} AgentAdapter
 * @property {readonly string[]} [names]
 * @property {(report: TurnReport, begin: TurnBegin) => Promise<void>} turn
 */

/** Shapes of agents that have no adapter, and the names of their frameworks. @type {[string, string][]} */
const WITHOUT_ADAPTER = [
  ["listTools", "Mastra"],
  ["handoffs", "the OpenAI Agents SDK"],
  ["getState", "LangGraph"],
];

/** The agent of a session: its turns, its mocks, and what it reports. */
export class AgentSession {
  #connection;
  #name;
  /** @type {AgentAdapter} */
  #adapter;
  /** @type {MockedTools[]} */
  #mocks = [];
  /** The turns so far. @type {readonly EarlierTurn[]} */
  earlier = [];
  /** The calls that have no result yet. @type {Set<string>} */
  openCalls = new Set();

  /**
   * @param {Connection} connection
   * @param {string} name The session in the protocol.
   * @param {Agent} agent
   */
  constructor(connection, name, agent) {
    this.#connection = connection;
    this.#name = name;
    this.#adapter = this.#adapterOf(agent);
  }

  /**
   * @param {any} agent
   * @returns {AgentAdapter}
   */
  #adapterOf(agent) {
    if (typeof agent === "function") {
      const memory = {};
      return {
        turn: async (report, begin) => {
          const turn = new Turn(report, this.earlier, { ...begin, memory });
          await reportOutput(report, await report.within(() => agent(turn)));
        },
      };
    }
    return new AiSdkAgent(agent);
  }

  /**
   * Executes a turn. `before` is the turn before in a test of a project, which has no other result.
   * @param {{ turn: number, input?: string, answers?: TurnAnswer[], before?: { input?: string, events: any[] } }} params
   * @param {AbortSignal} signal
   * @returns {Promise<{ [key: string]: unknown }>} The answer to the program.
   */
  async turn({ turn, input, answers = [], before }, signal) {
    if (before !== undefined) {
      this.earlier = [...this.earlier, { userInput: before.input, events: before.events.map(fromProtocol) }];
    }
    const report = new TurnReport(this, turn, signal);
    try {
      await this.#adapter.turn(report, { input, answers, signal });
    } finally {
      // Of a turn that was cancelled nothing is read any more.
      if (!report.isOver) report.release();
      report.end();
    }
    if (report.failure !== undefined) throw report.failure.error;
    return report.answer;
  }

  /**
   * Sends an event of a turn.
   * @param {number} turn
   * @param {{ [key: string]: unknown }} event
   * @throws {TypeError} If it is too long.
   */
  send(turn, event) {
    this.#connection.notify("agent/event", { session: this.#name, turn, event });
  }

  /**
   * Replaces tools by their names. A function as the agent may call any name.
   * @param {{ [name: string]: ToolFunction }} mocks
   * @returns {MockedTools}
   * @throws {UsageError} If the agent has a list of tools, and there is no such tool; then nothing is replaced.
   */
  mock(mocks) {
    const mocked = new MockedTools(mocks, async () => {
      this.#mocks = this.#mocks.filter((other) => other !== mocked);
    });
    const { names } = this.#adapter;
    const unknown = names === undefined ? undefined : mocked.names.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      const has = names?.length === 0 ? "it has none" : `its tools are ${names?.map((name) => `\`${name}\``).join(", ")}`;
      throw withoutOwnFrames(new UsageError(`the agent executes no tool \`${unknown}\`: ${has}`));
    }
    this.#mocks.push(mocked);
    return mocked;
  }

  /**
   * The mock of a tool: of several, the last one.
   * @param {string} name
   */
  mockOf(name) {
    return this.#mocks.findLast((mocked) => mocked.names.includes(name));
  }
}

/**
 * Checks that a value is an agent.
 * @param {any} agent
 * @throws {TypeError} If it is not one, with what is possible.
 */
export function checkAgent(agent) {
  if (typeof agent === "function") {
    if (agent.length <= 1) return;
    throw withoutOwnFrames(new TypeError(`an agent is a function of one \`turn\`, this one has ${agent.length} parameters`));
  }
  const without = WITHOUT_ADAPTER.find(([key]) => typeof agent === "object" && agent !== null && key in agent);
  if (without === undefined && AiSdkAgent.isOne(agent)) return;
  const found = without === undefined ? short(agent) : `an agent of ${without[1]}, which has no adapter`;
  throw withoutOwnFrames(
    new TypeError(
      `an agent is a function of one \`turn\`, or an agent of AI SDK such as a \`ToolLoopAgent\`, this is ${found}: ` +
        "any other agent runs inside a function, `(turn) => …`",
    ),
  );
}
