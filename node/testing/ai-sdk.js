// Agents of AI SDK 6 and 7, observed where their tools run.

/** @import { TurnBegin } from "./agent-session.js" */
/** @import { HeldEvent, TurnReport } from "./turn-report.js" */

import { UsageError, withoutOwnFrames, words } from "./errors.js";
import { short } from "./json.js";
import { observe } from "./observed-tools.js";
import { FACTS_OF_CALLS } from "./turn-report.js";

const IN_A_FUNCTION = "an agent that is not one of AI SDK runs inside a function, `(turn) => …`";

/** Parts of a step that no rule is about. */
const SILENT_PARTS = new Set(["source", "file", "reasoning-file", "tool-approval-request", "tool-approval-response"]);

/** An agent with `generate` and `tools`, such as a `ToolLoopAgent`, in one conversation. */
export class AiSdkAgent {
  #agent;
  /** @type {any[]} */
  #messages = [];
  /** The approvals that the last turn asked for. @type {any[]} */
  #asked = [];

  /** @param {any} agent */
  constructor(agent) {
    this.#agent = agent;
  }

  /**
   * The shape of an agent: `generate` and `tools`.
   * @param {any} agent
   */
  static isOne(agent) {
    return typeof agent === "object" && agent !== null && typeof agent.generate === "function" && "tools" in agent;
  }

  /** The names of the tools that it executes. */
  get names() {
    return [...this.#toolNames().values()];
  }

  /**
   * @param {TurnReport} report
   * @param {TurnBegin} begin
   */
  async turn(report, { input, answers, signal }) {
    if (input !== undefined) this.#messages.push({ role: "user", content: input });
    else this.#messages.push({ role: "tool", content: this.#asked.map((part) => approvalOf(part, answers)) });
    const approved = new Set(this.#asked.map(({ toolCall }) => toolCall.toolCallId));
    report.names = this.#toolNames();
    // Text that the model says before its calls is known after them.
    report.hold();
    const restore = observe([...report.names.keys()]);
    signal.addEventListener("abort", restore, { once: true });
    try {
      const out = await report.within(() => this.#agent.generate({ messages: this.#messages, abortSignal: signal }));
      if (!Array.isArray(out?.steps)) throw new TypeError(`\`generate\` of the agent returned ${short(out)}, and no \`steps\`: ${IN_A_FUNCTION}`);
      this.#messages.push(...(out.responseMessages ?? out.response.messages));
      const held = report.takeHeld();
      // Tools that were approved are executed before the first step.
      report.send(held.splice(0, held.findLastIndex(({ id }) => approved.has(id)) + 1));
      for (const step of out.steps) reportStep(report, step, held);
      report.send(held);
      this.#asked = out.content.filter((/** @type {any} */ part) => part.type === "tool-approval-request" && part.isAutomatic !== true);
      for (const { approvalId, toolCall } of this.#asked) {
        report.ask({ id: approvalId, reason: "approval", toolCallId: toolCall.toolCallId });
      }
    } finally {
      restore();
    }
  }

  /**
   * The names of tools by their objects.
   * @returns {Map<unknown, string>}
   * @throws {UsageError} If two names have one object: a call does not show its name.
   */
  #toolNames() {
    const names = new Map();
    for (const [name, tool] of Object.entries(this.#agent.tools ?? {})) {
      if (typeof tool.execute !== "function") continue;
      const other = names.get(tool);
      if (other !== undefined) {
        throw withoutOwnFrames(new UsageError(`the tools \`${other}\` and \`${name}\` are one object: give each an object of its own`));
      }
      names.set(tool, name);
    }
    return names;
  }
}

/**
 * Reports what the model said in a step, the events that were kept meanwhile, and the calls that no `execute` has shown: those that the
 * provider or another tool set executes, those that are not valid, and those that wait.
 * @param {TurnReport} report
 * @param {any} step
 * @param {HeldEvent[]} held The events that are kept; those of the step are taken out.
 */
function reportStep(report, { content, usage = {}, response }, held) {
  const calls = new Set(content.map((/** @type {any} */ { toolCallId }) => toolCallId));
  const executed = new Set(held.map(({ id }) => id));
  const notValid = new Set(content.filter((/** @type {any} */ { invalid }) => invalid).map((/** @type {any} */ { toolCallId }) => toolCallId));
  let text = "";
  for (const { type, toolCallId: id, toolName: name, ...part } of content) {
    if (type === "text") {
      text += part.text;
      continue;
    }
    // The model had said it when the first of its calls began.
    const at = held.find((event) => calls.has(event.id))?.event.at_ms;
    report.message(text, at);
    text = "";
    if (type === "reasoning") report.reasoning(part.text, at);
    else if (executed.has(id)) report.send(held.splice(0, held.findLastIndex((event) => calls.has(event.id)) + 1));
    else if (type === "tool-call") report.call(id, name, part.input, { at });
    else if (type === "tool-result" || type === "tool-error") {
      const isError = type === "tool-error";
      report.result(id, name, isError ? { error: words(part.error) } : part.output, { isError, at });
      if (!notValid.has(id)) report.unread(`tool:${name}`, ["call_times"], "the provider or another tool set executes it", name);
    } else if (!SILENT_PARTS.has(type)) report.unread(`part:${type}`, [...FACTS_OF_CALLS, "text"], "a step has a part of an unknown type");
  }
  report.message(text);
  const { inputTokens, outputTokens, inputTokenDetails, cachedInputTokens = inputTokenDetails?.cacheReadTokens } = usage;
  report.usage({ inputTokens, outputTokens, cachedInputTokens, model: response?.modelId });
}

/**
 * The answer to a request for an approval.
 * @param {any} request
 * @param {TurnBegin["answers"]} answers
 * @throws {UsageError} If it is neither yes nor no.
 */
function approvalOf({ approvalId }, answers) {
  const answer = answers.find(({ id }) => id === approvalId);
  const { payload, cancelled } = answer ?? {};
  const approved = cancelled ? false : (/** @type {any} */ (payload)?.approved ?? payload);
  if (typeof approved === "boolean") return { type: "tool-approval-response", approvalId, approved };
  const found = answer === undefined ? "there is no answer" : `this is ${short(payload)}`;
  throw withoutOwnFrames(new UsageError(`the answer to the approval \`${approvalId}\` is true, false or { approved: true }: ${found}`));
}
