// The tests of a project as tests of vitest and node:test.

/** @import { Finding, TestRunner, YamlTestsOptions } from "./types.js" */
/** @import { Connection } from "./connection.js" */

import { configPath, connection } from "./connection.js";
import { publicError, UsageError, withoutOwnFrames } from "./errors.js";
import { A_DIRECTORY, checkTexts } from "./options.js";
import { RegisteredAgents } from "./registered-agents.js";
import { warn } from "./report.js";

const SELECTION = ["tests", "target", "filter", "tags", "variables"];
const OPTIONS = ["config", ...SELECTION, "record", "replay", "agents"];

/**
 * Registers each test of a project with a test runner: `await yamlTests(vitest)` after `import * as vitest from "vitest"`, or the same with
 * `node:test`. Nothing runs yet, and no agent is asked.
 * @param {TestRunner} runner
 * @param {YamlTestsOptions} [options]
 * @returns {Promise<void>}
 * @throws {UsageError} If a file of the project has an error, with its place and what to do.
 */
export async function yamlTests(runner, options = {}) {
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw withoutOwnFrames(new TypeError(`\`yamlTests\` has no option \`${unknown}\`: the options are ${OPTIONS.join(", ")}`));
  }
  if (typeof runner?.test !== "function") {
    throw withoutOwnFrames(new TypeError('`yamlTests` needs the functions of the test runner: `import * as vitest from "vitest"`'));
  }
  checkTexts(options, { record: A_DIRECTORY, replay: A_DIRECTORY });
  /** @type {{ [key: string]: unknown }} */
  const chosen = { config: configPath(options.config) };
  for (const key of /** @type {(keyof YamlTestsOptions)[]} */ (SELECTION)) chosen[key] = options[key];
  const { program, listed } = await listedTests(chosen);
  if (listed.tests.length === 0) return;
  const agents = agentsOf(program);
  agents.add(options.agents ?? {});
  const keys = { ...chosen, config: listed.config, record: options.record, replay: options.replay };
  const tests = new RegisteredTests(program, agents, keys, listed.tests);
  for (const test of listed.tests) {
    // ananke has its own limits of time.
    runner.test(test.id, { timeout: Infinity }, (/** @type {any} */ context) => runTest(tests, test, context));
  }
  const end = () => tests.end();
  // vitest takes the limit of time as a number.
  if (runner.afterAll !== undefined) runner.afterAll(end, Infinity);
  else runner.after?.(end);
}

/** The agents of this process that tests of a program may name. @type {WeakMap<Connection, RegisteredAgents>} */
const registered = new WeakMap();

/** @param {Connection} program */
function agentsOf(program) {
  const agents = registered.get(program) ?? new RegisteredAgents(program);
  registered.set(program, agents);
  program.onTestSession = (session, agent) => agents.begin(session, agent);
  return agents;
}

/** @param {{ [key: string]: unknown }} chosen */
async function listedTests(chosen) {
  try {
    const program = await connection(/** @type {string | undefined} */ (chosen.config));
    const listed = await program.call("tests/list", chosen);
    const errors = [];
    for (const { severity, text } of listed.problems) {
      if (severity === "error") errors.push(text.trimEnd());
      else process.emitWarning(text.trimEnd(), "AnankeWarning");
    }
    if (errors.length > 0) throw withoutOwnFrames(new UsageError(errors.join("\n")));
    return { program, listed };
  } catch (error) {
    throw publicError(error);
  }
}

/**
 * A test, as `tests/list` has it.
 * @typedef {{ id: string, path: string, line: number }} ListedTest
 */

/**
 * A result that is to come.
 * @typedef {object} Awaited
 * @property {Promise<any>} promise
 * @property {(notice: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** The tests that were registered. Those that the runner selects run in one request, as `ananke run` runs them. */
class RegisteredTests {
  #program;
  #agents;
  #keys;
  #tests;
  /** @type {Map<string, Awaited> | undefined} */
  #batch;
  /** @type {Set<string>} */
  #taken = new Set();
  #isRunning = false;

  /**
   * @param {Connection} program
   * @param {RegisteredAgents} agents
   * @param {{ [key: string]: unknown }} keys
   * @param {ListedTest[]} tests
   */
  constructor(program, agents, keys, tests) {
    this.#program = program;
    this.#agents = agents;
    this.#keys = keys;
    this.#tests = tests;
  }

  /**
   * The notification of a test; undefined if it was not run. The first call begins the batch.
   * @param {ListedTest} test
   * @param {any} context
   * @returns {Promise<any>}
   */
  async result(test, context) {
    this.#batch ??= this.#begin(this.#selected(test, context));
    // A test that is retried runs once more.
    const isFirst = !this.#taken.has(test.id);
    this.#taken.add(test.id);
    const awaited = (isFirst ? this.#batch.get(test.id) : undefined) ?? this.#begin([test]).get(test.id);
    return awaited?.promise;
  }

  /**
   * The tests that the runner will run, as far as it shows them.
   * @param {ListedTest} test
   * @param {any} context
   */
  #selected(test, context) {
    if (context?.task?.file !== undefined) {
      const names = new Set(namesToRun(context.task.file));
      return this.#tests.filter(({ id }) => names.has(id));
    }
    const isFiltered = [...process.execArgv, ...process.argv].some((option) => /^--test-(name|skip|only)/.test(option));
    return isFiltered ? [test] : this.#tests;
  }

  /**
   * @param {ListedTest[]} tests
   * @returns {Map<string, Awaited>}
   */
  #begin(tests) {
    const batch = new Map(tests.map(({ id }) => [id, toCome()]));
    const awaited = [...batch.values()];
    const keys = { ...this.#keys, tests: [...new Set(tests.map(({ path }) => path))], ids: tests.map(({ id }) => id) };
    const answer = this.#program.call("tests/run", keys, (notice) => {
      const failure = this.#agents.end(notice.result.thread_id);
      batch.get(notice.result.id)?.resolve({ ...notice, failure });
    });
    this.#isRunning = true;
    answer
      .then(
        () => awaited.forEach(({ resolve }) => resolve(undefined)),
        (error) => awaited.forEach(({ reject }) => reject(error)),
      )
      .finally(() => (this.#isRunning = false));
    return batch;
  }

  /** Aborts the tests that run. */
  cancel() {
    this.#program.send("tests/cancel", {});
  }

  /** Ends what the config has started. */
  async end() {
    if (this.#isRunning) this.cancel();
    this.#agents.endAll();
    try {
      await this.#program.call("tests/end", { config: this.#keys.config });
    } catch (error) {
      throw publicError(error);
    }
  }
}

/** @returns {Awaited} */
function toCome() {
  /** @type {any} */
  const awaited = {};
  awaited.promise = new Promise((resolve, reject) => Object.assign(awaited, { resolve, reject }));
  // A runner may stop before it asks for every result.
  awaited.promise.catch(() => {});
  return awaited;
}

/**
 * The names of the tests that vitest will run in a suite.
 * @param {any} suite
 * @returns {string[]}
 */
function namesToRun({ tasks }) {
  const chosen = tasks.filter((/** @type {any} */ { mode }) => mode !== "skip" && mode !== "todo");
  return chosen.flatMap((/** @type {any} */ task) => (task.tasks === undefined ? [task.name] : namesToRun(task)));
}

/**
 * Runs one test. If it does not pass, the error has the report of ananke, and as the top of its stack the place of the rule that failed, or
 * of the test.
 * @param {RegisteredTests} tests
 * @param {ListedTest} test
 * @param {any} context
 */
async function runTest(tests, test, context) {
  const cancel = () => tests.cancel();
  context?.signal?.addEventListener("abort", cancel, { once: true });
  const place = `${test.path}:${test.line}:1`;
  /** @type {any} */
  let notice;
  try {
    notice = await tests.result(test, context);
  } catch (error) {
    throw publicError(error);
  } finally {
    context?.signal?.removeEventListener("abort", cancel);
  }
  if (notice === undefined) throw at(new UsageError("the test was not run: its file was changed after it was listed"), place);
  const { result, text, failure } = notice;
  warn(notice);
  if (result.status === "passed") {
    warn({ warnings: warningsOf(result) });
    return;
  }
  if (result.status === "skipped") context.skip(reasonOf(result) || "skipped");
  else if (result.quarantined != null) context.skip(`${quarantine(result.quarantined)}: ${firstFinding(result)}`);
  else {
    const error = new YamlTestError(text.trimEnd());
    // Runners print the stack of the agent under that of the test.
    if (failure !== undefined) error.cause = failure.error;
    throw at(error, placeOfFinding(result, test) ?? place);
  }
}

/**
 * The warnings about a test and its turns, each once, with its id. The report of a test that did not pass has them.
 * @param {any} result
 * @returns {string[]}
 */
function warningsOf(result) {
  const groups = [result, ...(result.turns ?? [])];
  return [...new Set(groups.flatMap(({ warnings = [] }) => warnings.map((/** @type {string} */ words) => `${result.id}: ${words}`)))];
}

/** A test of a project that did not pass. The message is what `ananke run` prints of it. */
class YamlTestError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "YamlTestError";
  }
}

/**
 * The error with the place of a test as its only frame.
 * @param {Error} error
 * @param {string} place
 */
function at(error, place) {
  error.stack = `${error.name}: ${error.message}\n    at ${place}`;
  return error;
}

/** @param {{ expires: string, owner: string, reason?: string }} quarantined */
function quarantine({ expires, owner, reason }) {
  return `quarantined until ${expires} (${owner})${reason ? `: ${reason}` : ""}`;
}

/**
 * The place of the rule that failed, if it is in the file of the test: rules of the target are not.
 * @param {any} result
 * @param {ListedTest} test
 */
function placeOfFinding(result, test) {
  const found = finding(result);
  return found?.line !== undefined && found.file === result.file ? `${test.path}:${found.line}:${found.column ?? 1}` : undefined;
}

/**
 * The first rule that failed or could not be evaluated.
 * @param {any} result
 */
function finding(result) {
  /** @type {Finding[]} */
  const findings = [result, ...(result.turns ?? [])].flatMap((group) => group.assertions ?? []);
  return findings.find(({ status, passed }) => status === "failed" || status === "not_shown" || passed === false);
}

/**
 * The first reason for which a test did not pass.
 * @param {any} result
 */
function firstFinding(result) {
  const found = finding(result);
  return found === undefined ? reasonOf(result) || result.status : (found.message ?? found.type);
}

/** @param {any} result */
function reasonOf(result) {
  return String(result.error ?? result.skip_reason ?? "").split(/\s+/).join(" ").trim();
}
