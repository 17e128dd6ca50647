#!/usr/bin/env python3
"""Installs what a suite needs from a registry, in the releases that ANANKE_RELEASES names.

    tests/real/releases.py python LIST VENV          the packages of a list of requirements, in a virtual environment
    tests/real/releases.py node FOLDER TO [OPTION…]  the packages of FOLDER/package.json; the options go to npm

- oldest: the lower bounds of the list, as in `NAME.oldest.txt` and `package-lock.oldest.json`
- newest: what the registry had at the start of this stage, as in `NAME.newest.txt` and `package-lock.newest.json`; the default
- today: what the registry has now

tests/real/renew writes these files. What is installed already stays, for `today` until the next day. Both print a folder of
programs: those of the environment, or a Node.js that the packages run with, which is that of the machine or of tests/real/node-22.
"""

import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent.parent / "target"
NODE_22 = HERE / "node-22"
PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
NPM = ["--silent", "--no-audit", "--no-fund"]
# npm brings the package that reads versions.
ALLOWS = """
const semver = require("node:module").createRequire(process.argv[1])("semver");
process.exitCode = process.argv.slice(2).every((range) => semver.satisfies(process.version, range)) ? 0 : 1;
"""


def release() -> str:
    """The releases that the suites are to be run with."""
    named = os.environ.get("ANANKE_RELEASES") or "newest"
    if named not in ("oldest", "newest", "today"):
        raise SystemExit(f"ANANKE_RELEASES is `{named}`: expected oldest, newest or today")
    return named


def path_with(programs: Path) -> str:
    """The search path of commands with a folder in front."""
    return f"{programs}{os.pathsep}{os.environ['PATH']}"


def run(*words: object, cwd: Path = HERE, path: str | None = None) -> None:
    """Runs a command, which must succeed. What it prints goes to standard error."""
    environment = {**os.environ, "PATH": path or os.environ["PATH"]}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if done.returncode != 0:
        raise SystemExit(f"`{' '.join(map(str, words))}` ended with {done.returncode}")


def found(name: str) -> str:
    """The path of a command."""
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"`{name}` is missing: Debian has it in the packages nodejs and npm")
    return path


def description(files: list[Path]) -> str:
    """The text that is kept next to what is installed: the contents of its files, or the day on which it was the newest."""
    day = [str(datetime.date.today())] if release() == "today" else []
    return "\n".join([*day, *(file.read_text() for file in files)])


def is_installed(note: Path, wanted: str) -> bool:
    """Whether the note next to what is installed says that it is what is wanted."""
    return note.is_file() and note.read_text() == wanted


def python(listed: Path, venv: Path) -> Path:
    """Installs the packages of a list; the folder of the environment's programs."""
    locks = [] if release() == "today" else [listed.with_suffix(f".{release()}.txt")]
    wanted = description([listed, *locks])
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    if not is_installed(venv / "installed.txt", wanted):
        run(sys.executable, "-m", "venv", "--clear", venv)
        run(programs / "python", *PIP, "-r", listed, *(word for lock in locks for word in ("-c", lock)))
        (venv / "installed.txt").write_text(wanted)
    return programs


def node(folder: Path, to: Path, *options: str) -> Path:
    """Installs the packages of a folder; the folder of the Node.js that they run with."""
    locks = locks_of(folder)
    wanted = description([folder / "package.json", *locks])
    packages = to / "node_modules"
    if not is_installed(packages / "installed.txt", wanted):
        shutil.rmtree(packages, ignore_errors=True)
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "package.json", to)
        (to / "package-lock.json").unlink(missing_ok=True)
        for lock in locks:
            shutil.copy(lock, to / "package-lock.json")
        # The package `node` brings its program by a script.
        scripts = [] if folder == NODE_22 else ["--ignore-scripts"]
        # Without a lock file, npm prefers releases that its Node.js can run.
        path = None if locks else path_with(node_for(engines(folder)))
        run(found("npm"), "ci" if locks else "install", *NPM, *scripts, *options, cwd=to, path=path)
        (packages / "installed.txt").write_text(wanted)
    return node_for(engines(folder), *engines_of_packages(folder, packages))


def locks_of(folder: Path) -> list[Path]:
    """The lock file of a folder with a package.json, if there is one for the releases."""
    return [] if release() == "today" else [folder / f"package-lock.{release()}.json"]


def engines(folder: Path) -> str:
    """The versions of Node.js that a package.json names."""
    return str(json.loads((folder / "package.json").read_text()).get("engines", {}).get("node", "*"))


def engines_of_packages(folder: Path, packages: Path) -> list[str]:
    """The versions of Node.js that the installed packages of a folder need."""
    return [engines(packages / name) for name in json.loads((folder / "package.json").read_text())["dependencies"]]


def node_for(*ranges: str) -> Path:
    """The folder of a Node.js that all these ranges of versions allow."""
    npm = os.path.realpath(found("npm"))
    if subprocess.run([found("node"), "-e", ALLOWS, npm, *ranges]).returncode == 0:
        return Path(found("node")).parent
    return node_22()


def node_22() -> Path:
    """The folder of the Node.js 22 that npm has."""
    to = OUTPUT / "node-22"
    node(NODE_22, to)
    return to / "node_modules" / ".bin"


def main() -> None:
    match sys.argv[1:]:
        case ["python", listed, venv]:
            print(python(Path(listed), Path(venv)))
        case ["node", folder, to, *options]:
            print(node(Path(folder).resolve(), Path(to), *options))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
