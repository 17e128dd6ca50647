// What tests share.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { RunResult, TestSession } from "ananke-test/testing";

/** A reply with one call. */
export function call(name, args, id = "1") {
  return { tool_calls: [{ id, type: "function", function: { name, arguments: args } }] };
}

/** A model that gives these replies, one after the other. */
export function scripted(...replies) {
  return () => {
    if (replies.length === 0) throw new Error("there is no reply left");
    return replies.shift();
  };
}

/** A session that ends with its test. */
export async function opened(t, options) {
  const session = await TestSession.open(options);
  t.after(() => session.close());
  return session;
}

/** A run that was made by hand. */
export function weather() {
  return new RunResult(
    [
      { type: "function_call", name: "get_weather", arguments: { city: "Paris", days: 1, note: null }, toolCallId: "1" },
      { type: "function_call_output", name: "get_weather", output: { degrees: 21 }, isError: false, toolCallId: "1" },
      { type: "message", role: "assistant", content: "It is 21 degrees in Paris." },
    ],
    "How warm is it?",
  );
}

/** A new directory with these files, which ends with its test. */
export function project(t, files) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ananke-node-")));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

/** The program that this package finds. */
export function ownProgram() {
  const source = new URL("../program.js", import.meta.resolve("ananke-test/testing")).href;
  const code = `import { findProgram } from ${JSON.stringify(source)}; console.log(process.env.ANANKE_PROGRAM || findProgram());`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).trim();
}

/** A config with an agent that calls the tool `temperature`. */
export const WEATHER_CONFIG = `version: "1.4"
target:
  type: scripted
  client_tools: [{ name: temperature, mock: { result: { degrees: 21 } } }]
  rules:
    - when: { user: "Paris" }
      do:
        - call: { tool: temperature, args: { city: Paris } }
        - say: "It is warm."
    - do: [{ say: "Which city?" }]
targets:
  judge:
    type: scripted
    rules: [{ do: [{ say: "FAIL: it is rude" }] }]
`;
