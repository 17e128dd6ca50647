// Agents of this process that YAML tests know by a name.

/** @import { Agent } from "./types.js" */
/** @import { Connection } from "./connection.js" */

import { AgentSession, checkAgent } from "./agent-session.js";
import { SessionCallbacks } from "./callbacks.js";
import { typedWords, UsageError, withoutOwnFrames, words } from "./errors.js";
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
      try {
        checkAgent(agent);
      } catch (error) {
        throw withoutOwnFrames(new TypeError(`the agent \`${name}\` of \`agents\`: ${words(error)}`));
      }
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
      throw new UsageError(`${this.#unknown(name)}: name it in \`yamlTests(runner, { agents: { … } })\``);
    }
    const own = new AgentSession(this.#connection, session, agent);
    const callbacks = new SessionCallbacks(this.#connection, undefined, new Map(), own);
    callbacks.inWords = typedWords;
    this.#open.set(session, callbacks);
    return callbacks;
  }

  /**
   * The message about a name that no agent has.
   * @param {string} name
   */
  #unknown(name) {
    const names = [...this.#agents.keys()];
    if (names.length === 0) return `no agent is registered, so there is no \`${name}\``;
    const near = nearest(name, names);
    const question = near === undefined ? "" : ` Did you mean \`${near}\`?`;
    return `no agent \`${name}\` is registered.${question} Those of this process are ${names.map((other) => `\`${other}\``).join(", ")}`;
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

/**
 * The name that differs least from another one, if few of its characters do.
 * @param {string} name
 * @param {string[]} names
 */
function nearest(name, names) {
  const near = names.map((other) => ({ other, edits: editsBetween(name, other) })).sort((one, two) => one.edits - two.edits)[0];
  return near !== undefined && near.edits <= Math.ceil(name.length / 4) ? near.other : undefined;
}

/**
 * The number of characters to insert, remove or replace (Levenshtein).
 * @param {string} from
 * @param {string} to
 */
function editsBetween(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + (character === to[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
