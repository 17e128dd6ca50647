"""Prints what junitparser reads in a JUnit report: the counts of its suites and every test with its verdict."""

import json
import sys

from junitparser import Error, Failure, JUnitXml, Skipped

VERDICTS = {Failure: "failed", Error: "error", Skipped: "skipped"}
COUNTS = ("tests", "failures", "errors", "skipped")

suites = list(JUnitXml.fromfile(sys.argv[1]))
tests = []
for suite in suites:
    for case in suite:
        verdicts = [VERDICTS[type(result)] for result in case.result]
        tests.append([case.classname, case.name, "+".join(verdicts) or "passed"])
counts = {count: sum(getattr(suite, count) for suite in suites) for count in COUNTS}
json.dump({"counts": counts, "tests": tests}, sys.stdout)
