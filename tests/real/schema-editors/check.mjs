// Has the program check the files that completions made.
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The most files in a folder: the program lists at most 100 errors. */
const TOGETHER = 40;
/** The most programs at a time. */
const AT_A_TIME = 2;
/** A target for tests with turns of each protocol. */
const TARGETS = {
  agui: { type: "agui", endpoint: "http://127.0.0.1:1/agent" },
  a2a: { type: "a2a", agentCardUrl: "http://127.0.0.1:1/card.json" },
  mcp: { type: "mcp", endpoint: "http://127.0.0.1:1/mcp", transport: "http" },
};

/** The problems of a file that is not written to its end, and why no schema keeps an editor from making it. */
const LEFT = [
  // Keys that a block needs as well: they can be inherited, or are one of several.
  /^\[missing-key\]/,
  /^\[empty-value\]: the checkpoint `.*` has no assertion/,
  /^\[contradiction\]: `exact` needs `args` or `result`/,
  /^\[contradiction\]: `error_match` looks at an error, which is not what is expected here/,
  /^\[contradiction\]: `quorum` is 2, and the judge is asked once/,
  /^\[contradiction\]: `failure` is about a result, and the call has none/,
  // What the target of a test takes is in the config.
  /^\[contradiction\]: a target of the type `.*` takes no headers, query or body from a turn/,
  /^\[contradiction\]: `same` goes with `call` and `result`/,
  /^\[contradiction\]: a message has no tool and no arguments that could be the same/,
  /^\[contradiction\]: a part has exactly one of/,
  /^\[contradiction\]: a source is a name, `{ result, path }` or `{ literal }`/,
  /^\[contradiction\]: no walk can begin: every action has `needs`/,
  /^\[contradiction\]: the first turn has an `if`, and no turn is before it/,
  /^\[bad-value\]: without a `path` the text of the message is meant/,
  /^\[bad-value\]: every change would be harmless/,
  // Names, files and ids of the user's, for which an example is there.
  /^\[(unknown-name|unreadable|duplicate-id|undefined-variable)\]/,
  /^\[contradiction\]: `(mocks|execute)` is for the tools of a server, which `from` names/,
  /^\[contradiction\]: the tool `get_location` is declared twice/,
  /^\[contradiction\]: two checkpoints have the id/,
  /^\[contradiction\]: `images\/receipt.png` looks like `image\/png`/,
  // Keys whose meaning depends on the value of another key, or on the target.
  /^\[contradiction\]: a target of the type `a2a` does not wait for answers/,
  /^\[contradiction\]: a message of role `user` (has no `tool_calls`|answers no call)/,
  /^\[contradiction\]: `endpoint` goes with `transport: http`/,
  /^\[contradiction\]: a target of the type `\w+` (does not show tool calls|shows no schemas of its tools)/,
  // A target that extends another has the keys of its type, which only the config as a whole says.
  /^\[unknown-key\]: a target of the type `agui` has no key `/,
  /^\[wrong-type\]: unknown value `(stdio|sse)`: the values are `http`/,
  /^\[wrong-type\]: unknown value `previous_response_id`: the values are `full`, `last`/,
  // What the target of a test cannot show, which only the config says.
  /^\[contradiction\]: a target of the type `agui` does not show the requests to its model/,
  // What no model of the config could see, which only the config says.
  /^\[contradiction\]: the config has no model that this could be the script of/,
  /^\[contradiction\]: this is about requests to a model, and the config has no `models`/,
  // Rules that `output` and `state` share, and steps within `any_of`.
  /^\[contradiction\]: `of` goes with `output`: there is one state/,
  /^\[contradiction\]: several messages are looked at by `not: true`/,
  /^\[contradiction\]: `any_of` contains `any_of`/,
  /^\[contradiction\]: `of` is either `call`/,
  /^\[bad-value\]: a variable is captured from one place/,
  /^\[wrong-type\]: unknown value `text`: the values are `image`/,
  /^\[bad-value\]: a turn sends one message of the user/,
];

/** A folder with files, and what the program finds in it. */
async function found(ananke, folder, files, options) {
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value, undefined, 1));
  const ran = await run(ananke, ["check", "--color", "never", ...options], { cwd: folder, maxBuffer: 1 << 26 }).catch((failed) => failed);
  const text = `${ran.stdout}${ran.stderr}`;
  const problems = text.split(/\n(?=error\[)/).filter((part) => part.startsWith("error["));
  if ((ran.code ?? 0) !== 0 && problems.length === 0) return [{ file: "", problem: text }];
  return problems.map((part) => ({
    file: / --> ([^:\n]+):/.exec(part)?.[1] ?? "",
    problem: part.split("\n")[0].slice("error".length),
  }));
}

/** The failures among the files. */
export async function check(files, ananke, work) {
  rmSync(work, { recursive: true, force: true });
  const config = (target) => ({ version: "1.4", target });
  const jobs = [];
  const protocol = (value) => /"type":"(a2a|mcp):/.exec(JSON.stringify(value))?.[1] ?? "agui";
  for (const [type, target] of Object.entries(TARGETS)) {
    const tests = files.filter(({ kind, value }) => kind === "test" && protocol(value) === type);
    for (let index = 0; index < tests.length; index += TOGETHER) {
      const some = tests.slice(index, index + TOGETHER);
      const named = Object.fromEntries(some.map(({ value }, number) => [`${number}.test.yaml`, value]));
      const of = (file) => some[Number(file.split(".")[0])]?.from ?? "tests";
      jobs.push({ folder: `${type}-${index}`, files: { ...named, "ananke.config.yaml": config(target) }, options: [], of });
    }
  }
  for (const [index, { value, from }] of files.filter(({ kind }) => kind === "config").entries()) {
    jobs.push({ folder: `config-${index}`, files: { "ananke.config.yaml": value }, options: ["--allow-empty"], of: () => from });
  }
  for (const [index, { value, from }] of files.filter(({ kind }) => kind === "case").entries()) {
    const named = { "a.jsonl": value, "ananke.config.yaml": config(TARGETS.agui) };
    jobs.push({ folder: `case-${index}`, files: named, options: ["a.jsonl"], of: () => from });
  }
  const failures = [];
  const met = new Set();
  const workOn = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      for (const { file, problem } of await found(ananke, join(work, job.folder), job.files, job.options)) {
        const left = LEFT.find((pattern) => pattern.test(problem));
        if (left !== undefined) met.add(left);
        else failures.push(`${job.of(file)} is wrong for \`ananke check\`: ${problem}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, workOn));
  for (const left of LEFT.filter((pattern) => !met.has(pattern))) failures.push(`nothing is left any more by ${left}: delete it`);
  return failures;
}
