// Verdicts of judges on a message.

/** @import { ChatMessageEvent, FunctionModel, Judge } from "./types.js" */
/** @import { Connection } from "./connection.js" */
/** @import { RunResult } from "./run-result.js" */

import { SessionCallbacks } from "./callbacks.js";
import { connection } from "./connection.js";
import { JudgeError, publicError, RequestError, withoutOwnFrames, words } from "./errors.js";
import { toProtocol } from "./events.js";
import { isSameJson, short } from "./json.js";
import { originOf } from "./origin.js";
import { say } from "./report.js";

/**
 * Whether the message does what the intent says, and the reason.
 * @param {Judge} judge
 * @param {RunResult} result
 * @param {ChatMessageEvent} message
 * @param {string} intent
 * @returns {Promise<{ passed: boolean, reason: string }>}
 * @throws {JudgeError} If the judge cannot be asked, or gives no clear verdict.
 * @throws {TypeError} If it is not a judge, or the agent itself.
 */
export async function askJudge(judge, result, message, intent) {
  if (!["string", "function"].includes(typeof judge) && (typeof judge !== "object" || judge === null || Array.isArray(judge))) {
    throw withoutOwnFrames(new TypeError(`a judge is the name of a target, its keys, or a function that is a model, this is ${short(judge)}`));
  }
  const origin = originOf(result);
  if (origin?.agent !== undefined && (judge === origin.agent || isSameJson(judge, origin.agent))) {
    throw withoutOwnFrames(new TypeError("the agent cannot judge itself: give another model as the judge"));
  }
  const params = { events: [toProtocol(message)], input: result.userInput, intent };
  try {
    const program = await connection(origin?.config);
    return await (typeof judge === "function"
      ? askFunction(program, judge, params)
      : program.call("session/judge", { ...params, judge }));
  } catch (error) {
    if (error instanceof JudgeError || error instanceof RequestError) say(`judge: ${error.message}`);
    throw publicError(error);
  }
}

/**
 * The verdict of a model of this process: it is asked in a session of its own, so that questions do not get mixed up.
 * @param {Connection} program
 * @param {FunctionModel} judge
 * @param {{ [key: string]: unknown }} params
 */
async function askFunction(program, judge, params) {
  const callbacks = new SessionCallbacks(program, judge, new Map());
  callbacks.enter();
  const { session } = await program.call("session/open", { agent: "caller" });
  program.attach(session, callbacks);
  try {
    return await program.call("session/judge", { ...params, session, agent: "caller" });
  } catch (error) {
    if (callbacks.failure === undefined) throw error;
    const cause = callbacks.failure.error;
    throw withoutOwnFrames(new JudgeError(`the judge failed: ${words(cause)}`, { cause }));
  } finally {
    program.detach(session);
    program.send("session/close", { session });
  }
}
