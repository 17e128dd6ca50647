// The official client of OpenAI by chat, responses or previous, and its `embeddings`.
//
// `previous` is the Responses API with `previous_response_id`: each request has only what is new.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { main, PARAMETERS, SCHEMA, TOOL } from "./steps.mjs";

const client = new OpenAI();
const MODEL = "gpt-5";
const FORMAT = { name: "cart", schema: SCHEMA, strict: true };

class Chat {
  static tools = [{ type: "function", function: { ...TOOL, parameters: PARAMETERS, strict: true } }];

  constructor(streams) {
    this.streams = streams;
    this.begin();
  }

  begin() {
    this.messages = [];
  }

  user(content) {
    this.messages.push({ role: "user", content });
  }

  result(id, content) {
    this.messages.push({ role: "tool", tool_call_id: id, content });
  }

  async ask({ tools = true } = {}) {
    const request = { model: MODEL, messages: this.messages, ...(tools ? { tools: Chat.tools } : {}) };
    let completion;
    let deltas;
    if (this.streams) {
      deltas = "";
      const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
      stream.on("content.delta", (event) => (deltas += event.delta));
      stream.on("refusal.delta", (event) => (deltas += event.delta));
      try {
        completion = await stream.finalChatCompletion();
      } catch (error) {
        // The client puts no completion together of a stream that is cut off.
        return { text: deltas, calls: [], end: error.constructor.name };
      }
    } else {
      completion = await client.chat.completions.create(request);
    }
    const [{ message, finish_reason: end }] = completion.choices;
    this.messages.push(message);
    const text = message.content || message.refusal || "";
    assert.equal(deltas ?? text, text);
    const { usage } = completion;
    return {
      text,
      reasoning: message.reasoning_content ?? "",
      calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        tool: call.function.name,
        args: JSON.parse(call.function.arguments),
      })),
      end: `${end}${message.refusal ? " with refusal" : ""}`,
      usage: usage ? [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens] : null,
    };
  }

  async structured() {
    const format = { type: "json_schema", json_schema: FORMAT };
    const request = { model: MODEL, messages: this.messages, response_format: format };
    const completion = this.streams
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.parse(request);
    return JSON.parse(completion.choices[0].message.content);
  }
}

class Responses {
  static tools = [{ type: "function", ...TOOL, parameters: PARAMETERS, strict: true }];
  keepsItems = true;

  constructor(streams) {
    this.streams = streams;
    this.begin();
  }

  begin() {
    this.items = [];
    this.previous = {};
  }

  user(content) {
    this.items.push({ role: "user", content });
  }

  result(id, output) {
    this.items.push({ type: "function_call_output", call_id: id, output });
  }

  async ask({ tools = true } = {}) {
    const request = { model: MODEL, input: this.items, ...this.previous, ...(tools ? { tools: Responses.tools } : {}) };
    let response;
    let deltas;
    if (this.streams) {
      deltas = "";
      const stream = client.responses.stream(request);
      for await (const event of stream) {
        if (/^response\.(output_text|refusal)\.delta$/.test(event.type)) deltas += event.delta;
        if (/^response\.(completed|incomplete)$/.test(event.type)) response = event.response;
      }
    } else {
      response = await client.responses.create(request);
    }
    if (this.keepsItems) {
      this.items.push(...response.output);
    } else {
      this.items = [];
      this.previous = { previous_response_id: response.id };
    }
    const items = (type) => response.output.filter((item) => item.type === type);
    const parts = items("message").flatMap((item) => item.content);
    const text = parts.map((part) => part.text ?? part.refusal).join("");
    assert.equal(deltas ?? text, text);
    const refuses = parts.some((part) => part.type === "refusal");
    const { usage } = response;
    return {
      text,
      reasoning: items("reasoning")
        .flatMap((item) => item.summary.map((part) => part.text))
        .join(""),
      calls: items("function_call").map((item) => ({
        id: item.call_id,
        tool: item.name,
        args: JSON.parse(item.arguments),
      })),
      end: [response.status, response.incomplete_details?.reason, refuses && "with refusal"].filter(Boolean).join(" "),
      usage: usage ? [usage.input_tokens, usage.output_tokens, usage.total_tokens] : null,
    };
  }

  async structured() {
    const format = { type: "json_schema", ...FORMAT };
    const request = { model: MODEL, input: this.items, text: { format } };
    const response = this.streams
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.parse(request);
    return JSON.parse(response.output_text);
  }
}

class Previous extends Responses {
  keepsItems = false;
}

// Vectors as the client reads them, which asks for bytes by default.
async function embeddings() {
  const request = { model: "text-embedding-3-small", input: ["Pay my cart.", "Pay both parts.", "Pay my cart."], dimensions: 8 };
  const ofBytes = await client.embeddings.create(request);
  const ofNumbers = await client.embeddings.create({ ...request, encoding_format: "float" });
  const [first, second, third] = ofBytes.data.map((entry) => entry.embedding);
  first.forEach((value, place) => assert.ok(Math.abs(value - ofNumbers.data[0].embedding[place]) < 1e-6));
  const whole = await client.embeddings.create({ model: request.model, input: "Pay my cart." });
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  return {
    equal: String(first) === String(third),
    other: String(first) !== String(second),
    lengths: [first.length, whole.data[0].embedding.length],
    "has models": models.length > 0,
  };
}

if (process.argv[2] === "embeddings") console.log(JSON.stringify(await embeddings()));
else await main({ chat: Chat, responses: Responses, previous: Previous });
