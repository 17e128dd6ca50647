// A model that asks for the weather once and says it: aimock, over chat completions and the Responses API of OpenAI.
//
// It binds a free port on the loopback interface, prints its address, and ends when its standard input is closed.

import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

// The answer to the result comes first: its request still holds what the user said.
mock.on({ toolCallId: "call_weather" }, { content: "It is clear in Rome." });
mock.onMessage("weather", { toolCalls: [{ name: "get_weather", arguments: JSON.stringify({ city: "Rome" }), id: "call_weather" }] });
mock.onMessage("Hello", { content: "Hello, newcomer" });

const url = await mock.start();
process.stdin.on("end", () => process.exit(0)).resume();
console.log(url);
