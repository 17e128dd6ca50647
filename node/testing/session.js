// Conversations with an agent.

/** @import { Json, PendingAnswer, RunEvent, RunOptions, SessionOptions, ToolFunction } from "./types.js" */
/** @import { Connection } from "./connection.js" */

import { resolve } from "node:path";

import { AgentSession, checkAgent } from "./agent-session.js";
import { SessionCallbacks } from "./callbacks.js";
import { configPath, connection } from "./connection.js";
import { AgentError, Code, ProgramError, publicError, RequestError, UsageError, withoutOwnFrames, words } from "./errors.js";
import { fromProtocol, interruptFromProtocol, listed } from "./events.js";
import { short } from "./json.js";
import { MockedTools } from "./mocks.js";
import { A_DIRECTORY, checkTexts } from "./options.js";
import { withOrigin } from "./origin.js";
import { RecordedIds } from "./recorded-ids.js";
import { ReplayedMocks } from "./replayed-mocks.js";
import { isVerbose, say, warn } from "./report.js";
import { RunResult } from "./run-result.js";
import { SessionTool } from "./tools.js";

const OPTIONS = ["target", "model", "agent", "instructions", "tools", "config", "callbackTimeoutMs", "record", "replay", "id"];

/** The recordings of this process. */
const recordedIds = new RecordedIds();

/** A conversation with an agent: `await using session = await TestSession.open({ target: "shop" })`. */
export class TestSession {
  #connection;
  #session;
  #callbacks;
  /** The agent, if it runs in this process. @type {AgentSession | undefined} */
  #inProcess;
  /** The mocks of such an agent in a replay. @type {ReplayedMocks | undefined} */
  #replayedMocks;
  #agent;
  #config;
  #isClosed = false;
  #isCancelled = false;
  #isBusy = false;
  /** The turns so far. @type {readonly import("./origin.js").EarlierTurn[]} */
  #earlier = [];
  /** The end of the runs so far: runs follow each other. @type {Promise<unknown>} */
  #turns = Promise.resolve();

  /**
   * @private
   * @param {Connection} program
   * @param {string} session
   * @param {SessionCallbacks} callbacks
   * @param {AgentSession | undefined} inProcess
   * @param {SessionOptions} options
   */
  constructor(program, session, callbacks, inProcess, options) {
    this.#connection = program;
    this.#session = session;
    this.#callbacks = callbacks;
    this.#inProcess = inProcess;
    if (inProcess !== undefined && options.replay !== undefined) this.#replayedMocks = new ReplayedMocks(inProcess);
    this.#agent = options.agent ?? options.model ?? options.target;
    this.#config = configPath(options.config);
  }

  /**
   * Begins a conversation with an agent of this process, a target of the config, a target in place, or a model that is a function of the
   * test.
   * @param {SessionOptions} [options]
   * @returns {Promise<TestSession>}
   * @throws {UsageError} If something is wrong with the target, its tools or its config.
   * @throws {ProgramError} If the program `ananke` cannot be started.
   */
  static async open(options = {}) {
    const tools = checkedOptions(options);
    const { target, model, agent, instructions, config, callbackTimeoutMs, record, replay, id } = options;
    const forget = record !== undefined && id !== undefined ? recordedIds.take(resolve(record), id) : () => {};
    try {
      const program = await connection(configPath(config));
      const { session } = await program.call("session/open", {
        ...(agent !== undefined ? { agent: "external" } : model !== undefined ? { agent: "caller" } : { target }),
        instructions,
        ...(agent === undefined ? { tools: [...tools.values()].map((tool) => tool.declaration()) } : {}),
        callback_timeout_ms: callbackTimeoutMs,
        ...(record === undefined ? {} : { record: resolve(record) }),
        ...(replay === undefined ? {} : { replay: resolve(replay) }),
        id,
      });
      const inProcess = agent === undefined ? undefined : new AgentSession(program, session, agent);
      const callbacks = new SessionCallbacks(program, model, tools, inProcess);
      program.attach(session, callbacks);
      return new TestSession(program, session, callbacks, inProcess, options);
    } catch (error) {
      forget();
      throw publicError(error);
    }
  }

  /**
   * Says something to the agent, and waits for the end of its turn. A second call waits for the first.
   * @param {string} input
   * @param {RunOptions} [options]
   * @returns {Promise<RunResult>}
   * @throws {AgentError} If the turn does not end as it should; an error of the model itself is thrown as it is.
   */
  async run(input, options) {
    if (typeof input !== "string") throw withoutOwnFrames(new TypeError(`the input of the user is a text, this is ${short(input)}`));
    return this.#turn("session/run", { input }, input, options?.signal);
  }

  /**
   * Answers what the agent waits for (`result.interrupts`), and waits for the end of its turn.
   * @param {PendingAnswer | PendingAnswer[]} answers
   * @param {RunOptions} [options]
   * @returns {Promise<RunResult>}
   * @throws {AgentError} As `run`, also if the answers do not match what is open.
   */
  async resume(answers, options) {
    const given = Array.isArray(answers) ? answers : [answers];
    this.#replayedMocks?.answer(given);
    return this.#turn("session/resume", { answers: given }, undefined, options?.signal);
  }

  /**
   * Replaces client-side tools, or those of an agent of this process, by their names; their declarations stay. Mocks nest: the last one gets the calls.
   * @param {{ [name: string]: ToolFunction }} mocks
   * @returns {Promise<MockedTools>}
   * @throws {UsageError} If there is no such tool; then nothing is replaced.
   */
  async mockTools(mocks) {
    if (this.#inProcess !== undefined) {
      this.#checkOpen();
      return this.#inProcess.mock(mocks);
    }
    /** @type {string | undefined} */
    let name;
    const mocked = new MockedTools(mocks, async () => {
      const mock = name;
      name = undefined;
      if (mock === undefined) return;
      if (!this.#isClosed && !this.#connection.isOver) await this.#ask("session/unmock", { session: this.#session, mock });
      this.#callbacks.mocks.delete(mock);
    });
    const { mock } = await this.#ask("session/mock", { session: this.#session, tools: mocked.names });
    name = mock;
    this.#callbacks.mocks.set(mock, mocked);
    return mocked;
  }

  /**
   * Everything that was said and done so far, with the messages of the user.
   * @returns {Promise<RunEvent[]>}
   */
  async history() {
    return (await this.#ask("session/history", { session: this.#session })).events.map(fromProtocol);
  }

  /**
   * The agent's state after the last run; null if there is none.
   * @returns {Promise<Json>}
   */
  async state() {
    return (await this.#ask("session/state", { session: this.#session })).state;
  }

  /** Ends the conversation. A run that goes on is cancelled: it is an `AgentError`. It may be called twice. */
  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isBusy) this.#connection.send("session/cancel", { session: this.#session });
    try {
      warn(await this.#connection.call("session/close", { session: this.#session }));
    } catch (error) {
      const isOver = error instanceof ProgramError || (error instanceof RequestError && error.code === Code.cancelled);
      if (!isOver) throw publicError(error);
    } finally {
      this.#connection.detach(this.#session);
    }
  }

  /** Ends the conversation. */
  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /**
   * @param {string} method
   * @param {{ [key: string]: unknown }} params
   * @param {string | undefined} input
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<RunResult>}
   */
  async #turn(method, params, input, signal) {
    const previous = this.#turns;
    let end = () => {};
    this.#turns = Promise.all([previous, new Promise((resolve) => (end = () => resolve(undefined)))]);
    let answer;
    try {
      signal?.throwIfAborted();
      await orAborted(previous, signal);
      this.#checkOpen();
      if (this.#isCancelled) {
        throw withoutOwnFrames(new AgentError("the session is over, since a run was cancelled: open another one"));
      }
      this.#callbacks.enter();
      this.#isBusy = true;
      answer = await this.#cancellable(this.#connection.call(method, { session: this.#session, ...params }), signal);
    } catch (error) {
      if (error instanceof RequestError) await this.#replayMocksOfFailed();
      throw signal?.aborted && error === signal.reason ? error : this.#failed(error);
    } finally {
      this.#isBusy = false;
      end();
    }
    warn(answer);
    const result = withOrigin(
      new RunResult(answer.events.map(fromProtocol), input, answer.interrupts.map(interruptFromProtocol)),
      { agent: this.#agent, config: this.#config, connection: this.#connection, run: answer.run, earlier: this.#earlier },
    );
    this.#replayedMocks?.take(result.events, result.interrupts);
    this.#earlier = [...this.#earlier, { userInput: input, events: [...result.events] }];
    if (this.#inProcess !== undefined) this.#inProcess.earlier = this.#earlier;
    if (isVerbose()) say(`user: ${input ?? "(answers)"}\n${listed(result.events, result.interrupts)}`);
    return result;
  }

  /** Adds the calls of a turn that failed in its recording to their mocks. */
  async #replayMocksOfFailed() {
    if (this.#replayedMocks === undefined) return;
    try {
      const { events } = await this.#connection.call("session/history", { session: this.#session });
      const own = events.filter((/** @type {any} */ { type, role }) => !(type === "message" && role === "user")).map(fromProtocol);
      const before = this.#earlier.reduce((count, turn) => count + turn.events.length, 0);
      this.#replayedMocks.take(own.slice(before));
    } catch {
      // The error of the turn says more.
    }
  }

  /**
   * The answer; if the signal aborts before it comes, the session is cancelled.
   * @param {Promise<any>} answer
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<any>}
   */
  async #cancellable(answer, signal) {
    const cancel = () => {
      this.#isCancelled = true;
      this.#connection.send("session/cancel", { session: this.#session });
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await orAborted(answer, signal);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  #checkOpen() {
    if (this.#isClosed) throw withoutOwnFrames(new UsageError("the session is closed: open another one"));
  }

  /**
   * @param {string} method
   * @param {{ [key: string]: unknown }} params
   * @returns {Promise<any>}
   */
  async #ask(method, params) {
    this.#checkOpen();
    try {
      return await this.#connection.call(method, params);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /**
   * @param {unknown} error
   * @returns {unknown}
   */
  #failed(error) {
    const failure = this.#callbacks.failure;
    if (this.#inProcess !== undefined && error instanceof RequestError && error.message.startsWith("timeout after ")) {
      const [time] = error.message.split(": ");
      const limit = `${time}, which \`callbackTimeoutMs\` of the session sets (default: 10 minutes); what the agent does from now on is not seen`;
      return withoutOwnFrames(new AgentError(limit));
    }
    if (failure === undefined || !(error instanceof RequestError) || error.code !== Code.agent) return publicError(error);
    const cause = failure.error;
    // An assertion in a model or an agent is not one of the test.
    const isAssertion = cause instanceof Error && cause.name.startsWith("AssertionError");
    if (cause instanceof Error && !isAssertion) return cause;
    const who = this.#inProcess === undefined ? "model" : "agent";
    return withoutOwnFrames(new AgentError(`the ${who} failed: ${words(cause)}`, { cause }));
  }
}

/**
 * The result of a promise, or the reason of the signal as soon as it aborts.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
async function orAborted(promise, signal) {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * The tools of the options.
 * @param {SessionOptions} options
 * @returns {Map<string, SessionTool>}
 * @throws {TypeError} If an option is wrong.
 */
function checkedOptions(options) {
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw withoutOwnFrames(new TypeError(`a session has no option \`${unknown}\`: the options are ${OPTIONS.join(", ")}`));
  }
  const { agent, model, target, tools = {} } = options;
  if ([agent, model, target].filter((given) => given !== undefined).length > 1) {
    throw withoutOwnFrames(new TypeError("the agent is a `target`, a `model` or an `agent`, only one of them"));
  }
  if (agent !== undefined) {
    checkAgent(agent);
    const own = ["tools", "instructions"].find((key) => options[/** @type {"tools" | "instructions"} */ (key)] !== undefined);
    if (own !== undefined) throw withoutOwnFrames(new TypeError(`an \`agent\` of the test has \`${own}\` of its own: leave the option out`));
  }
  if (model !== undefined && typeof model !== "function") {
    throw withoutOwnFrames(new TypeError(`the model is a function of messages and tools, this is ${short(model)}`));
  }
  checkTexts(options, { record: A_DIRECTORY, replay: A_DIRECTORY, id: "the name of a recording" });
  if (typeof tools !== "object" || tools === null || Array.isArray(tools)) {
    throw withoutOwnFrames(new TypeError(`the tools are an object with the name of each, this is ${short(tools)}`));
  }
  return new Map(Object.entries(tools).map(([name, tool]) => [name, new SessionTool(name, tool)]));
}
