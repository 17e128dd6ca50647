// What answers the requests of the program about one session: functions of the test, in the context of its run.

/** @import { FunctionModel } from "./types.js" */
/** @import { AgentSession } from "./agent-session.js" */
/** @import { Connection } from "./connection.js" */
/** @import { MockedTools } from "./mocks.js" */
/** @import { SessionTool } from "./tools.js" */

import { AsyncResource } from "node:async_hooks";

import { words } from "./errors.js";
import { replyOf } from "./model.js";

/** The functions of a session. */
export class SessionCallbacks {
  #connection;
  #model;
  #tools;
  #agent;
  /** @type {Map<number, AbortController>} */
  #running = new Map();
  /** @type {<T>(work: () => T) => T} */
  #inContext = (work) => work();

  /**
   * The mocks by their names in the protocol.
   * @type {Map<string, MockedTools>}
   */
  mocks = new Map();

  /**
   * What the model or the agent threw in this run. A judge may be asked again: the first error is the cause.
   * @type {{ error: unknown } | undefined}
   */
  failure;

  /** The error in the words of the report. A test of a project has nothing else of it. */
  inWords = words;

  /**
   * @param {Connection} connection
   * @param {FunctionModel | undefined} model
   * @param {Map<string, SessionTool>} tools
   * @param {AgentSession} [agent]
   */
  constructor(connection, model, tools, agent) {
    this.#connection = connection;
    this.#model = model;
    this.#tools = tools;
    this.#agent = agent;
  }

  /** Answers in the context of the caller from now on. */
  enter() {
    this.failure = undefined;
    this.#inContext = AsyncResource.bind((work) => work());
  }

  /**
   * Begins an answer.
   * @param {number} request
   * @param {string} method
   * @param {any} params
   */
  begin(request, method, params) {
    const controller = new AbortController();
    this.#running.set(request, controller);
    const answered = this.#inContext(() => this.#answer(request, method, params, controller.signal));
    answered.finally(() => this.#running.delete(request));
  }

  /**
   * Ends an answer that nothing waits for.
   * @param {number} request
   */
  cancel(request) {
    this.#running.get(request)?.abort();
  }

  /**
   * @param {number} request
   * @param {string} method
   * @param {any} params
   * @param {AbortSignal} signal
   * @returns {Promise<void>} It is never rejected.
   */
  async #answer(request, method, params, signal) {
    try {
      if (method === "model/call") {
        this.#connection.answer(request, { message: await this.#reply(params, signal) });
      } else if (method === "agent/turn" && this.#agent !== undefined) {
        this.#connection.answer(request, await this.#agent.turn(params, signal));
      } else if (method === "tool/call") {
        await this.#execute(request, params, signal);
      } else {
        throw new Error(`this package does not know \`${method}\``);
      }
    } catch (error) {
      if (method !== "tool/call") this.failure ??= { error };
      this.#connection.refuse(request, this.inWords(error));
    }
  }

  /**
   * @param {any} params
   * @param {AbortSignal} signal
   */
  async #reply({ messages, tools }, signal) {
    if (this.#model === undefined) throw new Error("only a model of this process is asked");
    return replyOf(this.#model, messages, tools, { signal });
  }

  /**
   * @param {number} request
   * @param {any} params
   * @param {AbortSignal} signal
   */
  async #execute(request, { name, arguments: args, tool_call_id: toolCallId, mock }, signal) {
    const context = { name, toolCallId, signal };
    const tool = this.#tools.get(name);
    const mocked = mock === undefined ? undefined : this.mocks.get(mock);
    tool?.check(args);
    if (mocked === undefined && tool === undefined) throw new Error(`there is no tool \`${name}\``);
    const output = (await (mocked === undefined ? tool?.execute(args, context) : mocked.call(name, args, context))) ?? null;
    try {
      this.#connection.answer(request, { output });
    } catch (error) {
      throw new Error(`the result of \`${name}\` is not JSON: ${words(error)}`, { cause: error });
    }
  }
}
