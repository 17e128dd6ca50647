// Puts the CopilotKit runtime in front of other agents, whose addresses are the arguments: NAME=URL. The runtime talks
// to them with the AG-UI client of before 1.0, keeps the events of every thread in memory, and is served in both of its
// forms:
//
//   /rest    a path for each thing: POST /rest/agent/NAME/run, …/connect, …/stop/THREAD; GET /rest/info
//   /single  one path for all: POST {"method": "agent/run", "params": {"agentId": NAME}, "body": …}
//
// As seen of @copilotkit/runtime 1.75.0:
// - `protocolVersion` of a request is dropped, that of an agent's `RUN_STARTED` is passed on; `input` is added to it.
// - `connect` tells every run of the thread again, whatever agent ran it: texts and arguments in one piece, without the
//   time stamps of what was joined; the states of a run as one `STATE_SNAPSHOT` right before its end; the user's messages
//   only in `input` of `RUN_STARTED`. While a run is active it goes on with that, and ends when the run does.
// - An unknown thread is answered 200 with no event, and so is a run on a thread that has one running.
// - An unknown agent is answered 404 with JSON; one that cannot be reached with `RUN_ERROR` (`INCOMPLETE_STREAM`) alone.
// - `stop` ends a run with `RUN_ERROR` (`abort`), for everybody who listens; before the agent has said anything, with a
//   bare `RUN_FINISHED`, without `RUN_STARTED` and ids.
// - A run whose `STATE_DELTA` does not apply to an empty state, without a `STATE_SNAPSHOT` before it, ends the process:
//   no agent behind it here sends one.
//
// It binds a free port on the loopback interface, prints its address as the first line of its standard output, and ends
// when its standard input is closed or on SIGTERM.

import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";

// Read when the runtime is loaded.
process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
const { CopilotRuntime, InMemoryAgentRunner } = await import("@copilotkit/runtime/v2");
const { createCopilotNodeListener } = await import("@copilotkit/runtime/v2/node");

const addresses = process.argv.slice(2).map((argument) => argument.split(/=(.*)/s).slice(0, 2));
const agents = Object.fromEntries(addresses.map(([name, url]) => [name, new HttpAgent({ url })]));
const runtime = new CopilotRuntime({ agents, runner: new InMemoryAgentRunner() });
const rest = createCopilotNodeListener({ runtime, basePath: "/rest" });
const single = createCopilotNodeListener({ runtime, basePath: "/single", mode: "single-route" });

const server = createServer((request, response) =>
  (request.url.startsWith("/single") ? single : rest)(request, response),
);

function end() {
  server.close();
  server.closeAllConnections();
  process.exit(0);
}

process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
