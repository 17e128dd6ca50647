// An agent of AI SDK by responses, chat, anthropic or anthropic-v1; its arguments are those of tried.py.
//
// Its provider for Anthropic reads ANTHROPIC_BASE_URL with `/v1` at the end, and asks `/messages` without it; `anthropic-v1` adds it.
// An error is printed, and the program ends well all the same, as an agent does that hides what went wrong.

import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { openai } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const isOnce = process.argv[2] === "once";
const wires = process.argv.slice(isOnce ? 3 : 2);
const MODELS = {
  responses: () => openai("gpt-5"),
  chat: () => openai.chat("gpt-5"),
  anthropic: () => createAnthropic()("claude-sonnet-5"),
  "anthropic-v1": () => createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1` })("claude-sonnet-5"),
};
const PAID = "You paid 89.50 EUR.";
const TOKENS = 31 + 9;

function options(wire) {
  const charge = tool({
    description: "Charges the card of the user.",
    inputSchema: z.object({ amount: z.number() }),
    execute: ({ amount }) => ({ status: "charged", id: "ch_1", amount }),
  });
  return {
    model: MODELS[wire](),
    instructions: "You are the shop. Never charge twice.",
    prompt: "Pay my cart.",
    stopWhen: stepCountIs(5),
    tools: { charge_card: charge },
  };
}

async function whole(wire) {
  const { text, totalUsage } = await generateText(options(wire));
  assert.equal(text, PAID);
  if (!isOnce) assert.equal(totalUsage.outputTokens, TOKENS);
}

async function streamed(wire) {
  let failed;
  const stream = streamText({ ...options(wire), onError: ({ error }) => (failed = error) });
  let text = "";
  for await (const delta of stream.textStream) text += delta;
  if (failed) throw failed;
  assert.equal(text, PAID);
  assert.equal((await stream.totalUsage).outputTokens, TOKENS);
}

try {
  for (const wire of wires) {
    await whole(wire);
    if (!isOnce) await streamed(wire);
  }
  console.log("all paid");
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
}
