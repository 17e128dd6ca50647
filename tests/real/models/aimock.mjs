// A model behind the Responses API, the Messages API and chat completions, by a public mock of them: what is answered depends on what the user says.
//
// It binds a free port on the loopback interface, prints its address as the first line of its standard output, and ends
// when its standard input is closed or on SIGTERM.

import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

const call = (name, args, id) => ({ name, arguments: JSON.stringify(args), ...(id ? { id } : {}) });
const usage = (input, output) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output });
const said = (request, text) => request.messages.some(({ content }) => JSON.stringify(content ?? "").includes(text));

// Answers to results come first: their requests may still hold what the user said.
mock.on({ toolCallId: "call_weather" }, { content: "It is clear in Rome.", usage: usage(30, 6) });
mock.on({ toolCallId: "call_lost", toolResultContains: "on strike" }, { content: "The post is on strike." });
mock.on({ toolCallId: "call_south" }, { content: "North has seven, south has none.", usage: usage(60, 9) });
mock.on({ toolCallId: "call_again" }, { toolCalls: [call("find_parcel", { number: "P-1" }, "call_again")] });

mock.on({ toolCallId: "call_order" }, { content: "It is on its way." });
mock.on({ toolCallId: "call_refund" }, { content: "You have your money back." });
mock.on({ toolCallId: "call_product" }, { content: "There is no such product." });
mock.on({ toolCallId: "call_sum" }, { content: "Five.", usage: usage(30, 2) });

// The prompts of docs/picks.md. A model does not pick the same tool each time.
const picks = {
  order: { toolCalls: [call("find_order", { number: "O-7" }, "call_order")] },
  product: { toolCalls: [call("find_product", { words: "O-7" }, "call_product")] },
  refund: { toolCalls: [call("refund_order", { number: "O-7", reason: "It is broken." }, "call_refund")] },
};
const one_of_five = (said, answers) => answers.forEach((answer, sequenceIndex) => mock.on({ userMessage: said, sequenceIndex }, answer));
one_of_five("by Friday", [picks.order, picks.order, picks.product, picks.order, picks.order]);
one_of_five("in pieces", [picks.refund, picks.order, picks.refund, picks.order, picks.refund]);
for (const said of ["Refund O-7", "money back for O-7"]) {
  mock.onMessage(said, picks.refund);
}
for (const said of ["Where is order O-7", "Has O-7 been sent", "look up my order"]) {
  mock.onMessage(said, picks.order);
}
mock.onMessage("When do you open", { content: "I do not know." });
mock.onMessage("open on Sundays", { content: "I do not know." });
mock.onMessage("two and three", { toolCalls: [call("add", { a: 2, b: 3 }, "call_sum")], usage: usage(20, 8) });

mock.onMessage("weather in Rome", { toolCalls: [call("get_weather", { city: "Rome" }, "call_weather")], usage: usage(20, 8) }, { chunkSize: 4 });
mock.onMessage("And tomorrow", { content: "It will rain." });
// This answer shows whether the request has the conversation before it: the mock stores none.
mock.on({ userMessage: "did I ask first", predicate: (request) => said(request, "weather in Rome") }, { content: "About the weather in Rome." });
mock.onMessage("did I ask first", { content: "You asked nothing before." });
mock.onMessage("stock", {
  content: "I look.",
  toolCalls: [call("check_stock", { shop: "north" }, "call_north"), call("check_stock", { shop: "south" }, "call_south")],
  usage: usage(30, 12),
});
mock.onMessage("Where is my parcel", { toolCalls: [call("find_parcel", { number: "P-1" }, "call_lost")] });
mock.onMessage("think", { content: "Four.", reasoning: "Two and two make four." });
mock.onMessage("search", { content: "Found it.", webSearches: ["ananke test runner"] });
mock.onMessage("world", { content: "Hello, world! 🌍🚀" }, { chunkSize: 1 });
mock.onMessage("long story", { content: "Once upon a", finishReason: "length" });
mock.onMessage("secret", { content: "I must", finishReason: "content_filter" });
mock.onMessage("cut off", { content: "This answer never comes to its end, whatever happens." }, { chunkSize: 5, truncateAfterChunks: 6, latency: 10 });
mock.onMessage("cut the call", { toolCalls: [call("find_parcel", { number: "P-1" }, "call_cut")] }, { chunkSize: 4, truncateAfterChunks: 5, latency: 10 });
mock.onMessage("hang up", { content: "No." }, { chaos: { disconnectRate: 1 } });
mock.onMessage("no JSON", { content: "No." }, { chaos: { malformedRate: 1 } });
mock.onMessage("overloaded", { error: { message: "the model is overloaded", type: "server_error" }, status: 500 });
mock.on({ userMessage: "busy", sequenceIndex: 0 }, { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 1 });
mock.onMessage("busy", { content: "Now I have time." });
mock.onMessage("closed", { error: { message: "come back tomorrow", type: "rate_limit_error" }, status: 429, retryAfter: 1 });
mock.onMessage("for ever", { toolCalls: [call("find_parcel", { number: "P-1" }, "call_again")] });
mock.onMessage("delete", { toolCalls: [call("delete_everything", {}, "call_delete")] });
mock.onMessage("picture", { content: "A dot." });
mock.onMessage("Hello", { content: "Hello, newcomer" });

const url = await mock.start();

function end() {
  process.exit(0);
}

process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
console.log(url);
