// Talks to the desk that `ananke mock` serves, with the official client of Anthropic: talk-messages.mjs URL [proxied | paused].
//
// It has each conversation as streams and as documents. With `proxied` it has those that a proxy writes as tests, each in one way; with
// `paused` it has one with the recording of a server that pauses. It prints what is not as it should be, and ends with 1 if there is
// something.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";

const [baseURL, way = ""] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });
const PHOTO = { name: "take_photo", input_schema: { type: "object", properties: {} } };
const RAIN = "It is clear in Rome, and unknown in Oslo. ☀";

// A conversation in which each request has all of it.
class Conversation {
  constructor(streams) {
    Object.assign(this, { streams, tools: [], messages: [] });
  }

  // The response to a further message of the user; without one, to the conversation so far.
  async send(content) {
    if (content !== undefined) this.messages.push({ role: "user", content });
    const request = { model: "desk", max_tokens: 1024, messages: this.messages, tools: this.tools };
    // Tools of a server of MCP are a beta of this API.
    const response = this.streams ? await streamed(request) : await client.beta.messages.create(request);
    const last = this.messages.at(-1);
    if (last.role === "assistant") last.content.push(...response.content);
    else this.messages.push({ role: "assistant", content: [...response.content] });
    return response;
  }
}

// The response that the client puts together of a stream.
async function streamed(request) {
  const stream = client.beta.messages.stream(request);
  let deltas = "";
  stream.on("text", (delta) => (deltas += delta));
  const response = await stream.finalMessage();
  assert.equal(deltas, text(response));
  return response;
}

const ofType = (response, type) => response.content.filter((block) => block.type === type);
const text = (response) => ofType(response, "text").map((block) => block.text).join("");

async function cameFirst(conversation) {
  const answer = await conversation.send("And what came first?");
  assert.deepEqual([text(answer), answer.stop_reason], ["Something else came first.", "end_turn"]);
}

// Calls that the agent executes itself are those of a server of MCP.
async function weather(conversation) {
  const answer = await conversation.send("What is the weather like?");
  assert.equal(text(answer), RAIN);
  const [thought] = ofType(answer, "thinking");
  assert.deepEqual([thought.thinking, thought.signature !== ""], ["They want to know whether it rains.", true]);
  const [rome, oslo] = ofType(answer, "mcp_tool_use");
  assert.deepEqual([rome.name, rome.input, oslo.input], ["get_weather", { city: "Rome" }, { city: "Oslo" }]);
  const [clear, unknown] = ofType(answer, "mcp_tool_result");
  assert.deepEqual([clear.tool_use_id, clear.is_error, clear.content[0].text], [rome.id, false, '{"sky":"clear"}']);
  assert.deepEqual([unknown.tool_use_id, unknown.is_error, unknown.content[0].text], [oslo.id, true, "no station"]);
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [20, 4]);
  await cameFirst(conversation);
}

// The client executes its own tools.
async function camera(conversation) {
  conversation.tools = [PHOTO];
  let answer = await conversation.send("Show me with the camera");
  const [call] = ofType(answer, "tool_use");
  assert.deepEqual([call.name, call.input, answer.stop_reason], ["take_photo", { flash: false }, "tool_use"]);
  answer = await conversation.send([{ type: "tool_result", tool_use_id: call.id, content: "taken" }]);
  assert.equal(text(answer), "What a picture.");
  await cameFirst(conversation);
}

// A server that pauses goes on with what it has said so far.
async function paused(conversation) {
  let answer = await conversation.send("Search for it");
  const [call] = ofType(answer, "server_tool_use");
  assert.deepEqual([call.name, call.input, answer.stop_reason], ["web_search", { query: "ananke" }, "pause_turn"]);
  answer = await conversation.send();
  const [result] = ofType(answer, "web_search_tool_result");
  assert.deepEqual([result.tool_use_id, text(answer), answer.stop_reason], [call.id, "Found it.", "end_turn"]);
}

// An agent that fails, before and after it says something.
async function errors() {
  const failure = { type: "E7", message: "the desk is closed" };
  for (const streams of [false, true]) {
    const failing = new Conversation(streams).send("Fail, please");
    await assert.rejects(failing, (error) => {
      assert.deepEqual([error.status, error.error.error], [500, failure]);
      return true;
    });
  }
  let said = "";
  const stream = client.messages.stream({ model: "desk", max_tokens: 9, messages: [{ role: "user", content: "Fail later" }] });
  stream.on("text", (delta) => (said += delta));
  await assert.rejects(stream.finalMessage(), /the desk is closed/);
  assert.equal(said, "One moment.");
}

const both = (scene) => [false, true].map((streams) => [scene, streams]);
const ways = { "": [weather, camera].flatMap(both), proxied: [[weather, true], [camera, false]], paused: [[paused, true]] }[way];
const scenes = ways.map(([scene, streams]) => [
  `${scene.name}, ${streams ? "streamed" : "whole"}`,
  () => scene(new Conversation(streams)),
]);
if (!way) scenes.push(["errors", errors]);
for (const [name, scene] of scenes) {
  try {
    await scene();
    console.log(`ok   ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
