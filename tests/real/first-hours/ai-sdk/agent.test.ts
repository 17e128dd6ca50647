import { test } from "vitest";
import { TestSession } from "ananke-test/testing";

test("three turns", async () => {
  await using session = await TestSession.open();

  const today = await session.run("What is the weather in Rome?");
  today.expect.nextEvent().isFunctionCall("get_weather", { city: "Rome" });
  await today.check("text: It is clear in Rome.");

  const tomorrow = await session.run("And tomorrow?");
  await tomorrow.check({ text: "It will rain.", tools: { forbid: "get_weather" } });

  const city = await session.run("And which city was that?");
  await city.check({ text: "Rome", tools: { forbid: "get_weather" } });
});
