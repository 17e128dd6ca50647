// Prints what junit2json reads in a JUnit report: the counts of its suites and every test with its verdict.

import { readFileSync } from "node:fs";
import { parse } from "junit2json";

const report = await parse(readFileSync(process.argv[2], "utf8"));
const suites = report.testsuite ?? [];
const verdicts = { failure: "failed", error: "error", skipped: "skipped" };
const verdict = (test) =>
  Object.keys(verdicts).filter((key) => key in test).map((key) => verdicts[key]).join("+") || "passed";
const tests = suites.flatMap((suite) =>
  (suite.testcase ?? []).map((test) => [test.classname, test.name, verdict(test)]));
const sum = (count) => suites.reduce((sum, suite) => sum + suite[count], 0);
const counts = Object.fromEntries(["tests", "failures", "errors", "skipped"].map((count) => [count, sum(count)]));
process.stdout.write(JSON.stringify({ counts, tests }));
