"""What ananke captured, as a few lines a person can read, and their comparison with what is expected.

A result line of ananke's JSON report becomes text such as

    passed, 2 messages
    turn 1 passed: What is the weather in Paris?
      calls get_weather {"city":"Paris"} -> {"sky":"sunny"}
      says  It is sunny in Paris.

which stands beside its test: NAME.captured beside NAME.test.yaml. It holds nothing that changes from run to run: no
time, and no id that somebody makes up.
"""

import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path

CHANGING = [
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"pyd_ai_[0-9a-f]{32}"), "CALL"),
    (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"),
]


def told(result: dict) -> str:
    """The result of one test in words."""
    first = f"{result['status']}, {result['messages_count']} messages"
    text = "\n".join([first, *lines(result)]) + "\n"
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def lines(result: dict) -> Iterator[str]:
    for turn in result["turns"]:
        yield f"turn {turn['turn']} {turn['status']}: {turn['input']}"
        for call in turn["tool_calls"]:
            answer = compact(call["result"]) if "result" in call else "nothing"
            yield f"  calls {call['name']} {compact(call['args'])} -> {answer}"
        if turn["output"]:
            # A message may hold any line end there is; one of these lines is one line.
            yield from (f"  says  {line}" for line in turn["output"].split("\n"))
        yield from (f"  warns {warning}" for warning in turn["warnings"])
        yield from (f"  fails {rule['type']}: {rule['message']}" for rule in turn["assertions"])
        if "error" in turn:
            yield from error(turn["error"])
    if result["turns_not_run"]:
        yield f"turns not run: {result['turns_not_run']}"
    if "error" in result and not any("error" in turn for turn in result["turns"]):
        yield from error(result["error"])
    yield from (f"fails {rule['type']}: {rule['message']}" for rule in result["final_assertions"])


def error(error: dict) -> Iterator[str]:
    yield f"  error of kind {error['kind']}: {error['message']}"
    if "help" in error:
        yield f"    help: {error['help']}"


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def differences(report: Path, specs: Path, update: bool) -> list[str]:
    """What `report`, JSON lines of a run of every test in `specs`, says otherwise than the files beside the tests.

    With `update` the files are written instead.
    """
    read = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    results = {Path(line["file"]).name: told(line) for line in read if line["type"] == "result"}
    found = []
    for test in sorted(specs.glob("*.test.yaml")):
        name = test.name.removesuffix(".test.yaml")
        file = specs / f"{name}.captured"
        captured = results.get(test.name, "the report does not tell of this test\n")
        if update:
            file.write_text(captured, encoding="utf-8")
        expected = file.read_text(encoding="utf-8") if file.exists() else ""
        if captured != expected:
            # Not `splitlines`, which knows more line ends than a file does.
            both = (text.split("\n") for text in (expected, captured))
            diff = difflib.unified_diff(*both, "expected", "captured", lineterm="", n=20)
            found.append(f"{test.name}:\n" + "\n".join(diff))
    return found


def all_pass(specs: Path) -> bool:
    """Whether every test in `specs` is expected to pass."""
    return all(file.read_text(encoding="utf-8").startswith("passed,") for file in specs.glob("*.captured"))
