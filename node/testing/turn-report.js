// The report of a turn: what the agent of a test does while it works, with the times of this process.

/** @import { TurnInterrupt, TurnUsage } from "./types.js" */
/** @import { AgentSession } from "./agent-session.js" */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

import { UsageError, withoutOwnFrames, words } from "./errors.js";
import { encoded, short } from "./json.js";

/**
 * The place of code in a turn: the turn, and the call inside which the code runs.
 * @typedef {object} PlaceInTurn
 * @property {TurnReport} turn
 * @property {string | undefined} parent The id of the call.
 */

/**
 * An event with its time in the turn.
 * @typedef {{ type: string, at_ms: number, [key: string]: unknown }} ReportedEvent
 */

/**
 * An event of a call that is kept, with the id of the call.
 * @typedef {{ id: string, event: ReportedEvent }} HeldEvent
 */

/** All that a call shows. */
export const FACTS_OF_CALLS = ["calls", "arguments", "results", "call_ends", "call_times"];

/** The clock, also if a test replaces that of its process later. */
const now = performance.now.bind(performance);

/** @type {AsyncLocalStorage<PlaceInTurn>} */
const places = new AsyncLocalStorage();

/** The turns of this process that have not ended. @type {Set<TurnReport>} */
const running = new Set();

/**
 * The place of the code that asks; undefined outside of a turn. Some queues and pools lose the context of their caller: there it is
 * the only turn that runs.
 * @param {string} name The tool that is called.
 * @returns {PlaceInTurn | undefined}
 * @throws {UsageError} If several turns run, and the context does not say which one it is.
 */
export function placeInTurn(name) {
  const place = places.getStore();
  if (place !== undefined || running.size === 0) return place;
  if (running.size > 1) {
    // The agent may hide the error, and the call is then missing in one of them.
    const why = `a call to \`${name}\` has lost its context, and belongs to one of ${running.size} turns`;
    for (const turn of running) turn.unread(`context:${name}`, FACTS_OF_CALLS, why, name);
    throw withoutOwnFrames(
      new UsageError(
        `the call to \`${name}\` belongs to one of ${running.size} turns that run, and its context is lost: ` +
          "run these sessions one after the other, or bind what calls it with `AsyncResource.bind`",
      ),
    );
  }
  const [turn] = running;
  return turn === undefined ? undefined : { turn, parent: undefined };
}

/** The report of one turn of an agent of this process. */
export class TurnReport {
  #session;
  #number;
  #signal;
  #began = now();
  #isOver = false;
  /** The id of the message that the next piece of text belongs to. @type {string | undefined} */
  #message;
  /** Events that wait for their place. @type {HeldEvent[] | undefined} */
  #held;
  /** @type {{ [key: string]: unknown }[]} */
  #interrupts = [];
  /** The names of an agent's tools, of which each is one object. @type {ReadonlyMap<unknown, string>} */
  names = new Map();
  /** The first event that cannot be sent: the turn fails with it. @type {{ error: unknown } | undefined} */
  failure;

  /**
   * @param {AgentSession} session
   * @param {number} number The number of the turn in its session.
   * @param {AbortSignal} signal
   */
  constructor(session, number, signal) {
    this.#session = session;
    this.#number = number;
    this.#signal = signal;
    running.add(this);
    signal.addEventListener("abort", () => this.end(), { once: true });
  }

  /**
   * Executes code as a part of this turn.
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  within(work) {
    return places.run({ turn: this, parent: undefined }, work);
  }

  /** Ends the turn: ananke warns of what is reported from now on. It may be called twice. */
  end() {
    this.#isOver = true;
    running.delete(this);
  }

  /** The turn has ended. */
  get isOver() {
    return this.#isOver;
  }

  /** The answer to the program. */
  get answer() {
    const outcome = this.#interrupts.length > 0 ? "interrupted" : "finished";
    return { outcome, interrupts: this.#interrupts, at_ms: this.#now() };
  }

  /**
   * Reports a part of a message. The message ends at a call, or with the turn.
   * @param {string} delta
   */
  delta(delta) {
    this.#message ??= `message_${randomUUID()}`;
    this.#report({ type: "text", message_id: this.#message, delta });
  }

  /**
   * Reports a whole message.
   * @param {string} content
   * @param {number} [at] The time in the turn, in milliseconds.
   */
  message(content, at) {
    this.#message = undefined;
    if (content !== "") this.#report({ type: "text", message_id: `message_${randomUUID()}`, content }, at);
  }

  /**
   * Reports a call, unless it is known: an agent executes a call after it was approved.
   * @param {string} id
   * @param {string} name
   * @param {unknown} args
   * @param {{ parent?: string | undefined, at?: number | undefined }} [options]
   */
  call(id, name, args, { parent, at } = {}) {
    this.#message = undefined;
    if (this.#session.openCalls.has(id)) return;
    this.#session.openCalls.add(id);
    const reported = this.#copy("arguments", name, args ?? {});
    this.#report({ type: "call", id, name, arguments: reported, ...(parent === undefined ? {} : { parent }) }, at);
  }

  /**
   * Reports the result of a call.
   * @param {string} id
   * @param {string} name
   * @param {unknown} output
   * @param {{ isError?: boolean, at?: number | undefined }} [options]
   */
  result(id, name, output, { isError = false, at } = {}) {
    this.#message = undefined;
    this.#session.openCalls.delete(id);
    const reported = this.#copy("results", name, output ?? null);
    this.#report({ type: "result", id, output: reported, is_error: isError }, at);
  }

  /**
   * Executes a call, or its mock, and reports it. A function that returns no promise keeps to that.
   * @param {string} name
   * @param {unknown} args
   * @param {() => any} work
   * @param {string} [id]
   * @returns {any} What the function returns.
   */
  observe(name, args, work, id = `call_${randomUUID()}`) {
    const place = places.getStore();
    const later = place?.turn;
    // A tool set that the agent has kept from an earlier turn.
    if (this.#isOver && later !== undefined && later !== this && later.#session === this.#session) {
      return later.observe(name, args, work, id);
    }
    this.call(id, name, args, { parent: place?.turn === this ? place.parent : undefined });
    const inside = { turn: this, parent: id };
    const mock = this.#session.mockOf(name);
    const context = { name, toolCallId: id, signal: this.#signal };
    try {
      const output = places.run(inside, () => (mock === undefined ? work() : mock.call(name, /** @type {any} */ (args), context)));
      if (Object.prototype.toString.call(output) === "[object AsyncGenerator]") return this.#generated(inside, id, name, output);
      if (typeof output?.then === "function") {
        return output.then(
          (/** @type {unknown} */ value) => this.#ended(id, name, value),
          (/** @type {unknown} */ error) => this.#failed(id, name, error),
        );
      }
      return this.#ended(id, name, output);
    } catch (error) {
      return this.#failed(id, name, error);
    }
  }

  /**
   * The values that a tool yields; the last one is the result of the call.
   * @param {PlaceInTurn} inside
   * @param {string} id
   * @param {string} name
   * @param {AsyncGenerator<unknown>} generator
   */
  async *#generated(inside, id, name, generator) {
    let last;
    let isOpen = true;
    try {
      for (;;) {
        const { done, value } = await places.run(inside, () => generator.next());
        if (done) break;
        last = value;
        yield value;
      }
    } catch (error) {
      isOpen = false;
      this.#failed(id, name, error);
    } finally {
      if (isOpen) this.#ended(id, name, last);
      await generator.return?.(undefined);
    }
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {unknown} output
   */
  #ended(id, name, output) {
    this.result(id, name, output);
    return output;
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {unknown} error
   * @returns {never}
   */
  #failed(id, name, error) {
    this.result(id, name, { error: words(error) }, { isError: true });
    throw error;
  }

  /**
   * Adds something that the agent waits for.
   * @param {TurnInterrupt} interrupt
   * @returns {string} Its id.
   */
  ask({ id = `interrupt_${randomUUID()}`, reason, message, toolCallId }) {
    this.#interrupts.push({ id, reason, message, tool_call_id: toolCallId });
    return id;
  }

  /**
   * Reports tokens of a request to a model. They are added up; a number that is undefined is not known.
   * @param {TurnUsage} usage
   * @throws {TypeError} If one is not a number of tokens.
   */
  usage({ inputTokens, outputTokens, cachedInputTokens, model }) {
    for (const [key, tokens] of Object.entries({ inputTokens, outputTokens, cachedInputTokens })) {
      if (tokens !== undefined && !(Number.isSafeInteger(tokens) && tokens >= 0)) {
        throw withoutOwnFrames(new TypeError(`\`${key}\` is a number of tokens, this is ${short(tokens)}`));
      }
    }
    if (inputTokens === undefined && outputTokens === undefined) return;
    this.#report({ type: "usage", input_tokens: inputTokens, output_tokens: outputTokens, cached_tokens: cachedInputTokens, model });
  }

  /**
   * Reports reasoning, which is no part of what the agent says.
   * @param {string} delta
   * @param {number} [at]
   */
  reasoning(delta, at) {
    if (delta !== "") this.#report({ type: "reasoning", message_id: `reasoning_${randomUUID()}`, delta }, at);
  }

  /**
   * Reports that something cannot be seen: rules that rest on these facts, of the tool if it is of one, neither pass nor fail.
   * @param {string} name
   * @param {string[]} facts
   * @param {string} reason
   * @param {string} [tool]
   */
  unread(name, facts, reason, tool) {
    this.#report({ type: "unread", name, facts, reason, ...(tool === undefined ? {} : { tool }) });
  }

  /** Keeps calls and results until `takeHeld` or `release`: what the model said before them is known later. */
  hold() {
    this.#held ??= [];
  }

  /**
   * The events that are kept, in their order; from now on events are sent at once.
   * @returns {HeldEvent[]}
   */
  takeHeld() {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }

  /** Sends what is kept. */
  release() {
    this.send(this.takeHeld());
  }

  /**
   * Sends events that were kept.
   * @param {readonly HeldEvent[]} held
   */
  send(held) {
    for (const { event } of held) this.#send(event);
  }

  /** The time in the turn, in milliseconds. */
  #now() {
    return now() - this.#began;
  }

  /**
   * @param {{ type: string, id?: string, [key: string]: unknown }} event
   * @param {number} [at]
   */
  #report(event, at = this.#now()) {
    const timed = { ...event, at_ms: at };
    if (this.#held !== undefined && event.id !== undefined) this.#held.push({ id: event.id, event: timed });
    else this.#send(timed);
  }

  /** @param {ReportedEvent} event */
  #send(event) {
    try {
      this.#session.send(this.#number, event);
    } catch (error) {
      this.failure ??= { error };
    }
  }

  /**
   * A copy of a value, as it is now. Of a value that is not JSON it is what Node prints, and rules about it are not shown.
   * @param {"arguments" | "results"} fact
   * @param {string} tool
   * @param {unknown} value
   * @returns {unknown}
   */
  #copy(fact, tool, value) {
    try {
      return JSON.parse(encoded(value));
    } catch (error) {
      this.unread(`${fact}:${tool}`, [fact], words(error), tool);
      return short(value).toWellFormed();
    }
  }
}
