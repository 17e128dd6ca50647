// A server of the TypeScript SDK, version 2: `stdio`; `http PORT`, where each request stands for itself; or `sessions PORT`, which
// begins with `initialize`.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, acceptedContent, createMcpHandler, fromJsonSchema, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (words) => ({ content: [{ type: "text", text: words }] });

function makeServer() {
  const server = new McpServer({ name: "ananke-test", version: "1.0.0" });
  server.registerTool(
    "add",
    {
      description: "Adds two integers.",
      inputSchema: z.object({ a: z.int(), b: z.int() }),
      outputSchema: z.object({ sum: z.int() }),
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", { description: "Always fails.", inputSchema: z.object({ reason: z.string() }) }, ({ reason }) => {
    throw new Error(reason);
  });
  // Two of its arguments are headers of the request too, one of them inside an object.
  const find = {
    type: "object",
    properties: {
      city: { type: "string", "x-mcp-header": "City" },
      shoe: { type: "object", properties: { size: { type: "integer", "x-mcp-header": "Size" } } },
    },
    required: ["city"],
  };
  server.registerTool("find", { description: "Finds shoes.", inputSchema: fromJsonSchema(find) }, ({ city, shoe }) =>
    text(`shoes of size ${shoe?.size} in ${city}`),
  );
  const size = z.object({ size: z.int() });
  server.registerTool("order", { description: "Orders shoes.", inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "size", size);
    if (answer) {
      return text(`ordered size ${answer.size}`);
    }
    return inputRequired({ inputRequests: { size: inputRequired.elicit({ message: "Which size?", requestedSchema: size }) } });
  });
  server.registerTool("walk", { description: "Reports progress.", inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const { progressToken } = mcpReq._meta;
    for (const progress of [1, 2]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 2 } });
    }
    return text("arrived");
  });
  server.registerResource("hours", "shop://hours", {}, () => ({ contents: [{ uri: "shop://hours", text: "open from 9 to 5" }] }));
  server.registerPrompt("greeting", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
  }));
  return server;
}

const sessions = new Map();

async function serveSession(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

const [mode, port] = process.argv.slice(2);
if (mode === "stdio") {
  serveStdio(makeServer);
} else {
  const handler = mode === "sessions" ? serveSession : toNodeHandler(createMcpHandler(makeServer));
  createServer(handler).listen(Number(port), "127.0.0.1");
}
