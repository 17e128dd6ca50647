/** The recordings that the sessions of a process have begun. */
export class RecordedIds {
    /**
     * Takes a name for a session. It stays taken after the session: a second recording would replace the first one.
     * @param {string} directory Its full path.
     * @param {string} id
     * @returns {() => void} Gives the name back, if the session does not begin.
     * @throws {UsageError} If another session has it.
     */
    take(directory: string, id: string): () => void;
    #private;
}
