"""Runs every recipe of a file in a folder and compares what it prints with what is below it.

    recipes.py FILE FOLDER [write]

A recipe is a command after `$ ` and what it prints, up to an empty line with the next command; `write` writes what is
printed today.
"""

import pathlib
import subprocess
import sys

file, folder = pathlib.Path(sys.argv[1]), sys.argv[2]
written, failed = [], 0
for block in file.read_text(encoding="utf-8").strip().split("\n\n$ "):
    command, _, expected = block.partition("\n")
    command = command.removeprefix("$ ")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True)
    printed = done.stdout.rstrip("\n")
    # With `-e` jq exits with 1 if it prints false.
    expected_code = 1 if command.startswith("jq -e ") and printed == "false" else 0
    written.append(f"$ {command}\n{printed}".rstrip("\n") + "\n")
    if done.returncode != expected_code or done.stderr or (printed != expected and "write" not in sys.argv):
        failed += 1
        print(f"FAIL {command}\n--- printed (exit code {done.returncode})\n{printed}\n{done.stderr}--- expected\n{expected}")
    else:
        print(f"ok   {command}")
if "write" in sys.argv:
    file.write_text("\n".join(written), encoding="utf-8")
sys.exit(1 if failed else 0)
