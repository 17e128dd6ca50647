// The errors of sessions. None of them is an AssertionError: they do not mean that the agent did something wrong.

import { AssertionError } from "node:assert";
import { fileURLToPath } from "node:url";

/** An error of this package. */
export class AnankeError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A mistake in what the test hands over, such as a target or a rule. The message has the place and what to do. */
export class UsageError extends AnankeError {}

/** The agent could not be asked, or its turn did not end as it should. */
export class AgentError extends AnankeError {}

/** A judge or a script could not be asked, or gave no clear verdict. */
export class JudgeError extends AnankeError {}

/** The program `ananke` ended, or could not be started. */
export class ProgramError extends AnankeError {}

/** The answer to a request that failed. */
export class RequestError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The codes of errors in the protocol. */
export const Code = { invalidParams: -32602, agent: -32000, judge: -32001, over: -32003, cancelled: -32800 };

/**
 * The error as a test sees it.
 * @param {unknown} error
 * @returns {unknown}
 */
export function publicError(error) {
  if (error instanceof ProgramError) return withoutOwnFrames(new ProgramError(error.message));
  if (!(error instanceof RequestError)) return error instanceof Error ? withoutOwnFrames(error) : error;
  const isOfAgent = [Code.agent, Code.over, Code.cancelled].includes(error.code);
  const Kind =
    error.code === Code.invalidParams ? UsageError : error.code === Code.judge ? JudgeError : isOfAgent ? AgentError : AnankeError;
  return withoutOwnFrames(new Kind(error.message));
}

const own = new URL(".", import.meta.url);
const hiddenPlaces = [own.href, fileURLToPath(own), "node:internal/"];

/**
 * The error without frames of this package and of Node: the first one is that of the test.
 * @template {Error} E
 * @param {E} error
 * @returns {E}
 */
export function withoutOwnFrames(error) {
  const lines = (error.stack ?? "").split("\n");
  error.stack = lines.filter((line) => !(/^\s+at /.test(line) && hiddenPlaces.some((place) => line.includes(place)))).join("\n");
  return error;
}

/**
 * An AssertionError. Both values are for runners that show a difference.
 * @param {string} message
 * @param {{ actual: unknown, expected: unknown }} [values]
 */
export function assertionError(message, values) {
  return withoutOwnFrames(new AssertionError({ message, ...values }));
}

/**
 * What an exception says, with its type, unless that says nothing.
 * @param {unknown} error
 * @returns {string}
 */
export function typedWords(error) {
  const said = words(error);
  if (!(error instanceof Error) || error instanceof AnankeError) return said;
  const name = typeof error.name === "string" ? error.name : "";
  return name === "" || name === "Error" || said === name ? said : `${name}: ${said}`;
}

/**
 * What an exception says, whatever was thrown.
 * @param {unknown} error
 * @returns {string}
 */
export function words(error) {
  try {
    if (error instanceof Error) return error.message || error.name;
    return String(error);
  } catch {
    return "an exception without a message";
  }
}
