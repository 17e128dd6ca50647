import type { Turn } from "./turn.js";
/** A value that JSON can have. */
export type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};
/** An object of JSON. */
export type JsonObject = {
    [key: string]: Json;
};
/** The author of a message. */
export type MessageRole = "assistant" | "user";
/** A message. */
export interface ChatMessageEvent {
    type: "message";
    role: MessageRole;
    content: string;
}
/** A call to a tool. */
export interface FunctionCallEvent {
    type: "function_call";
    name: string;
    arguments: Json;
    toolCallId?: string;
}
/** The result of a call; for a call that failed, `{ error: … }`. */
export interface FunctionCallOutputEvent {
    type: "function_call_output";
    name: string;
    output: Json;
    isError: boolean;
    toolCallId?: string;
    executionTimeMs?: number;
}
/** An event of a run. */
export type RunEvent = ChatMessageEvent | FunctionCallEvent | FunctionCallOutputEvent;
/** The type of an event. */
export type EventType = RunEvent["type"];
/** Something that the agent waits for. `session.resume` answers it. */
export interface Interrupt {
    id: string;
    reason?: string;
    message?: string;
    toolCallId?: string;
}
/** The answer to an interrupt: the only one that is open, the one with this `id`, or that of a call to this `tool`. */
export interface PendingAnswer {
    payload?: unknown;
    id?: string;
    tool?: string;
    cancelled?: boolean;
}
/** A target as a config has it: its `type` and the keys of the type. Nothing in it refers to a variable. */
export interface TargetKeys {
    type: string;
    [key: string]: unknown;
}
/** What functions of a test get with a call or a question. */
export interface CallContext {
    /** Aborts when the result is not needed any more. */
    signal: AbortSignal;
}
/** What a tool gets with a call. */
export interface ToolCallContext extends CallContext {
    /** The name of the tool. */
    name: string;
    /** The id of the call. */
    toolCallId: string;
}
/** The function of a tool, or of a mock. Nothing (`undefined`) as the result is null for the agent. An exception is an error of the call. */
export type ToolFunction = (args: any, context: ToolCallContext) => unknown;
/** A client-side tool. */
export interface ToolDefinition {
    /** The description for the model. */
    description?: string;
    /** The JSON Schema of the arguments (default: any object). */
    parameters?: {
        [key: string]: unknown;
    };
    /** Executes a call. */
    execute: ToolFunction;
}
/** A message of chat completions. */
export interface ModelMessage {
    role: "system" | "user" | "assistant" | "tool";
    content?: string | null;
    tool_calls?: {
        id: string;
        type: "function";
        function: {
            name: string;
            arguments: string;
        };
    }[];
    tool_call_id?: string;
}
/** A tool of chat completions. */
export interface ModelTool {
    type: "function";
    function: {
        name: string;
        description: string;
        parameters: JsonObject;
    };
}
/** A call in a reply of a model. */
export interface ModelToolCall {
    id?: string;
    type?: "function";
    function: {
        name: string;
        arguments?: string | {
            [key: string]: unknown;
        };
    };
}
/** A reply of a model: a text, or a message with `content`, `tool_calls` or both. */
export type ModelReply = string | {
    content?: string | null;
    tool_calls?: ModelToolCall[];
};
/** A model that is a function of the test: the next reply to the messages. */
export type FunctionModel = (messages: ModelMessage[], tools: ModelTool[], context: CallContext) => ModelReply | Promise<ModelReply>;
/** A judge: the name of a target, a target in place, or a function of the test. */
export type Judge = string | TargetKeys | FunctionModel;
/** An answer to an interrupt of the last turn. */
export interface TurnAnswer {
    id: string;
    payload?: Json;
    cancelled?: boolean;
}
/** Something that the agent waits for (default of `id`: a new one). */
export interface TurnInterrupt {
    id?: string | undefined;
    reason?: string | undefined;
    message?: string | undefined;
    /** The call that waits. */
    toolCallId?: string | undefined;
}
/** Tokens of a request to a model; a number that is missing is not known. */
export interface TurnUsage {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    /** The tokens of the input that the provider had in a cache. */
    cachedInputTokens?: number | undefined;
    /** The name of the model, for prices. */
    model?: string | undefined;
}
/** A message of chat completions, or an event. */
export type AgentPart = {
    role: "assistant";
    content?: string | null;
    tool_calls?: ModelToolCall[] | null;
} | {
    role: "tool";
    tool_call_id: string;
    content: string;
} | {
    type: "message";
    content: string;
} | {
    type: "function_call";
    name: string;
    arguments?: unknown;
    toolCallId?: string;
} | {
    type: "function_call_output";
    toolCallId: string;
    output: unknown;
    isError?: boolean;
};
/** An agent's answer: a text, a message, the new messages of the turn, or nothing. */
export type AgentOutput = string | AgentPart | AgentPart[] | null | undefined | void;
/** An agent that is a function of one turn. A generator yields parts of a text, messages and events. */
export type AgentFunction = (turn: Turn) => AgentOutput | PromiseLike<AgentOutput | AsyncIterable<string | AgentPart>> | AsyncIterable<string | AgentPart> | Iterator<string | AgentPart, AgentOutput>;
/** An agent of AI SDK, such as a `ToolLoopAgent`. */
export interface AgentWithTools {
    generate(options: any): PromiseLike<any>;
    readonly tools: any;
}
/** An agent of the process of the test. */
export type Agent = AgentFunction | AgentWithTools;
/** How a session is opened. */
export interface SessionOptions {
    /** The agent: the name of a target of the config, or a target in place (default: the default target of the config). */
    target?: string | TargetKeys;
    /** A model of the test as the agent, instead of a target. */
    model?: FunctionModel;
    /** An agent of the test, instead of a target: a function of one turn, or an agent of AI SDK. */
    agent?: Agent;
    /** The system message of a bare model (default: "You are a helpful assistant."). */
    instructions?: string;
    /** The client-side tools, by their names. */
    tools?: {
        [name: string]: ToolFunction | ToolDefinition;
    };
    /** The config (default: the nearest `ananke.config.yaml` above the working directory). */
    config?: string | URL;
    /** How long a function of the test may take for an answer, in milliseconds (default: 10 minutes). */
    callbackTimeoutMs?: number;
    /** The directory that the conversation is recorded into. */
    record?: string;
    /** The directory of the recording that is replayed instead of asking the agent. */
    replay?: string;
    /** The name of the recording in its directory, which `record` and `replay` need. */
    id?: string;
}
/** How a run is executed. */
export interface RunOptions {
    /** Cancels the run when it aborts. The session is over then. */
    signal?: AbortSignal;
}
/** What a rule found, with the keys of `assertions` in the JSON report. */
export interface Finding {
    type: string;
    status: string;
    message?: string;
    expected?: string;
    seen?: string[];
    /** The finding, with what was seen in addition to its sentence. */
    words: string;
    [key: string]: unknown;
}
/** The functions of a test runner: the module `vitest` or `node:test`, or an object with its `test` and its hook. */
export interface TestRunner {
    test: any;
    afterAll?: any;
    after?: any;
}
/** Which tests of a project are registered, and how they run. */
export interface YamlTestsOptions {
    /** The config (default: the nearest `ananke.config.yaml` above the first of `tests`, else above the working directory). */
    config?: string | URL;
    /** Files, directories, lines (`FILE:LINE`), ids or names of tests (default: every test of the project). */
    tests?: string[];
    /** The target under test, by its name or `agentId`. */
    target?: string;
    /** An expression that selects tests, as for `ananke run --filter`. */
    filter?: string;
    /** Only tests with one of these tags. */
    tags?: string[];
    /** Variables, as `ananke run --var` sets them. */
    variables?: {
        [name: string]: string;
    };
    /** The directory that the tests are recorded into. */
    record?: string;
    /** The directory of the recordings that are replayed instead of asking agents. */
    replay?: string;
    /** Agents of this process, by the names that targets with `type: external` have as their `agent`. */
    agents?: {
        [name: string]: Agent;
    };
}
