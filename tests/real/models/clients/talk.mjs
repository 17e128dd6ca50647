// Talks to the desk that `ananke mock` serves, with the official client of OpenAI: talk.mjs URL [proxied-FORM | recorded].
//
// It has each conversation as streams and as documents, and with the whole conversation in each request (full) or the id of the
// response before (previous). With `proxied-FORM` it has those that a proxy writes as tests, in one form; with `recorded` it has one of
// them in every form. It prints what is not as it should be, and ends with 1 if there is something.

import assert from "node:assert/strict";
import OpenAI from "openai";

const [baseURL, way] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const PHOTO = { type: "function", name: "take_photo", parameters: { type: "object", properties: {} }, strict: false };
const RAIN = "It is clear in Rome, and unknown in Oslo. ☀";

// A conversation in which requests have all of it, or what is new.
class Conversation {
  constructor(form, streams) {
    Object.assign(this, { isFull: form === "full", streams, tools: [], items: [], previous: null });
  }

  // The response to further items.
  async send(...items) {
    this.items = this.isFull ? [...this.items, ...items] : items;
    const known = this.isFull ? { store: false } : { store: true, ...(this.previous && { previous_response_id: this.previous }) };
    const request = { model: "desk", input: this.items, tools: this.tools, ...known };
    const response = this.streams ? await streamed(request) : await client.responses.create(request);
    assert.equal(response.status, "completed");
    // A recorded response names the one that was there when it was recorded.
    if (way !== "recorded") assert.equal(response.previous_response_id, this.isFull ? null : this.previous);
    this.items = [...this.items, ...response.output];
    this.previous = response.id;
    return response;
  }

  user(content) {
    return this.send({ role: "user", content });
  }
}

// The response that the client puts together of a stream.
async function streamed(request) {
  const stream = client.responses.stream(request);
  let deltas = "";
  stream.on("response.output_text.delta", ({ delta }) => (deltas += delta));
  const response = await stream.finalResponse();
  assert.equal(deltas, response.output_text);
  return response;
}

const ofType = (response, type) => response.output.filter((item) => item.type === type);

async function cameFirst(conversation) {
  assert.equal((await conversation.user("And what came first?")).output_text, "Something else came first.");
}

// Calls that the agent executes itself are those of a server of MCP.
async function weather(conversation) {
  const answer = await conversation.user("What is the weather like?");
  assert.equal(answer.output_text, RAIN);
  assert.equal(ofType(answer, "reasoning")[0].summary[0].text, "They want to know whether it rains.");
  const [rome, oslo] = ofType(answer, "mcp_call");
  assert.deepEqual([rome.name, JSON.parse(rome.arguments), JSON.parse(rome.output)], ["get_weather", { city: "Rome" }, { sky: "clear" }]);
  assert.deepEqual([rome.status, oslo.status, oslo.error], ["completed", "failed", "no station"]);
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.total_tokens], [20, 4, 24]);
  await cameFirst(conversation);
}

// The client executes its own tools.
async function camera(conversation) {
  conversation.tools = [PHOTO];
  const [call] = ofType(await conversation.user("Show me with the camera"), "function_call");
  assert.deepEqual([call.name, JSON.parse(call.arguments)], ["take_photo", { flash: false }]);
  const answer = await conversation.send({ type: "function_call_output", call_id: call.call_id, output: "taken" });
  assert.equal(answer.output_text, "What a picture.");
  await cameFirst(conversation);
}

async function approved(conversation) {
  const answer = await answered(conversation, true);
  const [call] = ofType(answer, "mcp_call");
  assert.deepEqual([call.name, JSON.parse(call.arguments), JSON.parse(call.output)], ["delete_order", { order: "O-7" }, { gone: "O-7" }]);
  assert.equal(answer.output_text, "Order O-7 is deleted.");
}

async function refused(conversation) {
  const answer = await answered(conversation, false);
  assert.deepEqual([ofType(answer, "mcp_call"), answer.output_text], [[], "Order O-7 is kept."]);
}

// The response to an answer to a request for an approval.
async function answered(conversation, approve) {
  const answer = await conversation.user("Delete order O-7");
  const [request] = ofType(answer, "mcp_approval_request");
  assert.deepEqual([request.name, JSON.parse(request.arguments), answer.output_text], ["delete_order", { order: "O-7" }, ""]);
  return conversation.send({ type: "mcp_approval_response", approval_request_id: request.id, approve });
}

// An agent that fails, before and after it says something, and a response that is not stored.
async function errors() {
  for (const streams of [false, true]) {
    const failing = new Conversation("full", streams).user("Fail, please");
    await assert.rejects(failing, (error) => error.status === 500 && error.code === "E7" && error.message.includes("the desk is closed"));
  }
  let last;
  for await (const event of await client.responses.create({ model: "desk", input: "Fail later", stream: true })) last = event;
  const { code, message } = last.response.error;
  assert.deepEqual([last.type, last.response.status, code, message], ["response.failed", "failed", "E7", "the desk is closed"]);
  const unknown = client.responses.create({ model: "desk", input: "And what came first?", previous_response_id: "resp_unknown" });
  await assert.rejects(unknown, (error) => error.status === 400 && error.message.includes("the response `resp_unknown` is not stored here"));
}

const SCENES = [weather, camera, approved, refused];
const ways = way?.startsWith("proxied-")
  ? SCENES.map((scene, number) => [scene, way.replace("proxied-", ""), number % 2 === 1])
  : (way ? [camera] : SCENES).flatMap((scene) => ["full", "previous"].flatMap((form) => [false, true].map((streams) => [scene, form, streams])));
const scenes = ways.map(([scene, form, streams]) => [
  `${scene.name}, ${form}, ${streams ? "streamed" : "whole"}`,
  () => scene(new Conversation(form, streams)),
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
