// Serves OpenAI's chat completions with a public mock of them: what is answered depends on what the user says.
//
// `GET /__aimock/journal` of the mock tells the requests, which ../run holds against the types of the official client.
// It binds a free port on the loopback interface, prints its address as the first line of its standard output, and ends
// when its standard input is closed or on SIGTERM.

import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

const call = (name, args, id) => ({ name, arguments: JSON.stringify(args), ...(id ? { id } : {}) });
const usage = (prompt, completion) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

// A judge: its question holds what the user said as well, so it comes before all else.
mock.onMessage('"criteria":"It greets."', { content: '{"passed": true, "score": 0.8, "reason": "It says hello."}', usage: usage(90, 20) });
mock.onMessage('"criteria":"It rhymes."', { content: "FAIL: nothing rhymes", usage: usage(90, 8) });

// A simulator: its question holds what was said before as well.
const user = (turn) => new RegExp(`"goal":"get my parcel".*"turn_number":${turn}\\b`, "s");
mock.onMessage(user(1), { content: '{"input": "hello", "goal_achieved": false, "reasoning": "I begin."}', usage: usage(200, 20) });
mock.onMessage(user(2), { content: "```json\n{\"input\": \"Where is my parcel?\"}\n```", usage: usage(220, 12) });
mock.onMessage(user(3), { content: '{"input": "", "goal_achieved": true}', usage: usage(240, 8) });
mock.onMessage('"goal":"overload it"', { error: { message: "the model is overloaded", type: "server_error" }, status: 503 });

// Answers to results come first: their requests still hold what the user said.
mock.on({ toolCallId: "call_find" }, { content: "Your parcel is in Gdynia.", usage: usage(40, 6) });
mock.on({ toolCallId: "call_south" }, { content: "North has seven, south has none.", usage: usage(60, 9) });
mock.on({ toolCallId: "call_again" }, { toolCalls: [call("find_parcel", { number: "P-1" }, "call_again")] });

mock.onMessage("Hello", { content: "Hello, newcomer" });
mock.onMessage("hello", { content: "Hello from the model", usage: usage(5, 4) }, { chunkSize: 3 });
mock.onMessage("parcel", { toolCalls: [call("find_parcel", { number: "P-1" }, "call_find")], usage: usage(20, 8) }, { chunkSize: 4 });
mock.onMessage("stock", {
  content: "I look.",
  toolCalls: [call("check_stock", { shop: "north" }, "call_north"), call("check_stock", { shop: "south" }, "call_south")],
  usage: usage(30, 12),
});
mock.onMessage("think", { content: "Four.", reasoning: "Two and two make four." });
mock.onMessage("for ever", { toolCalls: [call("find_parcel", { number: "P-1" }, "call_again")] });
mock.onMessage("delete", { toolCalls: [call("delete_everything", {}, "call_delete")] });
mock.onMessage("cut off", { content: "This answer never comes to its end, whatever happens." }, { chunkSize: 5, truncateAfterChunks: 3 });
mock.onMessage("overloaded", { error: { message: "the model is overloaded", type: "server_error" }, status: 503 });
mock.on({ userMessage: "busy", sequenceIndex: 0 }, { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 1 });
mock.onMessage("busy", { content: "Now I have time." });

const url = await mock.start();

function end() {
  process.exit(0);
}

process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
console.log(url);
