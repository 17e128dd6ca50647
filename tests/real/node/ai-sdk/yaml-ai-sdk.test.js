// YAML tests of an agent of AI SDK in this process: live, recorded, and replayed without it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { yamlTests } from "ananke-test/testing";
import * as vitest from "vitest";

import { agent } from "../src/agent.js";

const CONFIG = `version: "1.4"
target: weather
run: { parallel: 4 }
targets:
  weather: { type: external, agent: weather, assert: { tools: { allow_only: [get_weather] } } }
`;
const rows = [1, 2, 3, 4].map((number) => `{ id: "row ${number}" }`).join(", ");
const TESTS = `version: "1.4"
name: three turns
cases: [${rows}]
turns:
  - user: "How warm is it in Paris?"
    assert: { tools: { require: [{ name: get_weather, args: { city: Paris }, count: 1 }] }, usage: { max_total_tokens: 28 } }
  - user: "Thanks!"
    assert: { tools: { forbid: [get_weather] }, text: { contains: welcome } }
  - user: "And how warm is it now?"
    assert: { tools: { require: [{ name: get_weather, result: { degrees: 21 } }] } }
`;

const directory = mkdtempSync(join(tmpdir(), "ananke-yaml-"));
vitest.afterAll(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, "ananke.config.yaml"), CONFIG);
writeFileSync(join(directory, "a.test.yaml"), TESTS);
const config = join(directory, "ananke.config.yaml");
const recorded = join(directory, "recorded");

/** How often the agent was asked. */
let asked = 0;
const counted = {
  tools: agent.tools,
  generate: (options) => {
    asked += 1;
    return agent.generate(options);
  },
};

await yamlTests(vitest, { config, agents: { weather: counted }, record: recorded });

vitest.test("the recordings are replayed without the agent", async () => {
  vitest.expect(asked).toBe(12);
  const tests = [];
  let end;
  const runner = { test: (name, _, run) => tests.push(run), after: (hook) => (end = hook) };
  await yamlTests(runner, { config, replay: recorded });
  for (const run of tests) await run({ signal: new AbortController().signal });
  await end();
  vitest.expect([tests.length, asked]).toEqual([4, 12]);
});
