"""What the scripts need of the machine: commands that must succeed, and tools from the registry in an environment of their own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / "target"
WORK = OUTPUT / "packages"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
TOOLS = WORK / "tools"


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """What a command prints. Its errors go to the terminal; if it fails, so does the script."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise SystemExit(f"`{words[0]}` cannot be started: {error}") from None
    if done.returncode != 0:
        print(done.stdout, end="")
        raise SystemExit(f"`{' '.join(words)}` ended with {done.returncode}")
    return done.stdout


def needs(command: str, use: str) -> str:
    """The path of a command, or the end of the script with what it is for."""
    found = shutil.which(command)
    if found is None:
        raise SystemExit(f"`{command}` is missing: {use}")
    return found


def version() -> str:
    """The version of ananke, which stands in Cargo.toml alone."""
    needs("cargo", "Rust is installed with https://rustup.rs")
    packages = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1"))["packages"]
    return next(str(package["version"]) for package in packages if package["name"] == "ananke-test")


def fresh(folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def environment(folder: Path) -> Path:
    """A new Python environment; the folder of its programs."""
    run(sys.executable, "-m", "venv", "--clear", folder)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def tools() -> Path:
    """The folder of the programs that requirements.txt names; they are installed anew when it changed."""
    done = TOOLS / "installed.txt"
    programs = TOOLS / ("Scripts" if os.name == "nt" else "bin")
    wanted = REQUIREMENTS.read_text()
    if not done.is_file() or done.read_text() != wanted:
        environment(TOOLS)
        run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "-r", REQUIREMENTS)
        done.write_text(wanted)
    return programs


def with_tools() -> dict[str, str]:
    """The variable that lets commands find the tools."""
    return {"PATH": f"{tools()}{os.pathsep}{os.environ['PATH']}"}
