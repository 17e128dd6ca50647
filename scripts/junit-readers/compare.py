"""Compares what a reader of JUnit says (standard input) with the JSON lines of the same run (the argument)."""

import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    *results, summary = [json.loads(line) for line in file]


def visible(name):
    """A name as JUnit has it: control characters, which JSON can hold, are written out."""
    return re.sub("[\x00-\x1f\x7f-\x9f]", lambda found: f"\\u{{{ord(found[0]):x}}}", name)


# A time-out is an error to every reader of JUnit.
verdicts = {"timeout": "error"}
tests = [
    [
        result["file"].removesuffix(".test.yaml").replace("/", "."),
        visible(result["id"].split("::", 1)[1]),
        verdicts.get(result["status"], result["status"]),
    ]
    for result in results
]
counts = {
    "tests": summary["total"],
    "failures": summary["failed"],
    "errors": summary["error"] + summary["timeout"],
    "skipped": summary["skipped"],
}
expected = {"counts": counts, "tests": tests}
read = json.load(sys.stdin)
if not tests or read != expected:
    sys.exit(f"read:     {json.dumps(read)}\nexpected: {json.dumps(expected)}")
