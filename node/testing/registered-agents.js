// Agents of this process that YAML tests know by a name.

/** @import { Agent } from "./types.js" */
/** @import { Connection } from "./connection.js" */

import { AgentSession, checkAgent } from "./agent-session.js";
import { SessionCallbacks } from "./callbacks.js";
import { UsageError, withoutOwnFrames } from "./errors.js";
import { short } from "./json.js";

/** The agents that tests of one program may name, and their conversations. */
export class RegisteredAgents {
  #connection;
  /** @type {Map<string, Agent>} */
  #agents = new Map();
  /** The tests that have begun, by their sessions. @type {Map<string, SessionCallbacks>} */
  #open = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
  }

  /**
   * Adds agents by their names.
   * @param {{ [name: string]: Agent }} agents
   * @throws {TypeError} If one is no agent.
   * @throws {UsageError} If there is another agent of the same name.
   */
  add(agents) {
    if (typeof agents !== "object" || agents === null || Array.isArray(agents)) {
      throw withoutOwnFrames(new TypeError(`\`agents\` is an object with the name of each agent, this is ${short(agents)}`));
    }
    for (const [name, agent] of Object.entries(agents)) {
      checkAgent(agent);
      if ((this.#agents.get(name) ?? agent) !== agent) {
        throw withoutOwnFrames(new UsageError(`there is an agent \`${name}\` already: give the other one another name`));
      }
      this.#agents.set(name, agent);
    }
  }

  /**
   * Begins the conversation of a test.
   * @param {string} session
   * @param {string} name
   * @returns {SessionCallbacks}
   * @throws {UsageError} If no agent has this name.
   */
  begin(session, name) {
    const agent = this.#agents.get(name);
    if (agent === undefined) {
      const names = [...this.#agents.keys()].map((other) => `\`${other}\``);
      const known = names.length === 0 ? "none is" : `those of this process are ${names.join(", ")}`;
      throw new UsageError(`no agent \`${name}\` is registered, ${known}: name it in \`yamlTests(runner, { agents: { … } })\``);
    }
    const own = new AgentSession(this.#connection, session, agent);
    const callbacks = new SessionCallbacks(this.#connection, undefined, new Map(), own);
    this.#open.set(session, callbacks);
    return callbacks;
  }

  /**
   * Ends the conversation of a test.
   * @param {string | undefined} session
   * @returns {{ error: unknown } | undefined} What its agent threw.
   */
  end(session = "") {
    const callbacks = this.#open.get(session);
    this.#open.delete(session);
    this.#connection.detach(session);
    return callbacks?.failure;
  }

  /** Ends those that have no result of their own, such as attempts that were repeated. */
  endAll() {
    for (const session of this.#open.keys()) this.end(session);
  }
}
