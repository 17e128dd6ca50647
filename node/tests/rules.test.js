// Rules of YAML tests and judges on runs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { JudgeError, RunResult, TestSession, UsageError } from "ananke-test/testing";
import { opened, project, scripted, weather, WEATHER_CONFIG } from "./helpers.js";

test("rules as YAML and as an object", async () => {
  const run = weather();
  await run.check("tools: { require: [get_weather], forbid: [pay] }\ntext: { must_match: Paris }");
  await run.check({ tools: { require: [{ name: "get_weather", args: { city: "Paris" } }] } });
  assert.deepEqual(await run.findings("tools: { require: [get_weather] }"), []);
  const [finding, ...others] = await run.findings({ tools: { forbid: ["get_weather"] } });
  assert.equal(others.length, 0);
  assert.equal(finding.status, "failed");
  assert.match(finding.message, /`get_weather` was called, which is forbidden/);
});

test("what rules find is an AssertionError with the events", async () => {
  await assert.rejects(weather().check("tools: { require: [pay] }"), (error) => {
    assert.ok(error instanceof assert.AssertionError);
    assert.match(error.message, /^`pay` was not called.*\n  seen called: get_weather\n\nevents:\n  1  function call: get_weather/);
    return /^\s+at .*rules\.test\.js/m.test(error.stack);
  });
});

test("a finding says what is expected once, and has no numbers of its own", async () => {
  for (const [rules, words] of [
    ["tools: { require: [{ name: get_weather, count: 2 }] }", "`get_weather` was called once in this turn, expected exactly 2 times"],
    ["tools: { require: [{ name: get_weather, args: { city: Rome } }] }", '`get_weather` was called with `city` "Paris", expected "Rome"'],
    ["text: Rome", "nothing the agent said in this turn contains `Rome`"],
    ["whenever: [{ call: get_weather, followed_by: { says: sorry } }]", "without a message matching `sorry` after it"],
  ]) {
    await assert.rejects(weather().check(rules), ({ message }) => {
      const [sentence] = message.split("\n\nevents:\n");
      assert.ok(sentence.includes(words), sentence);
      assert.ok(sentence.split("expected").length <= 2, sentence);
      assert.doesNotMatch(sentence, /#/);
      return true;
    });
  }
});

test("a mistake in the rules has its place and help", async () => {
  await assert.rejects(weather().check("tools:\n  requires: [pay]"), (error) => {
    assert.ok(error instanceof UsageError);
    return /2:3[^]*unknown key `requires`[^]*did you mean `require`/.test(error.message);
  });
  await assert.rejects(weather().findings({ tool: {} }), UsageError);
  await assert.rejects(weather().findings({ text: { must_match: NaN } }), TypeError);
  await assert.rejects(new RunResult([{ type: "call" }]).findings("{}"), { name: "TypeError", message: /is not an event/ });
});

test("a run is checked after the end of its session", async () => {
  const session = await TestSession.open({ model: () => "Hello" });
  const run = await session.run("Hi");
  await session.close();
  await run.check({ text: { must_match: "Hello" } });
});

test("a judge that is a function", async (t) => {
  const seen = [];
  const session = await opened(t, { model: () => "Hello" });
  const message = (await session.run("Hi")).expect.containsMessage();
  const judge = (messages) => (seen.push(messages), "PASS: polite");
  assert.equal(await message.judge(judge, { intent: "greets" }), message);
  assert.match(JSON.stringify(seen), /greets.*Hello|Hello.*greets/);
  await assert.rejects(message.judge(() => "FAIL: rude", { intent: "greets" }), (error) => {
    assert.ok(error instanceof assert.AssertionError);
    assert.equal(error.message, "event 1 of 1: the judge rejects `greets`: rude\n\nevents:\n> 1  message (assistant): Hello");
    return /^\s+at .*rules\.test\.js/m.test(error.stack);
  });
});

test("a judge that cannot be read is asked again once, and is no failure", async () => {
  let asked = 0;
  const message = weather().expect.containsMessage();
  await assert.rejects(message.judge(() => (asked++, "perhaps"), { intent: "greets" }), (error) => error instanceof JudgeError);
  assert.equal(asked, 2);
  await message.judge(scripted("perhaps", "PASS: yes"), { intent: "greets" });
});

test("a judge that fails", async () => {
  const cause = new Error("no judge");
  const judge = () => {
    throw cause;
  };
  await assert.rejects(weather().expect.containsMessage().judge(judge, { intent: "greets" }), (error) => {
    return error instanceof JudgeError && error.message === "the judge failed: no judge" && error.cause === cause;
  });
});

test("a judge that is a target", async (t) => {
  const config = `${project(t, { "ananke.config.yaml": WEATHER_CONFIG })}/ananke.config.yaml`;
  const session = await opened(t, { config });
  const message = (await session.run("Hi")).expect.containsMessage();
  await assert.rejects(message.judge("judge", { intent: "greets" }), /the judge rejects `greets`: it is rude/);
  const inPlace = { type: "scripted", rules: [{ do: [{ say: "PASS: fine" }] }] };
  await message.judge(inPlace, { intent: "greets" });
  await assert.rejects(message.judge("jury", { intent: "greets" }), UsageError);
});

test("what is wrong with a question is not asked", async (t) => {
  const never = () => assert.fail("asked");
  const empty = new RunResult([{ type: "message", role: "assistant", content: " " }]).expect.containsMessage();
  await assert.rejects(empty.judge(never, { intent: "greets" }), { name: "AssertionError", message: /the message is empty/ });
  await assert.rejects(weather().expect.containsMessage().judge(never, { intent: " " }), TypeError);
  await assert.rejects(weather().expect.containsMessage().judge(never), TypeError);
  await assert.rejects(weather().expect.containsMessage().judge(5, { intent: "greets" }), /a judge is the name of a target/);
  const own = () => "Hello";
  const session = await opened(t, { model: own });
  await assert.rejects((await session.run("Hi")).expect.containsMessage().judge(own, { intent: "greets" }), /cannot judge itself/);
});
