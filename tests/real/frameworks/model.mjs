// A model that asks for the weather once, says it, and answers two more questions to whoever shows the conversation so far: aimock,
// over chat completions and the Responses API of OpenAI.
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
mock.onMessage("Hello", { content: "Hello, newcomer" });

const url = await mock.start();
process.stdin.on("end", () => process.exit(0)).resume();
console.log(url);
