/** Replaced tools, which know their calls. */
export class MockedTools {
    /**
     * @param {{ [name: string]: ToolFunction }} mocks
     * @param {() => Promise<void>} restore
     * @throws {TypeError} If one is not a function.
     */
    constructor(mocks: {
        [name: string]: ToolFunction;
    }, restore: () => Promise<void>);
    /** The names of the tools. */
    get names(): string[];
    /**
     * The arguments of each call to a tool, in their order.
     * @param {string} name
     * @returns {{ [name: string]: Json }[]}
     * @throws {UsageError} If they are those of a replay, and not objects.
     */
    calls(name: string): {
        [name: string]: Json;
    }[];
    /**
     * How often a tool was called.
     * @param {string} name
     * @returns {number}
     */
    callCount(name: string): number;
    /**
     * Executes a call.
     * @internal
     * @param {string} name
     * @param {{ [name: string]: Json }} args
     * @param {ToolCallContext} context
     * @returns {unknown}
     */
    call(name: string, args: {
        [name: string]: Json;
    }, context: ToolCallContext): unknown;
    /**
     * Adds a call of a recording. The function is not executed.
     * @internal
     * @param {RecordedCall} call
     * @param {RecordedOutput} output
     */
    replay({ name, arguments: recorded, toolCallId }: RecordedCall, output: RecordedOutput): void;
    /** Gives the tools back. It may be called twice. */
    restore(): Promise<void>;
    /** Gives the tools back. */
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
import type { Json } from "./types.js";
import type { ToolCallContext } from "./types.js";
import type { RecordedCall } from "./replayed-mocks.js";
import type { RecordedOutput } from "./replayed-mocks.js";
import type { ToolFunction } from "./types.js";
