/**
 * Replaces the `execute` of tools for a run. Several runs may observe a tool at once: each reports the calls of its own turn.
 * @param {any[]} tools
 * @returns {() => void} Ends the run. It may be called twice.
 */
export function observe(tools: any[]): () => void;
