"""Compares what a reader of JUnit says (standard input) with the JSON lines of the same run (the argument)."""

import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    *results, summary = [json.loads(line) for line in file]


def visible(name):
    """A name as JUnit has it: control characters, which JSON can hold, are written out."""
    return re.sub("[\x00-\x1f\x7f-\x9f]", lambda found: f"\\u{{{ord(found[0]):x}}}", name)


def verdict(result):
    """What a reader of JUnit must see: a time-out is an error, and what the quarantine shields the run from is skipped."""
    if "quarantined" in result and result["status"] in ("failed", "error", "timeout"):
        return "skipped"
    return "error" if result["status"] == "timeout" else result["status"]


tests = [
    [
        result["file"].removesuffix(".test.yaml").replace("/", "."),
        visible(result["id"].split("::", 1)[1]),
        verdict(result),
    ]
    for result in results
]
counts = {
    "tests": summary["total"],
    "failures": summary["failed"],
    "errors": summary["error"] + summary["timeout"],
    "skipped": summary["skipped"] + summary["quarantined"],
}
expected = {"counts": counts, "tests": tests}
read = json.load(sys.stdin)
if not tests or read != expected:
    sys.exit(f"read:     {json.dumps(read)}\nexpected: {json.dumps(expected)}")
