/** A function as a tool. */
export class SessionTool {
    /**
     * @param {string} name
     * @param {ToolFunction | ToolDefinition} tool
     * @throws {TypeError} If it is not a tool.
     */
    constructor(name: string, tool: ToolFunction | ToolDefinition);
    name: string;
    execute: ToolFunction;
    description: string;
    parameters: {
        [key: string]: unknown;
    } | undefined;
    /** The tool as `session/open` takes it. */
    declaration(): {
        name: string;
        description: string;
        parameters: {
            [key: string]: unknown;
        } | undefined;
    };
    /**
     * Checks the names of the arguments by the schema.
     * @param {{ [name: string]: unknown }} args
     * @throws {Error} If one is missing or unknown: the agent gets it.
     */
    check(args: {
        [name: string]: unknown;
    }): void;
}
import type { ToolFunction } from "./types.js";
import type { ToolDefinition } from "./types.js";
