// Tools of agents, whose calls are reported while a run goes on. They are the tools of the test, so each gets its `execute` back.

import { placeInTurn } from "./turn-report.js";

/** The runs that observe a tool, and the way back to its own `execute`. @type {WeakMap<object, { runs: number, restore: () => void }>} */
const observed = new WeakMap();

/**
 * Replaces the `execute` of tools for a run. Several runs may observe a tool at once: each reports the calls of its own turn.
 * @param {any[]} tools
 * @returns {() => void} Ends the run. It may be called twice.
 */
export function observe(tools) {
  /** @type {any[]} */
  const replaced = [];
  const end = () => {
    for (const tool of replaced.splice(0)) {
      const known = observed.get(tool);
      if (known === undefined || --known.runs > 0) continue;
      observed.delete(tool);
      known.restore();
    }
  };
  try {
    for (const tool of tools) {
      const known = observed.get(tool);
      if (known === undefined) observed.set(tool, { runs: 1, restore: replaceExecute(tool) });
      else known.runs += 1;
      replaced.push(tool);
    }
  } catch (error) {
    // A frozen tool cannot be observed, and the others are not left behind.
    end();
    throw error;
  }
  return end;
}

/**
 * @param {any} tool
 * @returns {() => void} Gives the tool its own `execute` back.
 */
function replaceExecute(tool) {
  const own = Object.getOwnPropertyDescriptor(tool, "execute");
  const { execute } = tool;
  /** @this {unknown} @param {any} input @param {any} options */
  function reported(input, options) {
    const turn = placeInTurn("execute")?.turn;
    const name = turn?.names.get(tool);
    const work = () => execute.call(this, input, options);
    return turn === undefined || name === undefined ? work() : turn.observe(name, input, work, options?.toolCallId);
  }
  Object.defineProperty(tool, "execute", { value: reported, configurable: true, enumerable: true, writable: true });
  return () => {
    if (own === undefined) delete tool.execute;
    else Object.defineProperty(tool, "execute", own);
  };
}
