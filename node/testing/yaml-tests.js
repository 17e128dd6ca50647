// The tests of a project as tests of vitest and node:test.

/** @import { Finding, TestRunner, YamlTestsOptions } from "./types.js" */
/** @import { Connection } from "./connection.js" */

import { configPath, connection } from "./connection.js";
import { publicError, UsageError, withoutOwnFrames } from "./errors.js";
import { inWords } from "./report.js";

const SELECTION = ["tests", "target", "filter", "tags", "variables"];
const OPTIONS = ["config", ...SELECTION, "record", "replay"];

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
  /** @type {{ [key: string]: unknown }} */
  const chosen = { config: configPath(options.config) };
  for (const key of /** @type {(keyof YamlTestsOptions)[]} */ (SELECTION)) chosen[key] = options[key];
  const { program, listed } = await listedTests(chosen);
  const { config } = listed;
  for (const { id, path, line } of listed.tests) {
    const keys = { ...chosen, config, tests: [path], ids: [id], record: options.record, replay: options.replay };
    // ananke has its own limits of time.
    runner.test(id, { timeout: Infinity }, (/** @type {any} */ context) => runTest(program, keys, context, `${path}:${line}:1`));
  }
  if (listed.tests.length === 0) return;
  const end = () => endTests(program, config);
  // vitest takes the limit of time as a number.
  if (runner.afterAll !== undefined) runner.afterAll(end, Infinity);
  else runner.after?.(end);
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
 * @param {Connection} program
 * @param {string} config
 */
async function endTests(program, config) {
  try {
    await program.call("tests/end", { config });
  } catch (error) {
    throw publicError(error);
  }
}

/**
 * Runs one test. If it does not pass, the error has the report of ananke, and the place of the test as the top of its stack.
 * @param {Connection} program
 * @param {{ [key: string]: unknown }} keys
 * @param {any} context
 * @param {string} place
 */
async function runTest(program, keys, context, place) {
  const cancel = () => program.send("tests/cancel", {});
  context?.signal?.addEventListener("abort", cancel, { once: true });
  /** @type {any} */
  let notice;
  try {
    await program.call("tests/run", keys, (result) => (notice = result));
  } catch (error) {
    throw publicError(error);
  } finally {
    context?.signal?.removeEventListener("abort", cancel);
  }
  if (notice === undefined) throw at(new UsageError("the test was not run: its file was changed after it was listed"), place);
  const { result, text } = notice;
  if (result.status === "passed") return;
  if (result.status === "skipped") context.skip(reasonOf(result) || "skipped");
  else if (result.quarantined != null) context.skip(`${quarantine(result.quarantined)}: ${firstFinding(result)}`);
  else throw at(new YamlTestError(text.trimEnd()), place);
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
 * The first reason for which a test did not pass.
 * @param {any} result
 */
function firstFinding(result) {
  /** @type {Finding[]} */
  const findings = [result, ...(result.turns ?? [])].flatMap((group) => group.assertions ?? []);
  const found = findings.find(({ status, passed }) => status === "failed" || status === "not_shown" || passed === false);
  return found === undefined ? reasonOf(result) || result.status : inWords({ type: found.type, status: found.status, message: found.message });
}

/** @param {any} result */
function reasonOf(result) {
  return String(result.error?.message ?? result.skip_reason ?? "").split(/\s+/).join(" ").trim();
}
