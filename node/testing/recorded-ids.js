// The names of recordings, of which each session needs its own.

import { UsageError, withoutOwnFrames } from "./errors.js";

/** The recordings that the sessions of a process have begun. */
export class RecordedIds {
  /** @type {Set<string>} */
  #taken = new Set();

  /**
   * Takes a name for a session. It stays taken after the session: a second recording would replace the first one.
   * @param {string} directory Its full path.
   * @param {string} id
   * @returns {() => void} Gives the name back, if the session does not begin.
   * @throws {UsageError} If another session has it.
   */
  take(directory, id) {
    const key = JSON.stringify([directory, id]);
    if (this.#taken.has(key)) {
      const problem = `a session of this process was recorded as \`${id}\` in \`${directory}\` already, and this one would replace it`;
      throw withoutOwnFrames(new UsageError(`${problem}: give each session an \`id\` of its own, also each attempt of a test that is retried`));
    }
    this.#taken.add(key);
    return () => this.#taken.delete(key);
  }
}
