// Talks to `ananke mock` with the protocol's own client: talk.mjs URL, or talk.mjs URL recorded for the recording of a test.
// Prints what is not as it should be, and ends with 1 if there is something.

import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";

const [url, what] = process.argv.slice(2);

/** An agent on a thread of its own, with the types of every event that it gets. */
function desk(threadId) {
  const agent = new HttpAgent({ url, threadId });
  const types = [];
  const run = (parameters = {}) =>
    agent.runAgent(parameters, { onEvent: ({ event }) => void types.push(event.type) });
  let said = 0;
  const say = (text, parameters) => {
    agent.addMessage({ id: `u-${++said}`, role: "user", content: text });
    return run(parameters);
  };
  return { agent, types, run, say };
}

const last = (agent) => agent.messages.at(-1);

const scenes = {
  async "calls with results, one of which failed"() {
    const { agent, types, say } = desk("t-weather");
    await say("How is the weather?");
    const calls = agent.messages.flatMap((message) => message.toolCalls ?? []);
    assert.deepEqual(calls.map((call) => call.function.name), ["get_weather", "get_weather"]);
    assert.deepEqual(JSON.parse(calls[0].function.arguments), { city: "Rome" });
    const results = agent.messages.filter((message) => message.role === "tool");
    assert.deepEqual(results.map((message) => message.content), ['{"sky":"clear"}', "no station"]);
    assert.match(results[1].encryptedValue, /failed/);
    assert.equal(last(agent).content, "It is clear in Rome, and unknown in Oslo. ☀");
    assert.equal(agent.messages.find((message) => message.role === "reasoning").content, "They want to know whether it rains.");
    assert.equal(types.at(-1), "RUN_FINISHED");
  },
  async "a state, an interrupt and its answers"() {
    for (const [status, expected] of [["resolved", "It is booked."], ["cancelled", undefined]]) {
      const { agent, say, run } = desk(`t-${status}`);
      await say("Book it");
      assert.deepEqual(agent.state, { trip: { city: "Rome", "a/b": [1, 2] } });
      const [interrupt] = agent.pendingInterrupts;
      assert.equal(interrupt.message, "Book it?");
      await run({ resume: [{ interruptId: interrupt.id, status }] });
      assert.equal(agent.pendingInterrupts.length, 0);
      assert.equal(last(agent).role === "assistant" ? last(agent).content : undefined, expected);
      assert.equal(agent.state.booked, status === "resolved" ? true : undefined);
    }
  },
  async "a tool of the client"() {
    const { agent, say, run } = desk("t-camera");
    const tools = [{ name: "take_photo", description: "Takes a photo", parameters: { type: "object" } }];
    await say("Use the camera", { tools });
    const [call] = last(agent).toolCalls;
    agent.addMessage({ id: "r-1", role: "tool", toolCallId: call.id, content: "taken" });
    await run({ tools });
    assert.equal(last(agent).content, "What a picture.");
  },
  async "a custom event, and the thread's own id"() {
    const { agent, types, say } = desk("t-offer");
    await say("Any offer?");
    assert.ok(types.includes("CUSTOM"));
    assert.equal(last(agent).content, "t-offer gets an offer.");
  },
  async "an error of the agent"() {
    const { types, say } = desk("t-fail");
    await say("Fail, please");
    assert.equal(types.at(-1), "RUN_ERROR");
  },
  async "a wrong order, which the client refuses"() {
    const { agent, say } = desk("t-order");
    agent.headers = { "x-ananke-fault": "order" };
    await assert.rejects(say("How is the weather?"), /First event must be/);
  },
  async "a frame that is no JSON, which the client refuses"() {
    const { agent, say } = desk("t-malformed");
    agent.headers = { "x-ananke-fault": "malformed@2" };
    await assert.rejects(say("How is the weather?"));
  },
};

const recorded = {
  async "the recorded answer"() {
    const { agent, types, say } = desk("t-recorded");
    await say("any words");
    assert.equal(types[0], "RUN_STARTED");
    assert.equal(types.at(-1), "RUN_FINISHED");
    assert.ok(last(agent).content.length > 0);
  },
};

let failed = 0;
for (const [name, scene] of Object.entries(what === "recorded" ? recorded : scenes)) {
  try {
    await scene();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
