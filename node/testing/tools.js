// Functions of a test as client-side tools.

/** @import { ToolDefinition, ToolFunction } from "./types.js" */

import { short } from "./json.js";

/** A function as a tool. */
export class SessionTool {
  /**
   * @param {string} name
   * @param {ToolFunction | ToolDefinition} tool
   * @throws {TypeError} If it is not a tool.
   */
  constructor(name, tool) {
    const definition = typeof tool === "function" ? { execute: tool } : tool;
    if (typeof definition !== "object" || definition === null || typeof definition.execute !== "function") {
      throw new TypeError(
        `the tool \`${name}\` is a function, or an object with \`execute\`, \`description\` and \`parameters\`, this is ${short(tool)}`,
      );
    }
    const unknown = Object.keys(definition).find((key) => !["execute", "description", "parameters"].includes(key));
    if (unknown !== undefined) {
      throw new TypeError(`the tool \`${name}\` has no \`${unknown}\`: it has \`execute\`, \`description\` and \`parameters\``);
    }
    this.name = name;
    this.execute = definition.execute;
    this.description = definition.description ?? "";
    this.parameters = definition.parameters;
  }

  /** The tool as `session/open` takes it. */
  declaration() {
    return { name: this.name, description: this.description, parameters: this.parameters };
  }

  /**
   * Checks the names of the arguments by the schema.
   * @param {{ [name: string]: unknown }} args
   * @throws {Error} If one is missing or unknown: the agent gets it.
   */
  check(args) {
    const { required, properties = {}, additionalProperties } = /** @type {any} */ (this.parameters ?? {});
    const missing = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(args, name)) : [];
    if (missing.length > 0) {
      throw new Error(`\`${this.name}\` needs the argument${missing.length > 1 ? "s" : ""} ${quoted(missing)}`);
    }
    const unknown = additionalProperties === false ? Object.keys(args).filter((name) => !Object.hasOwn(properties, name)) : [];
    if (unknown.length > 0) {
      const names = Object.keys(properties);
      const takes = names.length > 0 ? `it takes ${quoted(names)}` : "it takes none";
      throw new Error(`\`${this.name}\` has no argument ${quoted(unknown)}: ${takes}`);
    }
  }
}

/** @param {string[]} names */
function quoted(names) {
  return names.map((name) => `\`${name}\``).join(", ");
}
