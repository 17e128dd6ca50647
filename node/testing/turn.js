// The turn that an agent of a test gets.

/** @import { ModelMessage, ToolFunction, TurnAnswer, TurnInterrupt, TurnUsage } from "./types.js" */
/** @import { EarlierTurn } from "./origin.js" */
/** @import { TurnReport } from "./turn-report.js" */

import { randomUUID } from "node:crypto";

import { chatMessages } from "./agent-output.js";
import { withoutOwnFrames } from "./errors.js";
import { short } from "./json.js";
import { FACTS_OF_CALLS, placeInTurn } from "./turn-report.js";

/** A turn of a conversation: what the user said, and what the agent reports. */
export class Turn {
  #report;
  #earlier;
  /** @type {ModelMessage[] | undefined} */
  #messages;

  /**
   * @internal
   * @param {TurnReport} report
   * @param {readonly EarlierTurn[]} earlier
   * @param {{ input: string | undefined, answers: TurnAnswer[], memory: { [name: string]: any }, signal: AbortSignal }} given
   */
  constructor(report, earlier, { input, answers, memory, signal }) {
    this.#report = report;
    this.#earlier = earlier;
    /** The text of the user; undefined if the turn answers interrupts. @type {string | undefined} */
    this.input = input;
    /** The answers to the interrupts of the last turn. @type {readonly TurnAnswer[]} */
    this.answers = answers;
    /** A place of the session's own, for a history in the form of a framework. @type {{ [name: string]: any }} */
    this.memory = memory;
    /** Aborts when the turn is cancelled. @type {AbortSignal} */
    this.signal = signal;
  }

  /** The conversation as chat completions have it, the new message last, with calls and results of earlier turns. */
  get messages() {
    return (this.#messages ??= chatMessages(this.#earlier, this.input));
  }

  /**
   * Calls a function, or its mock, and reports the call.
   * @template {ToolFunction} F
   * @param {string} name
   * @param {{ [name: string]: any }} args
   * @param {F} execute
   * @returns {Promise<Awaited<ReturnType<F>>>}
   */
  async call(name, args, execute) {
    if (typeof execute !== "function") {
      throw withoutOwnFrames(new TypeError(`\`turn.call\` takes a name, arguments and a function, the function is ${short(execute)}`));
    }
    const id = `call_${randomUUID()}`;
    return this.#report.observe(name, args, () => execute(args, { name, toolCallId: id, signal: this.signal }), id);
  }

  /**
   * The tools of AI SDK with an `execute` that is reported; the given ones are not changed. Calls to a tool without `execute` are not seen, so
   * rules about them neither pass nor fail.
   * @template {{ [name: string]: any }} T
   * @param {T} tools
   * @returns {T}
   */
  tools(tools) {
    /** @type {{ [name: string]: any }} */
    const reported = {};
    for (const [name, tool] of Object.entries(tools)) {
      const isExecuted = typeof tool?.execute === "function";
      reported[name] = isExecuted ? this.#observed(name, tool) : tool;
      if (!isExecuted) this.#report.unread(`tool:${name}`, FACTS_OF_CALLS, "it has no `execute`: its provider or its client executes it", name);
    }
    return /** @type {T} */ (reported);
  }

  /**
   * @param {string} name
   * @param {any} tool
   */
  #observed(name, tool) {
    const execute = (/** @type {any} */ input, /** @type {any} */ options) =>
      this.#report.observe(name, input, () => tool.execute(input, options), options?.toolCallId);
    return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute });
  }

  /**
   * Ends the turn with something that the agent waits for; the test answers it with `session.resume`.
   * @param {TurnInterrupt} [interrupt]
   * @returns {string} The id of the interrupt.
   */
  interrupt(interrupt = {}) {
    return this.#report.ask(interrupt);
  }

  /**
   * Adds tokens of a request to a model. A number that is missing is not known.
   * @param {TurnUsage} usage
   */
  usage(usage) {
    this.#report.usage(usage);
  }
}

/** A list of parameters that are names, with or without a default. */
const PARAMETERS = /^(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*|[\w$]+\s*)?\(([^()]*)\)|^(?:async\s+)?([\w$]+)\s*=>/u;

/**
 * A function as a tool that sessions see. In a turn of an agent its call is reported, and it may be mocked; outside of a session it is
 * the function itself. The arguments are the keys of a first parameter that is an object, or the parameters by their names.
 * @template {(...args: any[]) => any} F
 * @param {string} name
 * @param {F} execute
 * @returns {F}
 * @throws {TypeError} If it has no name, or is not a function.
 */
export function tool(name, execute) {
  if (typeof name !== "string" || typeof execute !== "function") {
    throw withoutOwnFrames(new TypeError(`a tool is a name and a function, this is ${short(name)} and ${short(execute)}`));
  }
  return new Proxy(execute, {
    apply(target, self, given) {
      const place = placeInTurn(name);
      if (place === undefined) return Reflect.apply(target, self, given);
      return place.turn.observe(name, byName(target, given), () => Reflect.apply(target, self, given));
    },
  });
}

/**
 * The arguments of a call by their names; those without a name have their position.
 * @param {Function} execute
 * @param {unknown[]} given
 * @returns {{ [name: string]: unknown }}
 */
function byName(execute, given) {
  const [first] = given;
  if (typeof first === "object" && first !== null && !Array.isArray(first)) return /** @type {any} */ (first);
  const [, listed, single] = PARAMETERS.exec(Function.prototype.toString.call(execute)) ?? [];
  const names = (single ?? listed ?? "").split(",").map((parameter) => parameter.replace(/=.*/su, "").trim());
  /** @type {{ [name: string]: unknown }} */
  const args = {};
  given.forEach((value, index) => {
    const name = names[index];
    args[name !== undefined && /^[\w$]+$/u.test(name) ? name : String(index)] = value;
  });
  return args;
}
