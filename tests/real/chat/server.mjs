// Backends of `useChat`: the chat routes of AI SDK, in the ways in which apps write them. The model is that of ../node/ai-sdk.
// The address is the first line that it prints. It ends with its input.

import { createServer } from "node:http";

import * as ai from "ai";
import { z } from "zod";

import { asked, call, model, outputs } from "./model.js";

const { convertToModelMessages, createUIMessageStream, createUIMessageStreamResponse, streamText, tool } = ai;
// Version 7 has another name for it.
const isStepCount = ai.isStepCount ?? ai.stepCountIs;

const tools = {
  get_weather: tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, sky: "sunny" }),
  }),
  fail: tool({
    description: "A tool that is out of order",
    inputSchema: z.object({}),
    execute: async () => {
      throw new Error("out of order");
    },
  }),
  delete_all: tool({
    description: "Deletes everything",
    inputSchema: z.object({ sure: z.boolean() }),
    needsApproval: true,
    execute: async () => "gone",
  }),
  // The client executes it.
  confirm: tool({ description: "Asks the user", inputSchema: z.object({ question: z.string() }) }),
};

const CALLS = {
  weather: [call("get_weather", { city: "Paris" }, "call_1")],
  both: [call("get_weather", { city: "Paris" }, "call_1"), call("confirm", { question: "Sure?" }, "call_2")],
  confirm: ["One moment. ", call("confirm", { question: "Sure?" }, "call_1")],
  delete: [call("delete_all", { sure: true }, "call_1")],
  fail: [call("fail", {}, "call_1")],
  wrong: [call("get_weather", { town: "Paris" }, "call_1")],
  unknown: [call("launch", {}, "call_1")],
};

/** What the model says: the call that the user asks for, then what came of it. */
function reply(prompt) {
  const said = asked(prompt);
  const came = outputs(prompt);
  if (said === "broken") {
    throw new Error("no model today");
  }
  if (CALLS[said] === undefined) {
    return `You said: ${said}`;
  }
  return came.length === 0 ? CALLS[said] : `It came to this: ${came.map((output) => JSON.stringify(output.value ?? output.reason ?? output.type)).join(", ")}`;
}

async function answer(messages) {
  return streamText({
    model: model(reply),
    messages: await convertToModelMessages(messages, { tools }),
    tools,
    stopWhen: isStepCount(5),
    // The SDK prints errors of its own otherwise.
    onError: () => {},
  });
}

/** A stream written by hand: data of the app before the model, and no start. */
async function written(messages) {
  const stream = createUIMessageStream({
    originalMessages: messages,
    execute: async ({ writer }) => {
      writer.write({ type: "data-status", data: { step: "thinking" }, transient: true });
      writer.write({ type: "data-cart", id: "1", data: { items: 2 } });
      writer.merge((await answer(messages)).toUIMessageStream());
    },
    onError: String,
  });
  return createUIMessageStreamResponse({ stream });
}

const ROUTES = {
  "/api/chat": async (messages) => (await answer(messages)).toUIMessageStreamResponse({ originalMessages: messages, sendReasoning: true }),
  "/api/written": written,
  "/api/text": async (messages) => (await answer(messages)).toTextStreamResponse(),
};

async function respond(request, response) {
  const route = ROUTES[request.url];
  if (request.method !== "POST" || route === undefined) {
    response.writeHead(route === undefined ? 404 : 405).end();
    return;
  }
  let body = "";
  for await (const chunk of request) {
    body += chunk;
  }
  const { messages } = JSON.parse(body);
  // Apps that keep chats check what comes back.
  await ai.validateUIMessages({ messages });
  const answered = await route(messages);
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  for await (const chunk of answered.body) {
    response.write(chunk);
  }
  response.end();
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => response.writeHead(500, { "content-type": "text/plain" }).end(String(error)));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
