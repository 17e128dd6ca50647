// What came of a run.

/** @import { Finding, Interrupt, RunEvent } from "./types.js" */

import { RunAssert } from "./asserts.js";
import { connection } from "./connection.js";
import { assertionError, ProgramError, publicError } from "./errors.js";
import { toProtocol } from "./events.js";
import { originOf } from "./origin.js";
import { failureOf } from "./report.js";

/** The events of a run. One that is made by hand can be asserted in the same way. */
export class RunResult {
  /** @type {RunAssert | undefined} */
  #expect;

  /**
   * @param {readonly RunEvent[]} events What the agent did, in its order.
   * @param {string} [userInput] The text of the user.
   * @param {readonly Interrupt[]} [interrupts] What the agent waits for at the end.
   */
  constructor(events, userInput, interrupts = []) {
    /** What the agent did, in its order. @type {readonly RunEvent[]} */
    this.events = [...events];
    /** The text of the user. @type {string | undefined} */
    this.userInput = userInput;
    /** What the agent waits for at the end; `session.resume` answers it. @type {readonly Interrupt[]} */
    this.interrupts = [...interrupts];
  }

  /** What is expected of the events. There is one cursor per result: what was looked at is passed. */
  get expect() {
    return (this.#expect ??= new RunAssert(this));
  }

  /**
   * What the rules of an assert block find, with the keys of `assertions` in the JSON report; empty if all pass. It may be applied
   * after the end of the session.
   * @param {string | { [rule: string]: unknown }} block YAML, as the `assert` of a turn in a test file, or the same as an object.
   * @returns {Promise<Finding[]>}
   * @throws {UsageError} If the block is wrong, with its place and what to do.
   * @throws {JudgeError} If a script or a judge cannot be asked, or gives no verdict.
   */
  async findings(block) {
    try {
      return await this.#findings(typeof block === "string" ? { yaml: block } : { assert: block });
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * @param {{ [key: string]: unknown }} rules
   * @returns {Promise<Finding[]>}
   */
  async #findings(rules) {
    const origin = originOf(this);
    if (origin !== undefined && !origin.connection.isOver) {
      try {
        return (await origin.connection.call("session/check", { run: origin.run, ...rules })).findings;
      } catch (error) {
        if (!(error instanceof ProgramError)) throw error;
      }
    }
    const program = await connection(origin?.config);
    const events = this.events.map(toProtocol);
    if (origin === undefined) return (await program.call("session/check", { events, input: this.userInput, ...rules })).findings;
    // Rules look back to the turns before. A turn of a session without a text answers interrupts.
    const before = origin.earlier.map((turn) => ({ input: turn.userInput ?? "", events: turn.events.map(toProtocol) }));
    return (await program.call("session/check", { events, input: this.userInput ?? "", before, ...rules })).findings;
  }

  /**
   * Applies the rules of an assert block, as `findings` does.
   * @param {string | { [rule: string]: unknown }} block
   * @returns {Promise<void>}
   * @throws {AssertionError} If a rule fails, or the events do not show whether it does.
   * @throws {UsageError} If the block is wrong.
   * @throws {JudgeError} If a script or a judge cannot be asked, or gives no verdict.
   */
  async check(block) {
    const found = await this.findings(block);
    if (found.length > 0) throw assertionError(failureOf(this, found.map(({ words }) => words).join("\n")));
  }
}
