// Eight conversations at once with one agent process, run after run: lanes.mjs RUNS.
//
// Each conversation has a lane, whose answers name it and the run. Requests name the lane in their URL, in the header `baggage`, or
// in nothing but the ids of earlier answers: then only the first request has the header. Every conversation has the same words, and
// the official clients send it by each API.

import assert from "node:assert/strict";
import { setTimeout as passed } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { PARAMETERS, TOOL } from "./steps.mjs";

const LANES = 8;
const RUNS = Number(process.argv[2]);
const URLS = { openai: process.env.OPENAI_BASE_URL, anthropic: process.env.ANTHROPIC_BASE_URL };
const plain = { openai: new OpenAI(), anthropic: new Anthropic() };
const ofLane = Array.from({ length: LANES }, (_, lane) => ({
  openai: new OpenAI({ baseURL: URLS.openai.replace("/v1", `/t/lane-${lane}/v1`) }),
  anthropic: new Anthropic({ baseURL: `${URLS.anthropic}/t/lane-${lane}` }),
}));

// The client and the options of each request of a conversation, by its number.
const EVIDENCE = {
  url: (lane) => ({ clients: ofLane[lane] }),
  baggage: (lane) => ({ clients: plain, headers: { baggage: `userId=alice,ananke.test=lane-${lane};p=1` } }),
  ids: (lane, number) => (number === 1 ? EVIDENCE.baggage(lane) : { clients: plain }),
};

// An API: adds what the user says or the tool gives to the conversation, and asks for an answer, which is a text and calls.
const WIRES = {
  chat: {
    user: (conversation, content) => conversation.push({ role: "user", content }),
    result: (conversation, id, content) => conversation.push({ role: "tool", tool_call_id: id, content }),
    async ask(conversation, { clients, headers }) {
      const tools = [{ type: "function", function: { ...TOOL, parameters: PARAMETERS } }];
      const request = { model: "gpt-5", messages: conversation, tools };
      const [{ message }] = (await clients.openai.chat.completions.create(request, { headers })).choices;
      conversation.push(message);
      const calls = (message.tool_calls ?? []).map((call) => [call.id, JSON.parse(call.function.arguments)]);
      return { text: message.content, calls };
    },
  },
  responses: {
    user: (conversation, content) => conversation.push({ role: "user", content }),
    result: (conversation, id, output) => conversation.push({ type: "function_call_output", call_id: id, output }),
    async ask(conversation, { clients, headers }) {
      const { previous } = conversation;
      const request = { model: "gpt-5", input: conversation, tools: [{ type: "function", ...TOOL, parameters: PARAMETERS }] };
      if (previous) request.previous_response_id = previous;
      const response = await clients.openai.responses.create(request, { headers });
      if (conversation.keepsItems) conversation.push(...response.output);
      else {
        conversation.length = 0;
        conversation.previous = response.id;
      }
      const called = response.output.filter((item) => item.type === "function_call");
      return { text: response.output_text, calls: called.map((item) => [item.call_id, JSON.parse(item.arguments)]) };
    },
  },
  messages: {
    user: (conversation, content) => conversation.push({ role: "user", content }),
    result: (conversation, id, content) =>
      conversation.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }),
    async ask(conversation, { clients, headers }) {
      const tools = [{ ...TOOL, input_schema: PARAMETERS }];
      const request = { model: "claude-sonnet-5", max_tokens: 1024, messages: conversation, tools };
      const { content } = await clients.anthropic.messages.create(request, { headers });
      conversation.push({ role: "assistant", content });
      const called = content.filter((block) => block.type === "tool_use");
      return { text: content.find((block) => block.type === "text")?.text, calls: called.map((block) => [block.id, block.input]) };
    },
  },
};
const WAYS = ["chat", "responses", "previous", "messages"];

async function converse(lane, run) {
  const way = WAYS[(lane + run) % WAYS.length];
  const evidence = Object.values(EVIDENCE)[(lane + Math.floor(run / WAYS.length)) % 3];
  const wire = WIRES[way] ?? WIRES.responses;
  const conversation = Object.assign([], { keepsItems: way === "responses" });
  // The conversations overlap in another way in each run.
  await passed(Math.random() * 5);
  wire.user(conversation, "Pay my cart.");
  const asked = await wire.ask(conversation, evidence(lane, 1));
  assert.deepEqual(
    asked.calls.map(([, args]) => args),
    [{ amount: run * LANES + lane }],
  );
  wire.result(conversation, asked.calls[0][0], '{"status": "charged"}');
  const answer = await wire.ask(conversation, evidence(lane, 2));
  assert.equal(answer.text, `Lane ${lane} paid in run ${run}.`);
  wire.user(conversation, "Is it paid?");
  const last = await wire.ask(conversation, evidence(lane, 3));
  assert.equal(last.text, `Lane ${lane} is paid in run ${run}.`);
}

for (let run = 0; run < RUNS; run += 1) {
  await Promise.all(Array.from({ length: LANES }, (_, lane) => converse(lane, run)));
}
console.log(`${RUNS * LANES} conversations`);
