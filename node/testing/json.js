// Values of JSON.

import { inspect } from "node:util";

/**
 * The value as JSON.
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} If something in it is not JSON: it is not changed silently.
 */
export function encoded(value) {
  const text = JSON.stringify(value, check);
  if (text === undefined) throw new TypeError(`${short(value)} is not JSON`);
  return text;
}

/**
 * @this {unknown}
 * @param {string} key
 * @param {unknown} value
 */
function check(key, value) {
  if (!key.isWellFormed()) throw new TypeError("a key is not valid Unicode: it contains half of a surrogate pair");
  const where = key === "" ? "" : ` at \`${key}\``;
  switch (typeof value) {
    case "boolean":
      break;
    case "string":
      if (!value.isWellFormed()) throw new TypeError(`the text${where} is not valid Unicode: it contains half of a surrogate pair`);
      break;
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value}${where} is not JSON`);
      break;
    case "undefined":
      // In an object the key is absent.
      if (Array.isArray(this)) throw new TypeError(`undefined${where} is not JSON`);
      break;
    case "object":
      if (value !== null && !Array.isArray(value) && Object.prototype.toString.call(value) !== "[object Object]")
        throw new TypeError(`${short(value)}${where} is not JSON`);
      break;
    default:
      throw new TypeError(`${short(value)}${where} is not JSON`);
  }
  return value;
}

/**
 * Whether both are the same JSON.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function isSameJson(one, other) {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((value, index) => isSameJson(value, other[index]));
  }
  const first = Object.entries(one);
  return (
    first.length === Object.keys(other).length &&
    first.every(([key, value]) => Object.hasOwn(other, key) && isSameJson(value, /** @type {any} */ (other)[key]))
  );
}

/**
 * A value for a message: as JSON, or as Node shows it.
 * @param {unknown} value
 * @returns {string}
 */
export function shown(value) {
  try {
    return encoded(value);
  } catch {
    return short(value);
  }
}

/**
 * A value for a message, as Node shows it.
 * @param {unknown} value
 * @returns {string}
 */
export function short(value) {
  return truncated(inspect(value, { depth: 2, breakLength: Infinity }), 200);
}

/**
 * The first `most` characters.
 * @param {string} text
 * @param {number} most
 */
export function truncated(text, most) {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}
