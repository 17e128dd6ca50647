// What the agent does, with the tool of this project.

import { expect, test } from "vitest";
import { TestSession } from "ananke-test/testing";
import { temperature } from "../src/temperature.js";

const tools = {
  temperature: {
    description: "How warm it is in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: temperature,
  },
};

test("the agent asks the tool", async () => {
  await using session = await TestSession.open({ tools });
  const run = await session.run("How warm is it in Paris?");
  run.expect.nextEvent().isFunctionCall("temperature", { city: "Paris" });
  run.expect.nextEvent().isFunctionCallOutput({ degrees: 21 }, false);
  run.expect.nextEvent().isMessage("assistant");
  run.expect.noMoreEvents();
  await run.check("tools: { require: [temperature], forbid: [book_flight] }");
});

test("an unknown city is an error of the tool", async () => {
  await using session = await TestSession.open({ tools });
  const run = await session.run("And in Atlantis?");
  run.expect.containsFunctionCallOutput({ error: "there is no city Atlantis" }, true);
});

test("a tool is replaced for a while", async () => {
  await using session = await TestSession.open({ tools });
  await using mocks = await session.mockTools({ temperature: () => ({ degrees: 4 }) });
  const run = await session.run("How warm is it in Paris?");
  run.expect.containsFunctionCallOutput({ degrees: 4 });
  expect(mocks.calls("temperature")).toEqual([{ city: "Paris" }]);
});

test("the conversation goes on", async () => {
  await using session = await TestSession.open({ tools });
  const first = await session.run("How warm is it in Paris?");
  await first.check("tools: { require: [{ name: temperature, count: 1, every: { args: { city: Paris } } }] }");
  const second = await session.run("Is that much?");
  await second.check("tools: { forbid: temperature }\ntext: Which city?");
  const third = await session.run("And in Atlantis?");
  third.expect.containsFunctionCallOutput({ error: "there is no city Atlantis" }, true);
});

test("it asks which city", async () => {
  await using session = await TestSession.open({ tools });
  const run = await session.run("How warm is it?");
  await run.expect.nextEvent("message").judge(async () => "PASS: it is a question", { intent: "asks for the city" });
  run.expect.noMoreEvents();
});
