"""What ananke captured, as a few lines a person can read, and their comparison with what is expected.

A result line of ananke's JSON report becomes text such as

    passed
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
    text = "\n".join([result["status"], *lines(result)]) + "\n"
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


# The warning about a stream that its server has not closed in time, in the lines of a test.
LEFT_OPEN = "  warns left-open: "


def lines(result: dict) -> Iterator[str]:
    for turn in result["turns"]:
        speaker = " (simulator)" if turn.get("input_source") == "simulator" else ""
        yield f"turn {turn['turn']} {turn['status']}{speaker}: {turn['input']}"
        for call in turn["tool_calls"]:
            yield f"  calls {call['name']} {compact(call['args'])} -> {came_of(call)}"
        items = turn["items"]
        for late in (item for item in items if "called_in" in item):
            yield f"  late  {late['name']} of turn {late['called_in']} -> {came_of(late)}"
        reasoning = [item["text"] for item in items if item["type"] == "reasoning"]
        yield from worded("thinks", "\n".join(filter(None, reasoning)))
        yield from worded("says", turn["output"])
        for custom in (item for item in items if item["type"] == "custom"):
            yield f"  tells {custom['name']} {compact(custom['value'])}"
        for interrupt in turn.get("interrupts", []):
            yield f"  waits {compact(interrupt)}"
        # Nearly every run is finished: how a turn ended is told of the others.
        if turn.get("outcome") != "finished":
            yield f"  ends  {turn.get('outcome', 'without an outcome')}"
        if "usage" in turn:
            yield f"  takes {compact(turn['usage'])}"
        yield from (f"  warns {warning}" for warning in turn["warnings"])
        yield from (f"  fails {rule['type']}: {rule['message']}" for rule in turn["assertions"] if not rule["passed"])
        yield from (f"  {ruling}" for ruling in rulings(turn["assertions"]))
        if "error" in turn:
            yield from error(turn)
    for checkpoint in result.get("checkpoints", []):
        reached = f"reached in turn {checkpoint['reached_at_turn']}" if checkpoint["passed"] else "not reached"
        yield f"checkpoint {checkpoint['id']}: {reached}"
    if result["turns_not_run"]:
        yield f"turns not run: {result['turns_not_run']}"
    if "error" in result and not any("error" in turn for turn in result["turns"]):
        yield from error(result)
    yield from (f"fails {rule['type']}: {rule['message']}" for rule in result["final_assertions"] if not rule["passed"])
    yield from rulings(result["final_assertions"])
    yield from (f"not shown {rule['type']}: {rule['message']}" for rule in result.get("not_shown", []))


def rulings(rules: list[dict]) -> Iterator[str]:
    """What judges answered."""
    for judge in (rule["judge"] for rule in rules if "judge" in rule):
        yield from (f"judge {judge['agent']}: {compact(answer)}" for answer in judge["answers"])


def came_of(call: dict) -> str:
    """What came of a call: its result, and whether it is a failure by the agent's own account."""
    answer = compact(call["result"]) if "result" in call else "nothing"
    failure = "denied" if call["status"] == "denied" else "failed" if call.get("is_error") else None
    return f"{failure}: {answer}" if failure else answer


def worded(verb: str, text: str) -> Iterator[str]:
    # A message may hold any line end there is; one of these lines is one line.
    return (f"  {verb:<5} {line}" for line in text.split("\n") if text)


def error(of: dict) -> Iterator[str]:
    problem = of["problem"]
    yield f"  error of kind {problem['kind']}: {of['error']}"
    if "help" in problem:
        yield f"    help: {problem['help']}"


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def differences(report: Path, specs: Path, variant: str, without: str, updated: set[Path] | None) -> list[str]:
    """What `report`, JSON lines of a run of every test in `specs`, says otherwise than the files beside the tests.

    A run that is a `variant` of the usual one has a NAME.VARIANT.captured where it differs; `without` is a pattern of
    the lines that it does not have. Where `updated` is given, files that are not in it yet are written instead.
    """
    read = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    results = {Path(line["file"]).name: told(line) for line in read if line["type"] == "result"}
    found = []
    for test in sorted(specs.glob("*.test.yaml")):
        captured = results.get(test.name, "the report does not tell of this test\n")
        if updated is not None:
            update(test, variant, without, captured, updated)
        expected = expectation(test, variant, without)
        if LEFT_OPEN not in expected:
            # A server on a slow machine closes its stream when it comes to it.
            captured = re.sub(f"^{LEFT_OPEN}.*\n", "", captured, flags=re.MULTILINE)
        if captured != expected:
            # Not `splitlines`, which knows more line ends than a file does.
            both = (text.split("\n") for text in (expected, captured))
            diff = difflib.unified_diff(*both, "expected", "captured", lineterm="", n=20)
            found.append(f"{test.name}:\n" + "\n".join(diff))
    return found


def beside(test: Path, *ending: str) -> Path:
    return test.with_name(".".join([test.name.removesuffix(".test.yaml"), *ending, "captured"]))


def expectation(test: Path, variant: str, without: str) -> str:
    """What must be captured of a test."""
    own, usual = beside(test, variant), beside(test)
    if variant and own.exists():
        return own.read_text(encoding="utf-8")
    text = usual.read_text(encoding="utf-8") if usual.exists() else ""
    return re.sub(f"^(?:{without})\\n", "", text, flags=re.MULTILINE) if without else text


def update(test: Path, variant: str, without: str, captured: str, updated: set[Path]) -> None:
    """Writes what was captured; of a variant only what is not as usual."""
    usual = beside(test)
    file = beside(test, variant) if variant and usual in updated else usual
    if file in updated:
        return
    updated.add(file)
    if file != usual:
        file.unlink(missing_ok=True)
        if captured == expectation(test, "", without):
            return
    file.write_text(captured, encoding="utf-8")


def all_pass(specs: Path, variant: str) -> bool:
    """Whether every test in `specs` is expected to pass."""
    return all(expectation(test, variant, "").startswith("passed\n") for test in specs.glob("*.test.yaml"))
