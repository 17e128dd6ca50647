// Tests of a project as tests of node:test.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { yamlTests } from "ananke-test/testing";
import { project, WEATHER_CONFIG } from "./helpers.js";

const TESTS = `version: "1.4"
tests:
  - name: passes
    tags: [smoke]
    turns: [{ user: "In Paris", assert: { tools: { require: [temperature] } } }]
  - name: fails
    turns: [{ user: "In Paris", assert: { tools: { forbid: [temperature] } } }]
  - name: skipped
    skip: "later"
    turns: [{ user: "In Paris", assert: { tools: { forbid: [temperature] } } }]
  - name: quarantined
    turns: [{ user: "In Paris", assert: { tools: { forbid: [temperature] } } }]
`;
const CONFIG = `${WEATHER_CONFIG}quarantine: [{ test: "weather.test.yaml::quarantined", owner: ann, expires: "2999-01-01", reason: flaky }]\n`;

/** A test runner that keeps what it gets, and what its tests come to. */
class Kept {
  tests = new Map();
  hooks = [];
  test = (name, options, run) => {
    assert.equal(options.timeout, Infinity);
    this.tests.set(name, run);
  };
  after = (hook) => this.hooks.push(hook);

  async result(name, context) {
    let skipped;
    try {
      await this.tests.get(name)({ skip: (reason) => (skipped = reason), signal: new AbortController().signal, ...context });
    } catch (error) {
      return error;
    }
    return skipped ?? "passed";
  }
}

/** The tests of a project. */
async function kept(t, files, options) {
  const directory = project(t, files);
  const runner = new Kept();
  await yamlTests(runner, { config: new URL(`file://${directory}/ananke.config.yaml`), ...options });
  return { directory, runner };
}

test("every test of a project is one", async (t) => {
  const { directory, runner } = await kept(t, { "ananke.config.yaml": CONFIG, "weather.test.yaml": TESTS });
  const ids = ["passes", "fails", "skipped", "quarantined"].map((name) => `weather.test.yaml::${name}`);
  assert.deepEqual([...runner.tests.keys()].map((id) => id.replace(/^.*(?=weather)/, "")), ids);
  const [passes, fails, skipped, quarantined] = [...runner.tests.keys()];
  assert.equal(await runner.result(passes), "passed");
  const error = await runner.result(fails);
  assert.match(error.message, /`temperature` was called, which is forbidden[^]*call     temperature\(/);
  // The place of the rule, not of the test.
  assert.equal(error.stack, `YamlTestError: ${error.message}\n    at ${directory}/weather.test.yaml:7:61`);
  assert.equal(await runner.result(skipped), "later");
  assert.match(await runner.result(quarantined), /^quarantined until 2999-01-01 \(ann\): flaky: `temperature` was called/);
  assert.equal(runner.hooks.length, 1);
  await runner.hooks[0]();
});

test("tests are selected", async (t) => {
  const files = { "ananke.config.yaml": CONFIG, "weather.test.yaml": TESTS };
  const { runner } = await kept(t, files, { tags: ["smoke"] });
  assert.equal(runner.tests.size, 1);
  const { runner: other } = await kept(t, files, { filter: "name(fails) or name(skipped)" });
  assert.equal(other.tests.size, 2);
});

/** A config with an agent that notes each conversation in a file. */
const NOTING = `version: "1.4"
target: { type: command, cmd: ["${process.execPath.replaceAll("\\", "/")}", agent.mjs] }
`;
const AGENT = `import { appendFileSync } from "node:fs";
process.stdin.once("data", (line) => {
  appendFileSync("asked.txt", "x");
  const { threadId, runId } = JSON.parse(line);
  const said = { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "hello" };
  const run = ["RUN_STARTED", "RUN_FINISHED"].map((type) => ({ type, threadId, runId }));
  for (const event of [run[0], said, run[1]]) console.log(JSON.stringify(event));
});
`;
const THREE = `version: "1.4"
tests:
${["a", "b", "c"].map((name) => `  - { name: ${name}, turns: [{ user: hi, assert: { text: hello } }] }`).join("\n")}
`;

test("tests that the runner selects run in one request, and again if it retries them", async (t) => {
  const files = { "ananke.config.yaml": NOTING, "agent.mjs": AGENT, "three.test.yaml": THREE };
  const { directory, runner } = await kept(t, files);
  const asked = () => readFileSync(join(directory, "asked.txt"), "utf8").length;
  const [a, b, c] = [...runner.tests.keys()];
  const tasks = [
    { name: a, mode: "run" },
    { name: "others", mode: "run", tasks: [{ name: b, mode: "skip" }, { name: c, mode: "run" }] },
  ];
  const context = { task: { file: { tasks } } };
  assert.equal(await runner.result(a, context), "passed");
  assert.equal(await runner.result(c, context), "passed");
  assert.equal(asked(), 2);
  assert.equal(await runner.result(c, context), "passed");
  assert.equal(asked(), 3);
  await runner.hooks[0]();
});

test("an error in a file is one of all tests", async (t) => {
  const files = { "ananke.config.yaml": CONFIG, "weather.test.yaml": TESTS.replace("forbid:", "forbids:") };
  await assert.rejects(kept(t, files), (error) => {
    assert.equal(error.name, "UsageError");
    assert.match(error.message, /unknown key `forbids`[^]*weather\.test\.yaml:7:[^]*did you mean `forbid`/);
    return /^\s+at .*yaml-tests\.test\.js/m.test(error.stack);
  });
});

test("what a config starts fails its tests", async (t) => {
  const config = CONFIG.replace("targets:", 'setup: [{ cmd: ["false"] }]\ntargets:');
  const { runner } = await kept(t, { "ananke.config.yaml": config, "weather.test.yaml": TESTS });
  const error = await runner.result([...runner.tests.keys()][0]);
  assert.equal(error.name, "AnankeError");
  assert.match(error.message, /setup/);
});

test("wrong options", async () => {
  await assert.rejects(yamlTests({}), /`yamlTests` needs the functions of the test runner/);
  await assert.rejects(yamlTests(new Kept(), { tag: "x" }), /`yamlTests` has no option `tag`/);
});

await yamlTests({ test }, { config: new URL("fixtures/ananke.config.yaml", import.meta.url) });
