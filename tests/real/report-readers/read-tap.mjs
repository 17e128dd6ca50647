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
// What a terminal must not get is written out, and the first sign of what a build server obeys.
const deceives =
  /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{feff}\u{ffa0}\u{fdd0}-\u{fdef}\u{fff0}-\u{fffb}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}\p{Noncharacter_Code_Point}]/gu;
const orders = /^\s*:(?=:)|#(?=#[A-Za-z]*\[)|\[(?=\[[A-Z]+\|)/g;
const point = (text) => `\\u{${text.codePointAt(0).toString(16)}}`;
const visible = (text) =>
  text
    .replace(deceives, (sign) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[sign] ?? point(sign))
    .replace(orders, (sign) => sign.slice(0, -1) + point(sign.slice(-1)));
const first = (result) => (result.status === "failed" && result.assertion_errors[0]) || result.error;
/** Whether a line begins with the name of an error. */
const namesError = (line) => /^([^\s:[][^:[]*[. ])?\w*(Error|Exception)\s*([:[]|$)|^error\s*[:[]/.test(line);
/** A message on one line: of the last lines of a program's stderr only the last that names an error, or else the last. */
const inOneLine = (text) => {
  const joined = (part) => part.split(/(?:(?!\ufeff)[\s\u0085])+/u).filter(Boolean).join(" ");
  const [before, lines] = text.split("\nits stderr ends:");
  if (lines === undefined) return joined(text);
  const shown = lines.split("\n").map((line) => line.replace(/^ {2}/, "")).filter((line) => line.trim());
  const last = shown.filter(namesError).at(-1) ?? shown.at(-1);
  const told = joined(last ?? "");
  return joined(before).endsWith(told) ? joined(before) : `${joined(before)}: ${told}`;
};

const expected = results.map((result) => ({
  ok: !fails(result),
  name: visible(result.id),
  skip: result.status === "skipped",
  todo: fails(result) && "quarantined" in result,
  ...(fails(result) && { status: result.status, message: visible(inOneLine(first(result))) }),
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
