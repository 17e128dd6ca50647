"""The front door at real peers: `ananke init` of a URL or a program in an empty directory, as a newcomer runs it.

It finds out what the peer speaks, writes a project, and runs it: the tests are green, and no question is asked. How long that
took is printed, and is no condition.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path


def init(ananke: Path, place: list[str], wanted: list[str], code: int = 0, secret: str | None = None) -> tuple[list[str], str, float]:
    """What does not hold of `ananke init` with these arguments, what it printed, and how many seconds it took.

    The config and the tests that it wrote contain every text of `wanted`, or what it printed does, if it is to write nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        done = subprocess.run(
            [str(ananke), "init", *place],
            cwd=folder,
            env=dict(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        took = time.monotonic() - began
        files = {file.name: file.read_text() for file in sorted(Path(folder).glob("*.yaml"))}
    written = "".join(files.values())
    problems = [f"exit code {done.returncode}, expected {code}"] if done.returncode != code else []
    problems += [f"not there: {text}" for text in wanted if text not in (written if code == 0 else done.stdout)]
    if code == 0 and len(files) < 2:
        problems.append(f"these files were written: {list(files)}")
    if code != 0 and files:
        problems.append(f"written, though the peer was not recognised: {list(files)}")
    if secret is not None and secret in written + done.stdout:
        problems.append("the value of a header is written or printed")
    return problems, done.stdout + "".join(f"\n--- {name}\n{text}" for name, text in files.items()), took
