// What an agent says, and what it only thinks.

import { event, run, says } from "../events.mjs";

export const text = {
  "a plain answer": (input) =>
    run(input, says("m1", "", "Zażółć ", "日本語 👩‍👩‍👧\u2028", 'tab\tquote" back\\slash', "\nsecond line", "")),

  // Whatever the user shows.
  files: (input) => run(input, says("m1", "I see.")),

  "an answer a byte at a time": (input) => {
    const frames = run(input, says("m1", "żółw 日本 👩‍👩‍👧")).map((made) => `data: ${JSON.stringify(made)}\n\n`);
    return [...Buffer.from(frames.join(""))].map((byte) => ({ raw: Buffer.of(byte) }));
  },

  // A message without a role is the assistant's; the others here are not.
  "several messages": (input) =>
    run(input, [
      ...says("m1", "First."),
      ...says("m2"),
      ...["system", "developer", "user"].flatMap((role) => [
        event("TEXT_MESSAGE_START", { messageId: role, role }),
        event("TEXT_MESSAGE_CONTENT", { messageId: role, delta: `Said by the ${role}.` }),
        event("TEXT_MESSAGE_END", { messageId: role }),
      ]),
      event("TEXT_MESSAGE_START", { messageId: "m3", name: "desk" }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "m3", delta: "Last." }),
      event("TEXT_MESSAGE_END", { messageId: "m3" }),
    ]),

  "messages that interleave": (input) =>
    run(input, [
      event("TEXT_MESSAGE_START", { messageId: "a", role: "assistant" }),
      event("TEXT_MESSAGE_START", { messageId: "b", role: "assistant" }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "a", delta: "One, " }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "b", delta: "Three, " }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "a", delta: "two." }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "b", delta: "four." }),
      event("TEXT_MESSAGE_END", { messageId: "b" }),
      event("TEXT_MESSAGE_END", { messageId: "a" }),
    ]),

  // A message in chunks ends where something else of its author begins, but not at these asides.
  "text in chunks": (input) =>
    run(input, [
      event("TEXT_MESSAGE_CHUNK", { messageId: "m1", role: "assistant", delta: "Let me " }),
      event("RAW", { event: { provider: "says something" } }),
      event("ACTIVITY_SNAPSHOT", { messageId: "act", activityType: "search", content: { at: 1 } }),
      event("TEXT_MESSAGE_CHUNK", { delta: "look." }),
      event("CUSTOM", { name: "found", value: 2 }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "m2", delta: "Done" }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "m2" }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "m2", delta: "." }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "m3", delta: "Anything else?" }),
    ]),

  reasoning: (input) =>
    run(input, [
      event("REASONING_START", { messageId: "r0" }),
      event("REASONING_MESSAGE_START", { messageId: "r1", role: "reasoning" }),
      event("REASONING_MESSAGE_CONTENT", { messageId: "r1", delta: "A secret thought." }),
      event("REASONING_MESSAGE_END", { messageId: "r1" }),
      event("REASONING_MESSAGE_CHUNK", { messageId: "r2", delta: "Another " }),
      event("REASONING_MESSAGE_CHUNK", { delta: "one." }),
      event("REASONING_END", { messageId: "r0" }),
      ...says("m1", "The night train."),
      event("REASONING_ENCRYPTED_VALUE", { subtype: "message", entityId: "m1", encryptedValue: "c2VjcmV0" }),
    ]),
};
