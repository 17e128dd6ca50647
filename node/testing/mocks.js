// Tools that are replaced for a while.

/** @import { Json, ToolCallContext, ToolFunction } from "./types.js" */
/** @import { RecordedCall, RecordedOutput } from "./replayed-mocks.js" */

import { UsageError, withoutOwnFrames } from "./errors.js";
import { short } from "./json.js";
import { count } from "./replayed-mocks.js";

/** Replaced tools, which know their calls. */
export class MockedTools {
  /** @type {Map<string, ToolFunction>} */
  #functions;
  /** @type {Map<string, { [name: string]: Json }[]>} */
  #calls = new Map();
  /** The tools that were called with arguments that a recording does not have. @type {Set<string>} */
  #withoutArguments = new Set();
  #restore;

  /**
   * @param {{ [name: string]: ToolFunction }} mocks
   * @param {() => Promise<void>} restore
   * @throws {TypeError} If one is not a function.
   */
  constructor(mocks, restore) {
    this.#functions = new Map(Object.entries(mocks));
    for (const [name, mock] of this.#functions) {
      if (typeof mock !== "function") {
        throw new TypeError(`the mock of \`${name}\` is ${short(mock)}, not a function: \`() => …\` always gives the same`);
      }
      this.#calls.set(name, []);
    }
    this.#restore = restore;
  }

  /** The names of the tools. */
  get names() {
    return [...this.#functions.keys()];
  }

  /**
   * The arguments of each call to a tool, in their order.
   * @param {string} name
   * @returns {{ [name: string]: Json }[]}
   * @throws {UsageError} If they are those of a replay, and not objects.
   */
  calls(name) {
    const calls = this.#callsOf(name);
    if (!this.#withoutArguments.has(name)) return calls;
    throw withoutOwnFrames(new UsageError(`${withoutArguments(name)}: \`callCount\` alone is known`));
  }

  /** @param {string} name */
  #callsOf(name) {
    const calls = this.#calls.get(name);
    if (calls === undefined) {
      throw new TypeError(`\`${name}\` is not mocked here; the mocks are ${this.names.map((other) => `\`${other}\``).join(", ")}`);
    }
    return calls;
  }

  /**
   * How often a tool was called.
   * @param {string} name
   * @returns {number}
   */
  callCount(name) {
    return this.#callsOf(name).length;
  }

  /**
   * Executes a call.
   * @internal
   * @param {string} name
   * @param {{ [name: string]: Json }} args
   * @param {ToolCallContext} context
   * @returns {unknown}
   */
  call(name, args, context) {
    this.#callsOf(name).push(structuredClone(args));
    return this.#functions.get(name)?.(args, context);
  }

  /**
   * Adds a call of a recording. The function is not executed.
   * @internal
   * @param {RecordedCall} call
   * @param {RecordedOutput} output
   */
  replay({ name, arguments: recorded, toolCallId = "" }, output) {
    const isObject = typeof recorded === "object" && recorded !== null && !Array.isArray(recorded);
    if (!isObject) this.#withoutArguments.add(name);
    const args = /** @type {{ [name: string]: Json }} */ (isObject ? recorded : {});
    this.#callsOf(name).push(structuredClone(args));
    const context = { name, toolCallId, signal: new AbortController().signal };
    count(this.#functions.get(name), output, isObject ? structuredClone(args) : withoutArguments(name), context);
  }

  /** Gives the tools back. It may be called twice. */
  async restore() {
    await this.#restore();
  }

  /** Gives the tools back. */
  async [Symbol.asyncDispose]() {
    await this.restore();
  }
}

/** @param {string} name */
function withoutArguments(name) {
  return `the recording has a call to \`${name}\` whose arguments are not a JSON object, so they are not known in a replay`;
}
