// What is expected of events, and what an assertion says that is wrong.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ANY, RunResult } from "ananke-test/testing";
import { weather } from "./helpers.js";

/** The message of the AssertionError of `failing`. */
function failure(failing) {
  try {
    failing();
  } catch (error) {
    assert.ok(error instanceof assert.AssertionError, error);
    return error.message;
  }
  return assert.fail("nothing failed");
}

test("a cursor passes what was looked at", () => {
  const { expect } = weather();
  assert.equal(expect.nextEvent().isFunctionCall("get_weather", { city: "Paris" }).event().toolCallId, "1");
  expect.nextEvent().isFunctionCallOutput({ degrees: 21 }, false);
  assert.equal(expect.nextEvent("message").event().content, "It is 21 degrees in Paris.");
  expect.noMoreEvents();
});

test("the wrong event is marked, and the test is the top of the stack", () => {
  const run = weather();
  try {
    run.expect.nextEvent().isFunctionCall("get_weather", { city: "Rome" });
    assert.fail("nothing failed");
  } catch (error) {
    assert.equal(
      error.message,
      'event 1 of 3: expected the argument `city` of get_weather to be "Rome", found "Paris"\n\n' +
        "events:\n" +
        '> 1  function call: get_weather({"city":"Paris","days":1,"note":null})\n' +
        '  2  function call output: get_weather → {"degrees":21}\n' +
        "  3  message (assistant): It is 21 degrees in Paris.",
    );
    assert.deepEqual([error.actual, error.expected], ["Paris", "Rome"]);
    const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
    assert.match(frames[0], /asserts\.test\.js/);
  }
});

const WRONG = [
  ["a message", (e) => e.at(0).isMessage(), "event 1 of 3: expected a message, found a call to get_weather"],
  ["a role", (e) => e.at(2).isMessage("user"), "event 3 of 3: expected a message of the user, found a message of the assistant `It is 21 degrees in Paris.`"],
  ["a call", (e) => e.at(1).isFunctionCall(), "event 2 of 3: expected a function call, found an output of get_weather"],
  ["a name", (e) => e.at(0).isFunctionCall("pay"), "event 1 of 3: expected a call to pay, found a call to get_weather"],
  ["a missing argument", (e) => e.at(0).isFunctionCall(ANY, { town: null }), "event 1 of 3: expected the argument `town` of get_weather to be null, it is missing"],
  ["true instead of 1", (e) => e.at(0).isFunctionCall(ANY, { days: true }), "event 1 of 3: expected the argument `days` of get_weather to be true, found 1"],
  ["an output", (e) => e.at(1).isFunctionCallOutput({}), 'event 2 of 3: expected the output {}, found {"degrees":21}'],
  ["null as output", (e) => e.at(1).isFunctionCallOutput(null), 'event 2 of 3: expected the output null, found {"degrees":21}'],
  ["an error", (e) => e.at(1).isFunctionCallOutput(ANY, true), 'event 2 of 3: expected an error, found no error: {"degrees":21}'],
  ["an index", (e) => e.at(3), "there is no event at index 3: the run has 3 events"],
  ["no more events", (e) => e.noMoreEvents(), "expected no more events, but found a call to get_weather"],
  ["a search", (e) => e.containsFunctionCall("pay", { a: 1 }), 'expected a call to pay with {"a":1} in 3 events, found none'],
  ["a search of errors", (e) => e.containsFunctionCallOutput(ANY, true), "expected a function call output that is an error in 3 events, found none"],
  ["a range", (e) => e.slice(0, 1).containsMessage(), "expected a message in 1 event, found none"],
  ["too many to skip", (e) => e.skipNext(4), "expected 4 more events to skip, but 3 are left"],
  ["a type that is not left", (e) => (e.skipNext(2), e.nextEvent("function_call")), "expected another function call, but none is left"],
];
for (const [name, failing, message] of WRONG) {
  test(`wrong: ${name}`, () => {
    assert.equal(failure(() => failing(weather().expect)).split("\n\n")[0], message);
  });
}

test("a typed search passes the rest", () => {
  const { expect } = weather();
  expect.nextEvent("message");
  assert.match(failure(() => expect.nextEvent()), /expected another event, but none is left/);
});

test("index, range and search do not move the cursor", () => {
  const { expect } = weather();
  expect.at(-1).isMessage();
  expect.slice(-1).containsMessage("assistant");
  expect.containsFunctionCall("get_weather", { note: null });
  expect.nextEvent().isFunctionCall();
});

test("arguments match partly at the first level, and exactly below", () => {
  const run = new RunResult([{ type: "function_call", name: "f", arguments: { a: { b: 1, c: [1, 2] }, d: 2 } }]);
  run.expect.at(0).isFunctionCall("f", { a: { c: [1, 2], b: 1 } });
  assert.match(failure(() => run.expect.at(0).isFunctionCall("f", { a: { b: 1 } })), /to be \{"b":1\}, found \{"b":1,"c":\[1,2\]\}/);
});

test("a filter that is undefined is a mistake", () => {
  const { expect } = weather();
  const names = {};
  assert.throws(() => expect.at(0).isFunctionCall(names.call), { name: "TypeError", message: "`name` is undefined: pass ANY if every value matches" });
  assert.throws(() => expect.containsFunctionCall(ANY, { city: names.city }), /the expected argument `city` is undefined/);
  assert.throws(() => expect.at(1).isFunctionCallOutput(names.output, false), /`output` is undefined/);
  assert.throws(() => expect.at(0).isFunctionCall("get_weather", ["Paris"]), /the arguments of a call are an object/);
});

test("mistakes are no assertions", () => {
  const { expect } = weather();
  assert.throws(() => expect.nextEvent("call"), /there is no type of events "call": the types are message, function_call, function_call_output/);
  assert.throws(() => expect.skipNext(-1), RangeError);
  assert.throws(() => expect.at("0"), TypeError);
});

test("what an agent says cannot change the terminal", () => {
  const run = new RunResult([{ type: "message", role: "assistant", content: "a\u001b[31m\u202eb \ud800 c\u{e0041}" }]);
  assert.match(failure(() => run.expect.noMoreEvents()), /a\\u\{1b\}\[31m\\u\{202e\}b \\u\{d800\} c\\u\{e0041\}/);
});

test("long events are truncated", () => {
  const run = new RunResult([{ type: "message", role: "assistant", content: "x".repeat(10_000_000) }]);
  assert.ok(failure(() => run.expect.noMoreEvents()).length < 500);
});
