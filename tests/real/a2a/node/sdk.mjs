// The restaurant with the official SDK in JavaScript: JSON-RPC and HTTP+JSON of 1.0, and JSON-RPC of 0.3 by its compatibility.
//
// It prints its port, and ends when its standard input is closed.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";
import express from "express";

const text = (value) => ({ content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" });
const data = (value, metadata) => ({ content: { $case: "data", value }, metadata, filename: "", mediaType: "" });
const call = { id: "call-1", name: "get_weather", args: { city: "Kyiv", days: 3 } };
const result = { id: "call-1", name: "get_weather", response: { result: "21C" } };

class Restaurant {
  async execute({ userMessage, task, taskId, contextId }, bus) {
    const said = userMessage.parts.map((part) => part.content?.value).join(" ");
    const ids = { taskId, contextId, metadata: undefined };
    const message = (parts) => ({ ...ids, messageId: randomUUID(), role: Role.ROLE_AGENT, parts, extensions: [], referenceTaskIds: [] });
    if (said === "hello") {
      bus.publish(AgentEvent.message(message([text("hello, guest")])));
      return bus.finished();
    }
    const state = (name, parts) => ({ state: TaskState[`TASK_STATE_${name}`], message: parts && message(parts), timestamp: new Date().toISOString() });
    const status = (name, parts) => bus.publish(AgentEvent.statusUpdate({ ...ids, status: state(name, parts) }));
    const artifact = (artifactId, parts, append = false, lastChunk = true) => {
      const made = { artifactId, name: "answer", description: "", parts, metadata: undefined, extensions: [] };
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact: made, append, lastChunk }));
    };
    bus.publish(AgentEvent.task(task ?? { id: taskId, contextId, status: state("SUBMITTED"), history: [userMessage], artifacts: [], metadata: undefined }));
    if (task) {
      artifact("booking", [text(`A table in ${said} is booked.`)]);
    } else if (said === "book") {
      status("INPUT_REQUIRED", [text("In which city?")]);
      return bus.finished();
    } else if (said === "chunks") {
      status("WORKING", [text("I count.")]);
      ["one ", "two ", "three"].forEach((part, number) => artifact("count", [text(part)], number > 0, number === 2));
    } else if (said === "menu") {
      artifact("menu", [data({ soup: 3, name: "borscht" })]);
    } else if (said === "weather") {
      status("WORKING", [data(call, { adk_type: "function_call" })]);
      status("WORKING", [data(result, { adk_type: "function_response" })]);
      artifact("weather", [text("It is 21C.")]);
    } else if (said === "closed") {
      status("FAILED", [text("The kitchen is closed.")]);
      return bus.finished();
    } else if (said === "crash") {
      throw new Error("the stove exploded");
    } else {
      artifact("heard", [text(`I heard: ${said}`)]);
    }
    status("COMPLETED");
    bus.finished();
  }

  async cancelTask() {}
}

function cardOf(supportedInterfaces) {
  return {
    name: "restaurant",
    description: "books tables",
    version: "1.0.0",
    supportedInterfaces,
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: { guests: { scheme: { $case: "httpAuthSecurityScheme", value: { description: "", scheme: "bearer", bearerFormat: "" } } } },
    securityRequirements: [],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    signatures: [],
  };
}

const server = createServer().listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  const of = (path, protocolBinding, protocolVersion) => ({ url: `http://127.0.0.1:${port}${path}`, protocolBinding, protocolVersion, tenant: "" });
  const rpc = of("/rpc", "JSONRPC", "1.0");
  const rest = of("/rest", "HTTP+JSON", "1.0");
  const old = of("/rpc", "JSONRPC", "0.3");
  const card = cardOf([rpc, rest, old]);
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Restaurant());
  const app = express();
  const cards = { "": card, "/rest": cardOf([rest]), "/old": cardOf([old]) };
  for (const [path, one] of Object.entries(cards)) {
    app.use(`${path}/.well-known/agent-card.json`, agentCardHandler({ agentCardProvider: async () => one, legacyCompat: path !== "/rest" ? { enabled: true } : undefined }));
  }
  app.use((request, response, next) => {
    request.headers.authorization === "Bearer open-sesame" ? next() : response.status(401).type("text/plain").send("who are you?");
  });
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } };
  app.use("/rpc", jsonRpcHandler(options));
  app.use("/rest", restHandler({ ...options, legacyCompat: undefined }));
  server.on("request", app);
  console.log(port);
});

process.stdin.on("end", () => process.exit(0)).resume();
