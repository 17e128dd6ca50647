// A model that asks for the weather once, says it, and answers two more questions to whoever shows the conversation so far: aimock,
// over chat completions and the Responses API of OpenAI. For ../first-hours it also has an order deleted.
//
// It binds a free port on the loopback interface, prints its address, and ends when its standard input is closed.

import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

// The question is in the last message of the user; an earlier answer must be somewhere in the request.
const asked = (question, earlier) => (request) => {
  const said = request.messages.filter(({ role }) => role === "user").at(-1);
  return JSON.stringify(said?.content ?? "").includes(question) && JSON.stringify(request.messages).includes(earlier);
};

// The answer to the result comes first: its request still holds what the user said.
mock.on({ toolCallId: "call_weather" }, { content: "It is clear in Rome." });
mock.on({ predicate: asked("And which city", "It will rain") }, { content: "You asked about Rome." });
mock.on({ predicate: asked("And tomorrow", "It is clear in Rome.") }, { content: "It will rain." });
mock.on(
  { predicate: asked("the weather in Rome", "") },
  { toolCalls: [{ name: "get_weather", arguments: JSON.stringify({ city: "Rome" }), id: "call_weather" }] },
);

// The result of the deletion says whether it was approved.
const deleted = (request) => request.messages.some(({ role, content }) => role === "tool" && JSON.stringify(content).includes("gone"));
mock.on({ toolCallId: "call_delete", predicate: deleted }, { content: "Order O-7 is deleted." });
mock.on({ toolCallId: "call_delete" }, { content: "Order O-7 is kept." });
mock.on({ predicate: asked("What is left", "Order O-7 is deleted.") }, { content: "Nothing is left." });
mock.on({ predicate: asked("What is left", "Order O-7 is kept.") }, { content: "Order O-7 is left." });
mock.on(
  { predicate: asked("Delete order O-7", "") },
  { toolCalls: [{ name: "delete_order", arguments: JSON.stringify({ order: "O-7" }), id: "call_delete" }] },
);
mock.onMessage("Hello", { content: "Hello, newcomer" });

const url = await mock.start();
process.stdin.on("end", () => process.exit(0)).resume();
console.log(url);
