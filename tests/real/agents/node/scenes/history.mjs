// Snapshots of the conversation: what they repeat counts once, what only they tell counts, what is older does not.

import { calling, calls, event, result, run, says } from "../events.mjs";

const snapshot = (...messages) => event("MESSAGES_SNAPSHOT", { messages });
const paris = ["t1", "get_weather", '{"city":"Paris"}'];

export const history = {
  "told only by a snapshot": (input) =>
    run(input, [
      snapshot(
        ...input.messages,
        calling("m1", paris),
        { id: "r1", role: "tool", toolCallId: "t1", content: '{"sky":"sunny"}' },
        { id: "m2", role: "assistant", content: "Sunny in Paris." },
      ),
    ]),

  // An agent with a memory of its own: an earlier day's talk stands before the user's message.
  "a snapshot with an earlier day": (input) =>
    run(input, [
      ...says("m1", "Today it rains."),
      snapshot(
        { id: "old-u", role: "user", content: "What is the weather in Paris?" },
        { ...calling("old-m", paris), content: "One moment." },
        { id: "old-r", role: "tool", toolCallId: "t1", content: "sunny" },
        { id: "old-m2", role: "assistant", content: "Yesterday it was sunny." },
        ...input.messages,
        { id: "m1", role: "assistant", content: "Today it rains." },
      ),
    ]),

  // As a server does that gives its messages new ids when it stores them, and tells what it told already.
  "a snapshot that repeats the stream": (input) =>
    run(input, [
      ...calls("t1", "get_weather", '{"city":"Paris"}'),
      result("t1", "sunny"),
      ...says("m1", "Sunny."),
      snapshot(
        ...input.messages.map((message, index) => ({ ...message, id: `stored-${index}` })),
        calling("stored-calls", paris),
        { id: "stored-result", role: "tool", toolCallId: "t1", content: "sunny" },
        { id: "stored-text", role: "assistant", content: "Sunny." },
      ),
    ]),

  // In the middle of the run, with messages of every other role, and with more to come.
  "a snapshot in the middle": (input) =>
    run(input, [
      ...calls("t1", "get_weather", '{"city":"Paris"}'),
      snapshot(
        { id: "s1", role: "system", content: "Be kind." },
        ...input.messages,
        { id: "th1", role: "reasoning", content: "Hm.", encryptedValue: "c2VjcmV0" },
        { id: "act1", role: "activity", activityType: "plan", content: { steps: [] } },
        { ...calling("m1", paris), name: "desk" },
      ),
      result("t1", "sunny"),
      ...says("m2", "Sunny."),
    ]),
};
