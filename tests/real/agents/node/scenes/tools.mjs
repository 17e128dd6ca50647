// Tool calls in every form that the protocol allows.

import { calls, event, result, run, says } from "../events.mjs";

/** A call with its result. */
const called = (id, name, pieces, content) => [...calls(id, name, ...pieces), result(id, content)];

export const tools = {
  "a tool call": (input) =>
    run(input, [
      ...called(
        "t1",
        "get_weather",
        ['{"city":"Par', 'is","days":2,"options":{"unit":"c","tags"', ':["a","b"]}}'],
        '{"sky":"sunny"}',
      ),
      ...says("m1", "Sunny."),
    ]),

  "arguments of every kind": (input) =>
    run(input, [
      ...called("t1", "nothing", [], "pong"),
      ...called("t2", "empty", ["", ""], "pong"),
      ...called("t3", "list", ["[1,", "2]"], "pong"),
      ...called("t4", "number", ["7"], "pong"),
      ...called("t5", "broken", ['{"q": "untermi', "nated"], "pong"),
      ...called("t6", "unicode", ['{"q":"\\u017c ż 👩‍👩‍👧"}'], "pong"),
      ...called("t7", "spaced", [' { "b" : 1 ,\n "a" : 1.50 } '], "pong"),
    ]),

  "results of every kind": (input) =>
    run(input, [
      ...called("t1", "object", [], '{ "b": 1, "a": [true, null] }'),
      ...called("t2", "word", [], "ok"),
      ...called("t3", "quoted", [], '"ok"'),
      ...called("t4", "empty", [], ""),
      ...called("t5", "number", [], "1.50"),
      ...called("t6", "null", [], "null"),
      ...called("t7", "broken", [], '{"half":'),
      ...called("t8", "lines", [], "one\ntwo"),
      ...calls("t9", "unanswered"),
    ]),

  "a result of parts": (input) => {
    const image = { type: "image", source: { type: "data", value: "iVBORw0KGgo=", mimeType: "image/png" } };
    return run(input, called("t1", "screenshot", [], [{ type: "text", text: "here" }, image]));
  },

  "two results of one call": (input) =>
    run(input, [
      ...called("t1", "job", ["{}"], "half way"),
      event("TOOL_CALL_RESULT", { messageId: "again", toolCallId: "t1", content: "done" }),
    ]),

  // Both are under way at once, inside a message, and answered the other way round; the message ends after them.
  "parallel calls inside a message": (input) =>
    run(input, [
      event("TEXT_MESSAGE_START", { messageId: "m1", role: "assistant" }),
      event("TEXT_MESSAGE_CONTENT", { messageId: "m1", delta: "Looking " }),
      event("TOOL_CALL_START", { toolCallId: "t1", toolCallName: "find_flights", parentMessageId: "m1" }),
      event("TOOL_CALL_START", { toolCallId: "t2", toolCallName: "find_hotels", parentMessageId: "m1" }),
      event("TOOL_CALL_ARGS", { toolCallId: "t2", delta: '{"city":' }),
      event("TOOL_CALL_ARGS", { toolCallId: "t1", delta: '{"to":' }),
      event("TOOL_CALL_ARGS", { toolCallId: "t2", delta: '"Lisbon"}' }),
      event("TOOL_CALL_ARGS", { toolCallId: "t1", delta: '"LIS"}' }),
      event("TOOL_CALL_END", { toolCallId: "t2" }),
      event("TOOL_CALL_END", { toolCallId: "t1" }),
      result("t2", "Alfama"),
      result("t1", "TP 123"),
      event("TEXT_MESSAGE_CONTENT", { messageId: "m1", delta: "done." }),
      event("TEXT_MESSAGE_END", { messageId: "m1" }),
    ]),

  "calls in chunks": (input) =>
    run(input, [
      event("TEXT_MESSAGE_CHUNK", { messageId: "m1", delta: "Let me look." }),
      event("TOOL_CALL_CHUNK", { toolCallId: "t1", toolCallName: "look", parentMessageId: "m1", delta: '{"q":' }),
      event("TOOL_CALL_CHUNK", { delta: '"x"' }),
      event("TOOL_CALL_CHUNK", { toolCallId: "t1", delta: "}" }),
      event("TOOL_CALL_CHUNK", { toolCallId: "t2", toolCallName: "look", parentMessageId: "m1" }),
      result("t1", "one"),
      result("t2", "two"),
      event("TEXT_MESSAGE_CHUNK", { messageId: "m2", delta: "Done." }),
    ]),

  // Announced again without a result it is the same call; after its result it is another one.
  "a call announced again": (input) =>
    run(input, [
      ...calls("t1", "pay", '{"amount":1}'),
      ...calls("t1", "pay", '{"amount":1}'),
      result("t1", "paid"),
      ...calls("t1", "pay", '{"amount":2}'),
    ]),

  "a result without a call": (input) => run(input, [result("nobody", "who asked?"), ...says("m1", "Hm.")]),

  // A parent that never begins, one that begins later, one that is somebody else's, and the call's own id.
  "parents of every kind": (input) => {
    const call = (toolCallId, parentMessageId) => [
      event("TOOL_CALL_START", { toolCallId, toolCallName: "look", parentMessageId }),
      event("TOOL_CALL_END", { toolCallId }),
      event("TOOL_CALL_RESULT", { messageId: toolCallId, toolCallId, content: "seen" }),
    ];
    return run(input, [
      ...call("t1", "never"),
      ...call("t2", "m1"),
      ...says("m1", "Looked."),
      ...call("t3", input.messages[0].id),
      ...call("t4", "t4"),
      ...call("t5", "never"),
    ]);
  },
};
