// The official client of Anthropic by messages.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { main, PARAMETERS, SCHEMA, TOOL } from "./steps.mjs";

const client = new Anthropic();

class Messages {
  static tools = [{ ...TOOL, input_schema: PARAMETERS }];

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
    const block = { type: "tool_result", tool_use_id: id, content };
    const last = this.messages.at(-1);
    // All results of one answer are in one message.
    if (last.role === "user") last.content.push(block);
    else this.messages.push({ role: "user", content: [block] });
  }

  async ask({ tools = true } = {}) {
    const request = { ...this.request(), ...(tools ? { tools: Messages.tools } : {}) };
    let message;
    let deltas;
    if (this.streams) {
      deltas = "";
      const stream = client.messages.stream(request);
      stream.on("text", (delta) => (deltas += delta));
      message = await stream.finalMessage();
    } else {
      message = await client.messages.create(request);
    }
    this.messages.push({ role: "assistant", content: message.content });
    const blocks = (type) => message.content.filter((block) => block.type === type);
    const text = blocks("text")
      .map((block) => block.text)
      .join("");
    assert.equal(deltas ?? text, text);
    assert.ok(blocks("thinking").every((block) => block.signature));
    return {
      text,
      reasoning: blocks("thinking")
        .map((block) => block.thinking)
        .join(""),
      calls: blocks("tool_use").map((block) => ({ id: block.id, tool: block.name, args: block.input })),
      end: message.stop_reason,
      usage: [message.usage.input_tokens, message.usage.output_tokens],
    };
  }

  request() {
    return { model: "claude-sonnet-5", max_tokens: 1024, messages: this.messages };
  }

  async structured() {
    const format = { type: "json_schema", schema: SCHEMA };
    const request = { ...this.request(), output_config: { format } };
    const message = this.streams
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    return JSON.parse(message.content[0].text);
  }
}

await main({ messages: Messages });
