// Options that tests give.

import { withoutOwnFrames } from "./errors.js";
import { short } from "./json.js";

export const A_DIRECTORY = "the path of a directory";

/**
 * Checks that options are texts.
 * @param {{ [option: string]: any }} options
 * @param {{ [option: string]: string }} meanings The meaning of each text.
 * @throws {TypeError} If one is given, and is another value or empty.
 */
export function checkTexts(options, meanings) {
  for (const [name, meaning] of Object.entries(meanings)) {
    const value = options[name];
    if (value !== undefined && (typeof value !== "string" || value === "")) {
      throw withoutOwnFrames(new TypeError(`\`${name}\` is ${meaning}, this is ${short(value)}`));
    }
  }
}
