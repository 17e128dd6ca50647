"""Plays what was recorded of a run, with no agent there: verdicts and reports must be the same to the byte."""

import difflib
import os
import re
import subprocess
from pathlib import Path

# What says when a run was, how long it took, how it was started, what was known of its tests and where its agent was, and
# not what happened in it.
CIRCUMSTANCES = [
    (re.compile(rb'(<testsuites [^>]*) time="[^"]*" timestamp="[^"]*"'), rb"\1"),
    (re.compile(rb'(<property name="wall-clock time") value="[^"]*"'), rb"\1"),
    (re.compile(rb'("type":"summary".*),"started":[0-9]*,"duration_ms":[0-9.]*'), rb"\1"),
    (re.compile(rb' *<property name="command" value="[^"]*" ?/>\n?'), rb""),
    (re.compile(rb'("type":"summary","run":\{[^\[]*)"command":\[[^\]]*\],'), rb"\1"),
    # A replay is not held against the last run of its tests.
    (re.compile(rb'"change":"(new|known|fixed)",'), rb""),
    (re.compile(rb'"changes":\{"new":[0-9]+,"known":[0-9]+,"fixed":[0-9]+\},'), rb""),
    (re.compile(rb' *<property name="changes?" value="[^"]*" ?/>\n?'), rb""),
    # A replay knows no address, and a recording keeps few headers of a response.
    (re.compile(rb'("event":[0-9]+,"method":"[A-Z]+"),"url":"[^"]*"'), rb"\1"),
    (re.compile(rb',"response_headers":\{[^{}]*\}'), rb""),
]
# What a run without its agent does not have: addresses, keys.
NEEDED_LIVE = re.compile(r"ANANKE_(PYDANTIC|NODE|COPILOTKIT)_(URL|KEY)")


def differences(ananke: Path, arguments: list, code: int, recordings: Path, reports: list[Path], environment: dict) -> list[str]:
    """What is not the same when the recordings are played. `reports` were written by the live run."""
    again = [report.with_name(f"replayed-{report.name}") for report in reports]
    for left_over in again:
        left_over.unlink(missing_ok=True)
    outputs = [part for report in again for part in ("-o", report)]
    known = {**os.environ, **environment}
    done = subprocess.run(
        [ananke, "run", *arguments, "--replay", recordings, *outputs],
        env={name: value for name, value in known.items() if not NEEDED_LIVE.fullmatch(name)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
    )
    problems = [] if done.returncode == code else [f"replayed: exit code {done.returncode}, expected {code}"]
    for live, replayed in zip(reports, again):
        if not replayed.exists():
            problems.append(f"replayed: no {replayed.name}; it printed:\n{done.stdout.decode()}")
        elif (before := timeless(live)) != (after := timeless(replayed)):
            difference = difflib.unified_diff(lines(before), lines(after), "live", "replayed", lineterm="", n=0)
            problems.append("\n".join(["replayed: another report", *difference][:40]))
    return problems


def timeless(report: Path) -> bytes:
    text = report.read_bytes()
    for pattern, replacement in CIRCUMSTANCES:
        text = pattern.sub(replacement, text)
    return text


def lines(text: bytes) -> list[str]:
    return text.decode(errors="replace").replace(',"', ',\n"').splitlines()
