// How a run begins and ends, how a stream does, and runs that go on with an earlier one.

import { calling, calls, event, finished, result, run, says, started } from "../events.mjs";

/** What the client answered to its own tool. */
const picked = (input) =>
  input.messages.filter(({ role, toolCallId }) => role === "tool" && toolCallId.startsWith("pick-"));
const usage = [{ provider: "none", model: "scripted", inputTokens: 3, outputTokens: 4, totalTokens: 7 }];
const interrupts = [
  {
    id: "int-1",
    reason: "tool_call",
    message: "Book TP 123?",
    toolCallId: "book-1",
    responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
  },
  { id: "int-2", reason: "input_required", expiresAt: "2030-01-01T00:00:00Z", metadata: { field: "name" } },
];

export const runs = {
  "an outcome with usage": (input) =>
    run(input, says("m1", "42"), { outcome: { type: "success" }, result: { answer: 42 }, usage }),

  "an error": (input) => [
    started(input),
    ...says("m1", "One moment."),
    event("RUN_ERROR", { message: "the quota is used up", code: "QUOTA", usage }),
  ],

  "an error before the run": () => [event("RUN_ERROR", { message: "there is no such agent", code: "NOT_FOUND" })],

  "an error in the middle": (input) => [
    started(input),
    event("STEP_STARTED", { stepName: "pay" }),
    event("TOOL_CALL_START", { toolCallId: "t1", toolCallName: "pay" }),
    event("TOOL_CALL_ARGS", { toolCallId: "t1", delta: '{"amou' }),
    event("TEXT_MESSAGE_START", { messageId: "m1", role: "assistant" }),
    event("TEXT_MESSAGE_CONTENT", { messageId: "m1", delta: "I have pa" }),
    event("RUN_ERROR", { message: "the line is dead" }),
  ],

  "a cancelled run": (input) => run(input, says("m1", "Let me think"), { outcome: { type: "cancelled" } }),

  "several runs in one stream": (input) => {
    const [second, third] = [2, 3].map((number) => ({ ...input, runId: `${input.runId}-${number}` }));
    return [
      ...run(input, says("m1", "First.")),
      started(second, { parentRunId: input.runId }),
      ...calls("t1", "look", "{}"),
      result("t1", "seen"),
      finished(second),
      ...run(third, says("m3", "Third.")),
    ];
  },

  "a run after a failed one": (input) => [
    started(input),
    event("RUN_ERROR", { message: "the first try failed" }),
    ...run({ ...input, runId: `${input.runId}-2` }, says("m1", "The second did not.")),
  ],

  // The client must not wait for the end of the stream.
  "a stream that stays open": (input) => [...run(input, says("m1", "That is all.")), { wait: 60_000 }],

  "a tool of the client": (input) => {
    const [answer] = picked(input);
    if (answer) return run(input, says("m2", `You picked ${answer.error ?? answer.content}.`));
    const events = [
      ...calls("look-1", "get_weather", '{"city":"Lisbon"}'),
      result("look-1", "sunny"),
      ...calls("pick-1", "pick_seat", '{"rows":[12,14]}'),
    ];
    return run(input, events, { outcome: { type: "success", pendingToolCallIds: ["pick-1"] } });
  },

  // Asks once more after the first answer.
  "a tool of the client, twice": (input) => {
    const answers = picked(input);
    if (answers.length === 2) return run(input, says("m3", answers.map(({ content }) => content).join(" and ")));
    const passenger = answers.length + 1;
    return run(input, calls(`pick-${passenger}`, "pick_seat", JSON.stringify({ passenger })));
  },

  // Two at once, one to be approved and one to be filled in; the answers come in one later run.
  "an interrupt": (input) => {
    if (input.resume) {
      const told = ({ interruptId, status, payload }) => `${interruptId} ${status} ${JSON.stringify(payload) ?? "-"}`;
      const booked = result("book-1", input.resume[0].status === "resolved" ? "booked" : "not booked");
      return run(input, [booked, ...says("m2", input.resume.map(told).join("\n"))]);
    }
    const events = [
      ...says("m1", "Shall I?"),
      ...calls("book-1", "book_flight", '{"flight":"TP 123"}'),
      event("STATE_SNAPSHOT", { snapshot: { waiting: true } }),
    ];
    return run(input, events, { outcome: { type: "interrupt", interrupts } });
  },

  // As agents told it before the protocol had a word for it: what they wait for is a text of JSON.
  "an interrupt of another age": (input) => {
    const resume = input.forwardedProps?.command?.resume;
    if (resume !== undefined) {
      return run(input, [result("book-1", "booked"), ...says("m2", `You said ${JSON.stringify(resume)}.`)]);
    }
    const ask = event("CUSTOM", { name: "on_interrupt", value: JSON.stringify({ question: "Shall I?" }) });
    return run(input, [...calls("book-1", "book_flight", '{"flight":"TP 123"}'), ask]);
  },

  // What a client gets that connects to a thread: runs of earlier, in one stream, none of them its own.
  "a thread of earlier": ({ threadId }) => {
    const first = { threadId, runId: "r1" };
    const second = { threadId, runId: "r2" };
    const asked = { id: "u1", role: "user", content: "What is the weather in Paris?" };
    const answered = { id: "m1", role: "assistant", content: "Sunny in Paris." };
    return [
      started(first, { input: { ...first, messages: [asked] } }),
      ...calls("t1", "get_weather", '{"city":"Paris"}'),
      result("t1", "sunny"),
      ...says("m1", "Sunny in Paris."),
      event("STATE_SNAPSHOT", { snapshot: { city: "Paris" } }),
      finished(first),
      started(second, {
        input: { ...second, messages: [asked, answered, { id: "u2", role: "user", content: "Go on" }] },
      }),
      event("RUN_ERROR", { message: "it broke down" }),
    ];
  },

  // The same from a server that keeps what was said rather than what happened.
  "a thread as it stands": (input) => {
    const messages = [
      { id: "u1", role: "user", content: "What is the weather in Paris?" },
      calling("m1", ["t1", "get_weather", '{"city":"Paris"}']),
      { id: "r1", role: "tool", toolCallId: "t1", content: "sunny" },
      { id: "m2", role: "assistant", content: "Sunny in Paris." },
    ];
    return run(input, [
      event("MESSAGES_SNAPSHOT", { messages }),
      event("STATE_SNAPSHOT", { snapshot: { city: "Paris" } }),
    ]);
  },

  // Nobody has said anything on it.
  "a thread of nothing": (input) => run(input, []),
};
