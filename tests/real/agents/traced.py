"""Holds what `ananke verify` says of a trace against what the live run said of the same conversation.

Every rule that the trace shows must have the same verdict, and each conversation must show most of its rules.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

Rule = tuple[str, str, str, int]


def differences(ananke: Path, config: Path, test: Path, traces: Path, environment: dict[str, str]) -> tuple[list[str], int]:
    """What differs between a live run of `test`, whose agent adds its spans to `traces`, and the verified trace; and how many
    rules both evaluated."""
    traces.write_text("", encoding="utf-8")
    given = ["--config", str(config), "--json"]
    live = report([str(ananke), "run", *given, str(test)], environment)
    trace = report([str(ananke), "verify", *given, str(traces), "--from", "otel", "--rules", str(test)], environment)
    live_rules, trace_rules = verdicts(live), verdicts(trace)
    hidden = {named(rule) for rule in trace.get("not_shown", [])}
    problems = [
        f"{rule}: {live_rules[rule]} live, {trace_rules[rule]} in the trace"
        for rule in sorted(live_rules.keys() & trace_rules.keys())
        if live_rules[rule] != trace_rules[rule]
    ]
    problems += [f"{rule}: evaluated, and not shown" for rule in sorted(hidden & trace_rules.keys())]
    # Rules of turns after one that failed are evaluated in neither.
    if not trace.get("turns_not_run"):
        lost = live_rules.keys() - trace_rules.keys() - hidden
        problems += [f"{rule}: {live_rules[rule]} live, and neither evaluated nor not shown in the trace" for rule in sorted(lost)]
    return problems, len(live_rules.keys() & trace_rules.keys())


def verdicts(test: dict) -> dict[Rule, bool]:
    """Whether each rule passed; a rule that failed in one turn failed."""
    found: dict[Rule, bool] = {}
    for rule in rules(test):
        found[named(rule)] = found.get(named(rule), True) and rule["passed"]
    return found


def rules(test: dict) -> Iterator[dict]:
    for turn in test.get("turns", []):
        yield from turn.get("assertions", [])
    yield from test.get("final_assertions", [])


def named(rule: dict) -> Rule:
    return rule["type"], rule["level"], rule["file"], rule["line"]


def report(command: list[str], environment: dict[str, str]) -> dict:
    """What a command prints of its one test."""
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    tests = [line for line in map(json.loads, done.stdout.splitlines()) if "id" in line]
    if len(tests) != 1:
        raise SystemExit(f"{' '.join(command)}: {len(tests)} tests, exit code {done.returncode}\n{done.stderr}")
    return tests[0]
