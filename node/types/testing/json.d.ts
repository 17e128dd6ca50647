/**
 * The value as JSON.
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} If something in it is not JSON: it is not changed silently.
 */
export function encoded(value: unknown): string;
/**
 * Whether both are the same JSON.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function isSameJson(one: unknown, other: unknown): boolean;
/**
 * A value for a message: as JSON, or as Node shows it.
 * @param {unknown} value
 * @returns {string}
 */
export function shown(value: unknown): string;
/**
 * A value for a message, as Node shows it.
 * @param {unknown} value
 * @returns {string}
 */
export function short(value: unknown): string;
/**
 * The first `most` characters.
 * @param {string} text
 * @param {number} most
 */
export function truncated(text: string, most: number): string;
