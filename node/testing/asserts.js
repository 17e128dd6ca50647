// What a test expects of the events of a run. What is not so is an AssertionError with the list of events.

/** @import { ChatMessageEvent, EventType, FunctionCallEvent, FunctionCallOutputEvent, Judge, MessageRole, RunEvent } from "./types.js" */
/** @import { RunResult } from "./run-result.js" */

import { assertionError, withoutOwnFrames } from "./errors.js";
import { inSentence, KINDS } from "./events.js";
import { isSameJson, shown, short } from "./json.js";
import { askJudge } from "./judge.js";
import { failureOf, say } from "./report.js";

/** The type of `ANY`. */
class AnyValue {
  // No other value has this type.
  #isAny = true;

  toString() {
    return this.#isAny ? "any" : "";
  }
}

/** Any value of a filter that has another one after it: `isFunctionCallOutput(ANY, true)`. */
export const ANY = new AnyValue();

/**
 * The reason for which an event is not the expected one, with both values if they can be compared.
 * @typedef {object} Mismatch
 * @property {string} message
 * @property {{ actual: unknown, expected: unknown }} [values]
 */

/** @template {RunEvent} E */
class FoundEvent {
  /** @protected @type {RunResult} */
  _result;
  /** @protected @type {number} */
  _index;

  /**
   * @param {RunResult} result
   * @param {number} index
   */
  constructor(result, index) {
    this._result = result;
    this._index = index;
  }

  /**
   * The event.
   * @returns {E}
   */
  event() {
    return /** @type {E} */ (this._result.events[this._index]);
  }
}

/**
 * A message.
 * @extends {FoundEvent<ChatMessageEvent>}
 */
export class ChatMessageAssert extends FoundEvent {
  /**
   * Another model, or a target, decides whether the message does what `intent` says.
   * @param {Judge} judge The name of a target of the config, a target in place, or a function that is a model.
   * @param {{ intent: string }} options
   * @returns {Promise<this>}
   * @throws {AssertionError} If it does not, or is empty.
   * @throws {JudgeError} If the judge cannot be asked, or gives no clear verdict.
   * @throws {TypeError} If the intent is empty, or the judge is the session's own model.
   */
  async judge(judge, options) {
    const intent = options?.intent;
    if (typeof intent !== "string" || intent.trim() === "") {
      throw withoutOwnFrames(new TypeError("the intent is empty: say what the message should do, as in `{ intent: \"greets\" }`"));
    }
    const message = this.event();
    if (message.content.trim() === "") {
      throw this.#rejected(`the message is empty: a judge is not asked about \`${intent}\``);
    }
    const { passed, reason } = await askJudge(judge, this._result, message, intent);
    say(`judge: ${passed ? "PASS" : "FAIL"}: ${reason}  (intent: ${intent})`);
    if (!passed) throw this.#rejected(`the judge rejects \`${intent}\`: ${reason}`);
    return this;
  }

  /** @param {string} message */
  #rejected(message) {
    return assertionError(failureOf(this._result, placed(this._result, this._index, message), this._index));
  }
}

/**
 * A call to a tool.
 * @extends {FoundEvent<FunctionCallEvent>}
 */
export class FunctionCallAssert extends FoundEvent {}

/**
 * The result of a call.
 * @extends {FoundEvent<FunctionCallOutputEvent>}
 */
export class FunctionCallOutputAssert extends FoundEvent {}

/**
 * An event whose type is to be asserted.
 * @extends {FoundEvent<RunEvent>}
 */
export class EventAssert extends FoundEvent {
  /**
   * It is a message, of `role` if that is given.
   * @param {[role?: MessageRole | AnyValue]} filters
   * @returns {ChatMessageAssert}
   */
  isMessage(...filters) {
    const [role] = checkedFilters(filters, ["role"]);
    this.#check(messageMismatch(this.event(), role));
    return new ChatMessageAssert(this._result, this._index);
  }

  /**
   * It is a call, to `name` and with at least these arguments if they are given.
   * @param {[name?: string | AnyValue, args?: { [name: string]: unknown } | AnyValue]} filters
   * @returns {FunctionCallAssert}
   */
  isFunctionCall(...filters) {
    const [name, args] = checkedFilters(filters, ["name", "args"]);
    this.#check(callMismatch(this.event(), name, checkedArguments(args)));
    return new FunctionCallAssert(this._result, this._index);
  }

  /**
   * It is the output of a call: exactly this one, and an error or not, if that is given.
   * @param {[output?: unknown, isError?: boolean | AnyValue]} filters
   * @returns {FunctionCallOutputAssert}
   */
  isFunctionCallOutput(...filters) {
    const [output, isError] = checkedFilters(filters, ["output", "isError"]);
    this.#check(outputMismatch(this.event(), output, isError));
    return new FunctionCallOutputAssert(this._result, this._index);
  }

  /** @param {Mismatch | undefined} mismatch */
  #check(mismatch) {
    if (mismatch === undefined) return;
    const message = placed(this._result, this._index, mismatch.message);
    throw assertionError(failureOf(this._result, message, this._index), mismatch.values);
  }
}

/** Some of the events of a run, in which one is searched. */
export class EventRangeAssert {
  /** @protected @type {RunResult} */
  _result;
  #begin;
  #end;

  /**
   * @param {RunResult} result
   * @param {number} [begin]
   * @param {number} [end]
   */
  constructor(result, begin, end) {
    this._result = result;
    this.#begin = begin;
    this.#end = end;
  }

  /**
   * The first message, of `role` if that is given.
   * @param {[role?: MessageRole | AnyValue]} filters
   * @returns {ChatMessageAssert}
   */
  containsMessage(...filters) {
    const [role] = checkedFilters(filters, ["role"]);
    const what = isAny(role) ? "a message" : `a message of the ${role}`;
    return new ChatMessageAssert(
      this._result,
      this.#find(what, (event) => messageMismatch(event, role)),
    );
  }

  /**
   * The first call, to `name` and with at least these arguments if they are given.
   * @param {[name?: string | AnyValue, args?: { [name: string]: unknown } | AnyValue]} filters
   * @returns {FunctionCallAssert}
   */
  containsFunctionCall(...filters) {
    const [name, args] = checkedFilters(filters, ["name", "args"]);
    const wanted = checkedArguments(args);
    const what = (isAny(name) ? "a function call" : `a call to ${name}`) + (wanted === undefined ? "" : ` with ${shown(wanted)}`);
    return new FunctionCallAssert(
      this._result,
      this.#find(what, (event) => callMismatch(event, name, wanted)),
    );
  }

  /**
   * The first output of a call: exactly this one, and an error or not, if that is given.
   * @param {[output?: unknown, isError?: boolean | AnyValue]} filters
   * @returns {FunctionCallOutputAssert}
   */
  containsFunctionCallOutput(...filters) {
    const [output, isError] = checkedFilters(filters, ["output", "isError"]);
    const error = isAny(isError) ? "" : isError ? " that is an error" : " that is no error";
    const what = `a function call output${isAny(output) ? "" : ` ${shown(output)}`}${error}`;
    return new FunctionCallOutputAssert(
      this._result,
      this.#find(what, (event) => outputMismatch(event, output, isError)),
    );
  }

  /**
   * @param {string} what
   * @param {(event: RunEvent) => Mismatch | undefined} mismatch
   * @returns {number}
   */
  #find(what, mismatch) {
    const events = this._result.events;
    const indices = [...events.keys()].slice(this.#begin, this.#end);
    const found = indices.find((index) => mismatch(/** @type {RunEvent} */ (events[index])) === undefined);
    if (found !== undefined) return found;
    throw assertionError(failureOf(this._result, `expected ${what} in ${counted(indices.length)}, found none`));
  }
}

/**
 * The assertion for an event of this type.
 * @typedef {object} AssertsByType
 * @property {ChatMessageAssert} message
 * @property {FunctionCallAssert} function_call
 * @property {FunctionCallOutputAssert} function_call_output
 */

/** What is expected of the events of a run, from the first one that was not looked at. */
export class RunAssert extends EventRangeAssert {
  #cursor = 0;

  /** @param {RunResult} result */
  constructor(result) {
    super(result);
  }

  /**
   * The next event.
   * @overload
   * @returns {EventAssert}
   */
  /**
   * The next event of a type; others are passed.
   * @template {EventType} T
   * @overload
   * @param {T} type
   * @returns {AssertsByType[T]}
   */
  /**
   * @param {EventType} [type]
   * @returns {FoundEvent<any>}
   */
  nextEvent(type) {
    if (type !== undefined && !Object.hasOwn(KINDS, type)) {
      const types = Object.keys(KINDS).join(", ");
      throw withoutOwnFrames(new TypeError(`there is no type of events ${shown(type)}: the types are ${types}`));
    }
    const events = this._result.events;
    for (; this.#cursor < events.length; this.#cursor++) {
      if (type !== undefined && events[this.#cursor]?.type !== type) continue;
      const index = this.#cursor++;
      if (type === undefined) return new EventAssert(this._result, index);
      if (type === "message") return new ChatMessageAssert(this._result, index);
      return type === "function_call" ? new FunctionCallAssert(this._result, index) : new FunctionCallOutputAssert(this._result, index);
    }
    const what = type === undefined ? "event" : KINDS[type];
    throw assertionError(failureOf(this._result, `expected another ${what}, but none is left`));
  }

  /**
   * Passes the next `count` events.
   * @param {number} [count]
   * @returns {this}
   */
  skipNext(count = 1) {
    if (!Number.isInteger(count) || count < 0) {
      throw withoutOwnFrames(new RangeError(`${short(count)} events cannot be skipped: the number must be an integer of at least 0`));
    }
    const left = this._result.events.length - this.#cursor;
    if (count > left) {
      const what = count === 1 ? "1 more event" : `${count} more events`;
      const are = left === 1 ? "1 is left" : `${left || "none"} are left`;
      throw assertionError(failureOf(this._result, `expected ${what} to skip, but ${are}`));
    }
    this.#cursor += count;
    return this;
  }

  /** All events were looked at. */
  noMoreEvents() {
    const event = this._result.events[this.#cursor];
    if (event !== undefined) {
      throw assertionError(failureOf(this._result, `expected no more events, but found ${inSentence(event)}`, this.#cursor));
    }
  }

  /**
   * The event at an index; `at(-1)` is the last one.
   * @param {number} index
   * @returns {EventAssert}
   */
  at(index) {
    const { length } = this._result.events;
    const place = index < 0 ? index + length : index;
    if (!Number.isInteger(place)) throw withoutOwnFrames(new TypeError(`${short(index)} is not an index`));
    if (place < 0 || place >= length) {
      throw assertionError(failureOf(this._result, `there is no event at index ${index}: the run has ${counted(length || "no")}`));
    }
    return new EventAssert(this._result, place);
  }

  /**
   * The events of a range, as `Array.prototype.slice` has it.
   * @param {number} [begin]
   * @param {number} [end]
   * @returns {EventRangeAssert}
   */
  slice(begin, end) {
    return new EventRangeAssert(this._result, begin, end);
  }
}

/** @param {number | string} count */
function counted(count) {
  return count === 1 ? "1 event" : `${count} events`;
}

/**
 * @param {RunResult} result
 * @param {number} index
 * @param {string} message
 */
function placed(result, index, message) {
  return `event ${index + 1} of ${result.events.length}: ${message}`;
}

/**
 * Whether a filter matches everything.
 * @param {unknown} filter
 * @returns {filter is undefined | AnyValue}
 */
function isAny(filter) {
  return filter === undefined || filter === ANY;
}

/**
 * The filters, of which none is undefined: that may be a misspelled name, and would match everything.
 * @template {unknown[]} F
 * @param {F} filters
 * @param {string[]} names
 * @returns {F}
 */
function checkedFilters(filters, names) {
  const index = filters.indexOf(undefined);
  if (index !== -1) {
    throw withoutOwnFrames(new TypeError(`\`${names[index]}\` is undefined: pass ANY if every value matches`));
  }
  return filters;
}

/**
 * The arguments to compare with; undefined for any.
 * @param {unknown} args
 * @returns {{ [name: string]: unknown } | undefined}
 */
function checkedArguments(args) {
  if (isAny(args)) return undefined;
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw withoutOwnFrames(new TypeError(`the arguments of a call are an object, this is ${short(args)}`));
  }
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) throw withoutOwnFrames(new TypeError(`the expected argument \`${name}\` is undefined: no call has it`));
  }
  return /** @type {{ [name: string]: unknown }} */ (args);
}

/**
 * @param {RunEvent} event
 * @param {string | AnyValue | undefined} role
 * @returns {Mismatch | undefined}
 */
function messageMismatch(event, role) {
  if (event.type === "message" && (isAny(role) || role === event.role)) return undefined;
  return { message: `expected ${isAny(role) ? "a message" : `a message of the ${role}`}, found ${inSentence(event)}` };
}

/**
 * @param {RunEvent} event
 * @param {string | AnyValue | undefined} name
 * @param {{ [name: string]: unknown } | undefined} args
 * @returns {Mismatch | undefined}
 */
function callMismatch(event, name, args) {
  if (event.type !== "function_call") {
    return { message: `expected ${isAny(name) ? "a function call" : `a call to ${name}`}, found ${inSentence(event)}` };
  }
  if (!isAny(name) && name !== event.name) return { message: `expected a call to ${name}, found a call to ${event.name}` };
  const found = event.arguments;
  for (const [key, value] of Object.entries(args ?? {})) {
    const expected = `expected the argument \`${key}\` of ${event.name} to be ${shown(value)}`;
    if (typeof found !== "object" || found === null || Array.isArray(found)) {
      return { message: `${expected}, found the arguments ${shown(found)}, which are not an object` };
    }
    if (!Object.hasOwn(found, key)) return { message: `${expected}, it is missing` };
    if (!isSameJson(found[key], value)) {
      return { message: `${expected}, found ${shown(found[key])}`, values: { actual: found[key], expected: value } };
    }
  }
  return undefined;
}

/**
 * @param {RunEvent} event
 * @param {unknown} output
 * @param {boolean | AnyValue | undefined} isError
 * @returns {Mismatch | undefined}
 */
function outputMismatch(event, output, isError) {
  if (event.type !== "function_call_output") return { message: `expected a function call output, found ${inSentence(event)}` };
  if (!isAny(output) && !isSameJson(output, event.output)) {
    const message = `expected the output ${shown(output)}, found ${shown(event.output)}`;
    return { message, values: { actual: event.output, expected: output } };
  }
  if (isAny(isError) || isError === event.isError) return undefined;
  const what = isError ? "an error, found no error" : "no error, found an error";
  return { message: `expected ${what}: ${shown(event.output)}` };
}
