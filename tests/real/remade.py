"""What is made of recordings of real peers: a frozen test, a shrunk test, and mutants.

A project has the tests `kept`, which passes, and `broken`, whose three turns end with a rule that fails. Both were recorded in the
directory `recordings`. No command reaches the peer: the environment that is given has no address of it.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

Check = tuple[str, list[str], str]


def checks(ananke: Path, project: Path, environment: dict[str, str]) -> Iterator[Check]:
    """The name of each check, what is not as it should be, and what was printed."""

    def command(*words: object) -> tuple[int, str]:
        done = subprocess.run(
            [str(ananke), *map(str, words)],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout

    yield "freeze: a test that passes replayed", *frozen(command, project)
    yield "shrink: a smaller test that fails in the same way", *shrunk(command, project)
    yield "mutate: mutants that survive, and that are killed", *mutated(command, project)


def recording(project: Path, test: str) -> Path:
    """The recording of a test."""
    (found,) = (project / "recordings").rglob(f"{test}.jsonl")
    return found


def frozen(command, project: Path) -> tuple[list[str], str]:
    """Freezes `kept`, and replays the new test."""
    code, printed = command("freeze", recording(project, "kept"), "--recordings", "frozen", "-o", "kept.frozen.test.yaml")
    if code != 0:
        return [f"freeze: exit code {code}"], printed
    code, more = command("run", "--replay", "frozen", "kept.frozen.test.yaml")
    problems = [f"the replay: exit code {code}"] if code else []
    problems += [] if "1 test: 1 passed" in more else ["not printed: 1 test: 1 passed"]
    # The frozen rules are those of the recording: another answer would fail.
    text = (project / "kept.frozen.test.yaml").read_text()
    problems += [] if text.count("- user:") == 3 else ["the frozen test has not three turns"]
    return problems, printed + more + text


def shrunk(command, project: Path) -> tuple[list[str], str]:
    """Shrinks `broken`, and runs what is left."""
    code, printed = command("shrink", recording(project, "broken"), "-o", "shrunk")
    if code != 0:
        return [f"shrink: exit code {code}"], printed
    sizes = re.search(r"shrunk (\d+) turns with (\d+) events to (\d+) turns? with (\d+) events?", printed)
    if sizes is None:
        return ["the sizes are not printed"], printed
    turns, events, turns_left, events_left = map(int, sizes.groups())
    problems = [] if turns == 3 and turns_left < turns and events_left < events else [f"not smaller: {sizes[0]}"]
    code, more = command("run", "shrunk/shrunk.yaml")
    problems += [] if code == 1 and "1 test: 1 failed" in more else [f"what is left: exit code {code}, expected a failure"]
    (rule,) = re.findall(r"it violates .*?: (.*)", printed)
    problems += [] if rule in more else [f"what is left fails otherwise than by: {rule}"]
    return problems, printed + more


def mutated(command, project: Path) -> tuple[list[str], str]:
    """Mutates `kept`."""
    code, printed = command("mutate", recording(project, "kept"), "--json", "--no-suggestions")
    if code != 0:
        return [f"mutate: exit code {code}"], printed
    summary = json.loads(printed)["summary"]
    counts = {fate: summary[fate] for fate in ("killed", "survived")}
    return [f"{fate}: none" for fate, count in counts.items() if count == 0], f"{printed}\n{counts}"
