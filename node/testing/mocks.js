// Tools that are replaced for a while.

/** @import { Json, ToolCallContext, ToolFunction } from "./types.js" */

import { short } from "./json.js";

/** Replaced tools, which know their calls. */
export class MockedTools {
  /** @type {Map<string, ToolFunction>} */
  #functions;
  /** @type {Map<string, { [name: string]: Json }[]>} */
  #calls = new Map();
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
   */
  calls(name) {
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
    return this.calls(name).length;
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
    this.calls(name).push(structuredClone(args));
    return this.#functions.get(name)?.(args, context);
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
