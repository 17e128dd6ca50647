// Compares what tap-parser reads in a TAP report (first argument) with the JSON lines of the same run (second).

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Parser } from "tap-parser";

const [report, lines] = process.argv.slice(2);
const read = { tests: [], odd: [], comments: [] };
const parser = new Parser((results) => (read.results = results));
parser.on("assert", (test) => read.tests.push(test));
for (const event of ["extra", "bailout"]) {
  parser.on(event, (text) => read.odd.push([event, text]));
}
parser.on("child", (child) => read.odd.push(["subtest", child.name]));
parser.end(readFileSync(report, "utf8"));

const results = readFileSync(lines, "utf8").trim().split("\n").map(JSON.parse);
const summary = results.pop();
const fails = (result) => ["failed", "error", "timeout"].includes(result.status);
// What a terminal must not get, and JSON can hold, is written out.
const deceives = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g;
const visible = (text) =>
  text.replace(deceives, (character) =>
    ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`);
const first = (result) =>
  result.status === "failed" ? (result.assertion_errors[0] ?? result.error?.message) : result.error?.message;

const expected = results.map((result) => ({
  ok: !fails(result),
  name: visible(result.id),
  skip: result.status === "skipped",
  todo: fails(result) && "quarantined" in result,
  ...(fails(result) && { status: result.status, message: visible(first(result)) }),
}));
const found = read.tests.map((test) => ({
  ok: test.ok,
  name: test.name.trim(),
  skip: Boolean(test.skip),
  todo: Boolean(test.todo),
  ...(!test.ok && { status: test.diag?.status, message: test.diag?.message }),
}));
const problems = [];
if (expected.length === 0 || !isDeepStrictEqual(found, expected)) {
  problems.push(`read:     ${JSON.stringify(found)}\nexpected: ${JSON.stringify(expected)}`);
}
if (read.odd.length > 0) {
  problems.push(`what is no test: ${JSON.stringify(read.odd)}`);
}
if (read.results.plan.end !== expected.length || read.results.ok !== (summary.exit_code === 0)) {
  problems.push(`plan ${JSON.stringify(read.results.plan)}, ok ${read.results.ok}, exit code ${summary.exit_code}`);
}
// The parser takes the duration out of the block.
const withoutBlock = read.tests.filter((test) => !test.skip && typeof test.time !== "number");
if (withoutBlock.length > 0) {
  problems.push(`no block of YAML below ${withoutBlock.map((test) => test.name)}`);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
