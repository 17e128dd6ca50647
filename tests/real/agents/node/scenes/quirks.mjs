// What servers out there send although the protocol says otherwise: a client must make sense of it all the same, or say
// that it cannot. What no encoder would write is given as raw bytes.

import { event, finished, run, says, started } from "../events.mjs";

const data = (value) => ({ raw: `data: ${JSON.stringify(value)}\n\n` });
const plain = (events) => events.map(data);

export const quirks = {
  // A server of before 1.0, in a language whose names have underscores, which sends null for what it has not.
  "a server of another age": ({ threadId, runId }) => [
    data({ type: "RUN_STARTED", thread_id: threadId, run_id: runId, timestamp: 1795292437.25, raw_event: null }),
    data({ type: "THINKING_START", title: "Hm" }),
    data({ type: "THINKING_TEXT_MESSAGE_START" }),
    data({ type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "A secret thought." }),
    data({ type: "THINKING_TEXT_MESSAGE_END" }),
    data({ type: "THINKING_END" }),
    data({ type: "TOOL_CALL_START", tool_call_id: "t1", tool_call_name: "look", parent_message_id: null }),
    data({ type: "TOOL_CALL_ARGS", tool_call_id: "t1", delta: '{"q":1}' }),
    data({ type: "TOOL_CALL_END", tool_call_id: "t1" }),
    data({ type: "TOOL_CALL_RESULT", message_id: "r1", tool_call_id: "t1", content: "seen", role: null }),
    data({ type: "TEXT_MESSAGE_START", message_id: 7, role: null }),
    data({ type: "TEXT_MESSAGE_CONTENT", message_id: 7, delta: "Done." }),
    data({ type: "TEXT_MESSAGE_END", message_id: 7 }),
    data({ type: "RUN_FINISHED", thread_id: threadId, run_id: runId, result: null, outcome: null }),
  ],

  "a newer server": (input) => [
    data({ ...started(input), protocolVersion: "9.0", somethingNew: { a: 1 } }),
    data({ type: "HOLOGRAM_START", messageId: "m1" }),
    ...plain(says("m1", "From the future.")),
    data({ ...finished(input), outcome: { type: "success", confidence: 1 } }),
  ],

  // Comments that keep the line alive, names and ids of events, other line ends, data in two lines, marks of others.
  "frames of every kind": (input) => {
    const frames = run(input, says("m1", "All ", "read.")).map((made) => JSON.stringify(made));
    const others = [
      "\uFEFF: hello\r\n\r\n",
      `event: message\r\nid: 1\r\nretry: 10\r\ndata: ${frames[0]}\r\n\r\n`,
      ": keep-alive\n\n: ping\r\r",
      `data:${frames[1].replace(",", "\ndata:,")}\n\n`,
      "data: \n\ndata\n\nevent: ping\n\n",
      ...frames.slice(2, -1).map((frame) => `data: ${frame}\r\r`),
      "data: [DONE]\n\n",
      `data: ${frames.at(-1)}`,
    ];
    return others.flatMap((raw) => [{ raw }, { wait: 20 }]);
  },

  "text after its end": (input) => [
    started(input),
    ...says("m1", "The end"),
    event("TEXT_MESSAGE_CONTENT", { messageId: "m1", delta: " is not the end." }),
    event("TEXT_MESSAGE_CONTENT", { messageId: "m2", delta: "Nor is this a beginning." }),
    event("TEXT_MESSAGE_END", { messageId: "m2" }),
    finished(input),
  ],

  "more after the end": (input) => [...run(input, says("m1", "Over.")), ...says("m2", "Out."), finished(input)],

  "an error and a finish": (input) => [started(input), event("RUN_ERROR", { message: "it failed" }), finished(input)],

  "a finish and an error": (input) => [
    ...run(input, says("m1", "It worked.")),
    event("RUN_ERROR", { message: "it failed in the end" }),
  ],

  // As a runtime answers where somebody stopped the run before the agent had said a word.
  "an end of nothing": () => [data({ type: "RUN_FINISHED" })],

  "ends before it is over": (input) => [started(input), ...says("m1", "I am not don")],

  "a connection that breaks": (input) => [
    started(input),
    event("TEXT_MESSAGE_START", { messageId: "m1", role: "assistant" }),
    { raw: 'data: {"type":"TEXT_MESSAGE_CONT' },
    { wait: 30 },
    { cut: true },
  ],

  // Not what was asked for: another thread, another run.
  "ids of somebody else's": (input) => run({ threadId: "theirs", runId: "theirs" }, says("m1", "Whose am I?")),

  "everything is left open": (input) => [
    started(input),
    event("STEP_STARTED", { stepName: "forever" }),
    event("TEXT_MESSAGE_START", { messageId: "m1", role: "assistant" }),
    event("TEXT_MESSAGE_CONTENT", { messageId: "m1", delta: "Left open." }),
    event("TOOL_CALL_START", { toolCallId: "t1", toolCallName: "look" }),
    event("TOOL_CALL_ARGS", { toolCallId: "t1", delta: '{"q":1}' }),
    finished(input),
  ],
};
