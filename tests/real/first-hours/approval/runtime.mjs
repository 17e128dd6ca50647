// The CopilotKit runtime of the shop, with its own routes: /api/copilotkit. It binds PORT on the loopback interface.

import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";

process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
const { CopilotRuntime, InMemoryAgentRunner } = await import("@copilotkit/runtime/v2");
const { createCopilotNodeListener } = await import("@copilotkit/runtime/v2/node");

const runtime = new CopilotRuntime({ agents: { shop: new HttpAgent({ url: process.env.AGENT }) }, runner: new InMemoryAgentRunner() });
createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" })).listen(Number(process.env.PORT), "127.0.0.1");
