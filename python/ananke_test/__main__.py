"""Runs `ananke` with the arguments of `python -m ananke_test`."""

import os
import subprocess
import sys

from ananke_test._program import find_program


def main() -> int:
    """Becomes the program where a process can; elsewhere waits for it and gives its exit code."""
    try:
        program = str(find_program())
    except FileNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    arguments = [program, *sys.argv[1:]]
    if os.name != "nt":
        os.execv(program, arguments)
    return subprocess.run(arguments, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
