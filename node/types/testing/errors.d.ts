/**
 * The error as a test sees it.
 * @param {unknown} error
 * @returns {unknown}
 */
export function publicError(error: unknown): unknown;
/**
 * The error without frames of this package and of Node: the first one is that of the test.
 * @template {Error} E
 * @param {E} error
 * @returns {E}
 */
export function withoutOwnFrames<E extends Error>(error: E): E;
/**
 * An AssertionError. Both values are for runners that show a difference.
 * @param {string} message
 * @param {{ actual: unknown, expected: unknown }} [values]
 */
export function assertionError(message: string, values?: {
    actual: unknown;
    expected: unknown;
}): AssertionError;
/**
 * What an exception says, with its type, unless that says nothing.
 * @param {unknown} error
 * @returns {string}
 */
export function typedWords(error: unknown): string;
/**
 * What an exception says, whatever was thrown.
 * @param {unknown} error
 * @returns {string}
 */
export function words(error: unknown): string;
/** An error of this package. */
export class AnankeError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, options?: ErrorOptions);
}
/** A mistake in what the test hands over, such as a target or a rule. The message has the place and what to do. */
export class UsageError extends AnankeError {
}
/** The agent could not be asked, or its turn did not end as it should. */
export class AgentError extends AnankeError {
}
/** A judge or a script could not be asked, or gave no clear verdict. */
export class JudgeError extends AnankeError {
}
/** The program `ananke` ended, or could not be started. */
export class ProgramError extends AnankeError {
}
/** The answer to a request that failed. */
export class RequestError extends Error {
    /**
     * @param {number} code
     * @param {string} message
     */
    constructor(code: number, message: string);
    code: number;
}
export namespace Code {
    let invalidParams: number;
    let agent: number;
    let judge: number;
    let over: number;
    let cancelled: number;
}
import { AssertionError } from "node:assert";
