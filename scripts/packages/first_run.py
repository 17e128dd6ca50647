"""A first run with what was installed: a project is written into an empty directory, and its test passes."""

import time
from pathlib import Path

from packages.machine import WORK, fresh, run, version


def first_run(what: str, *command: str | Path, **environment: str) -> None:
    """Starts `ananke` as `command` does, and prints how long a first green run takes. Ends the script if anything is wrong."""
    said = run(*command, "--version", **environment).strip()
    if said != f"ananke {version()}":
        raise SystemExit(f"{what}: the command says that it is `{said}`: expected `ananke {version()}`")
    project = fresh(WORK / "project")
    started = time.monotonic()
    run(*command, "init", cwd=project, **environment)
    printed = run(*command, "run", "-o", "junit.xml", cwd=project, **environment)
    seconds = time.monotonic() - started
    last = printed.strip().splitlines()[-1]
    if not (project / "junit.xml").is_file() or "passed" not in last:
        raise SystemExit(f"{what}: the first run did not pass: {last}")
    print(f"{what}: {said}, `init` and a first run in {seconds:.2f} s: {last}")
