// The restaurant as a public mock of A2A answers: artifacts without ids beside whole tasks, streams for some messages alone.
//
// It prints its port, and ends when its standard input is closed.

import { A2AMock } from "@copilotkit/aimock";

const mock = new A2AMock({ port: 0, host: "127.0.0.1" });
mock.registerAgent({ name: "restaurant", skills: [{ id: "book", name: "Book a table" }], capabilities: { streaming: true } });
const status = (name) => ({ type: "status", state: `TASK_STATE_${name}` });
mock.onStreamingTask("restaurant", "weather", [status("WORKING"), { type: "artifact", parts: [{ text: "It is 21C." }], lastChunk: true }, status("COMPLETED")]);
mock.onStreamingTask("restaurant", "menu", [{ type: "artifact", parts: [{ data: { soup: 3, name: "borscht" } }], lastChunk: true }, status("COMPLETED")]);
mock.onTask("restaurant", "polled", [{ parts: [{ text: "I heard: polled" }] }]);
mock.onMessage("restaurant", "hello", [{ text: "hello, guest" }]);
mock.onStreamingTask("restaurant", "Hello", [status("WORKING"), { type: "artifact", parts: [{ text: "hello, newcomer" }], lastChunk: true }, status("COMPLETED")]);

const url = await mock.start();
process.stdin.on("end", () => process.exit(0)).resume();
console.log(new URL(url).port);
