// The tools of the agent: a server of MCP on stdio, with the official SDK.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

function makeServer() {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "get_weather",
    {
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), sky: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ city }) => ({ content: [{ type: "text", text: `${city}: clear` }], structuredContent: { city, sky: "clear" } }),
  );
  return server;
}

serveStdio(makeServer);
