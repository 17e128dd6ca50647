// A model of AI SDK that says what a test wants, in the newest version of the interface of models that the package has.

import * as testing from "ai/test";

const MockModel = testing.MockLanguageModelV4 ?? testing.MockLanguageModelV3;
const usage = {
  inputTokens: { total: 10, noCache: 8, cacheRead: 2, cacheWrite: undefined },
  outputTokens: { total: 4, text: 4, reasoning: undefined },
};

/** A part of a reply that is a call. */
export function call(toolName, input, toolCallId) {
  return { type: "tool-call", toolCallId, toolName, input: typeof input === "string" ? input : JSON.stringify(input) };
}

/** A model that replies to a prompt: with a text, or a list of texts and calls. */
export function model(reply) {
  const replyTo = ({ prompt }) => {
    const parts = [reply(prompt)].flat();
    return parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
  };
  const ending = (content) => {
    const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
    return { finishReason: { unified, raw: undefined }, usage };
  };
  return new MockModel({
    modelId: "mock-model",
    doGenerate: async (options) => {
      const content = replyTo(options);
      return { content, ...ending(content), warnings: [] };
    },
    doStream: async (options) => {
      const content = replyTo(options);
      const chunks = content.flatMap((part, id) =>
        part.type === "text"
          ? [
              { type: "text-start", id: `${id}` },
              ...[...part.text.matchAll(/\S+\s*/g)].map(([delta]) => ({ type: "text-delta", id: `${id}`, delta })),
              { type: "text-end", id: `${id}` },
            ]
          : [part],
      );
      return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", ...ending(content) }]) };
    },
  });
}

/** The text of the user's last message. */
export function asked(prompt) {
  return prompt.findLast(({ role }) => role === "user").content.map(({ text }) => text).join("");
}

/** The outputs of tools after the user's last message. */
export function outputs(prompt) {
  const since = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
  return since.flatMap(({ role, content }) => (role === "tool" ? content : [])).filter(({ type }) => type === "tool-result").map(({ output }) => output);
}
