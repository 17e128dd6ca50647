"""The first hour of a user: a directory, the commands that are typed there, and what each of them must print.

**Invariant:** a remedy is made of what the message says and nothing else: the place, what was expected, and what was found.
"""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / "target" / "real-first-hours"
ANANKE = Path(os.environ.get("ANANKE", ROOT / "target" / "release" / "ananke")).resolve()

# Numbers and marks that a message may refer to, and the lines that have them.
REFERENCES = re.compile(r"(?:\bevent |\bcall )?#\d+\b|[❶-❿]|\bevent (\d+) of \d+")
MARKED_LINE = re.compile(r"^\s*(?:E\s+)?(?:> +)?([❶-❿]|\d+) ", re.MULTILINE)

RULE_LINE = re.compile(r"^ +(?:rule +)?(\d+) \| ", re.MULTILINE)


class StumbleError(Exception):
    """A step that did not go as the pages say, with what was printed."""

    def __init__(self, step: str, printed: str) -> None:
        super().__init__(step)
        self.printed = printed


@dataclass
class Red:
    """A failure that is wanted: a test says something else than the agent does."""

    file: str
    """The file with the test."""
    right: str
    """The text of the line as it is right; it occurs once."""
    wrong: str
    """The same with a wrong expectation."""
    sentence: str
    """A regular expression for the sentence, in which the groups `expected` and `found` say how the line is to be edited."""
    place: str = r"{file}:(\d+)"
    """A regular expression for the place of the failure, whose group is the line."""


@dataclass
class Hour:
    """The directory of a user, with the times of the steps."""

    name: str
    environment: dict[str, str]
    folder: Path = field(init=False)
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = WORK / self.name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def write(self, source: str) -> None:
        """Writes the files that this user has."""
        shutil.copytree(HERE / source, self.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))

    def edit(self, file: str, old: str, new: str) -> None:
        """Replaces a text that occurs once."""
        path = self.folder / file
        text = path.read_text()
        if text.count(old) != 1:
            raise StumbleError(f"`{old}` occurs {text.count(old)} times in {file}", text)
        path.write_text(text.replace(old, new))

    def type(self, *words: object, exit_code: int = 0, says: tuple[str, ...] = (), step: str = "") -> str:
        """Runs a command, which ends with this code and prints these texts."""
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=180,
        )
        if step:
            self.seconds[step] = time.monotonic() - began
        command = " ".join(Path(str(word)).name for word in words)
        if done.returncode != exit_code:
            raise StumbleError(f"`{command}` ended with {done.returncode}, expected {exit_code}", done.stdout)
        for text in says:
            if text not in done.stdout:
                raise StumbleError(f"`{command}` does not say `{text}`", done.stdout)
        return done.stdout

    def ananke(self, *words: object, exit_code: int = 0, says: tuple[str, ...] = (), step: str = "") -> str:
        """Runs ananke."""
        return self.type(ANANKE, *words, exit_code=exit_code, says=says, step=step)

    def red_and_green(self, reds: list[Red], *command: object, says: tuple[str, ...]) -> None:
        """Makes expectations wrong. The message says where, what was expected and found; after these edits it is green again."""
        for red in reds:
            self.edit(red.file, red.right, red.wrong)
        printed = self.type(*command, exit_code=1, step="red")
        missing = without_a_line(printed)
        if missing:
            raise StumbleError(f"the message refers to {', '.join(missing)}, which no line has", printed)
        for red in reds:
            self.remedy(red, printed)
        self.type(*command, says=says, step="remedy")

    def remedy(self, red: Red, printed: str) -> None:
        """Edits the line that the message names, from what it expected to what it found."""
        said = re.search(red.sentence, printed)
        if said is None:
            raise StumbleError(f"not said: {red.sentence}", printed)
        path = self.folder / red.file
        lines = path.read_text().split("\n")
        places = [int(number) for number in re.findall(red.place.format(file=re.escape(red.file)), printed)]
        # The rule is printed with the numbers of its lines.
        numbers = [*places, *map(int, RULE_LINE.findall(printed))] if places else []
        number = next((number for number in numbers if said["expected"] in lines[number - 1]), None)
        if number is None:
            raise StumbleError(f"no place in {red.file} that is named has `{said['expected']}`: {numbers}", printed)
        lines[number - 1] = lines[number - 1].replace(said["expected"], said["found"])
        path.write_text("\n".join(lines))

    @contextmanager
    def server(self, *command: object, port: int, **environment: str) -> Iterator[None]:
        """A server that runs meanwhile, from when it accepts connections."""
        log = self.folder / f"server-{port}.log"
        with log.open("w") as written:
            running = subprocess.Popen(
                [str(word) for word in command],
                cwd=self.folder,
                env=self.environment | environment | {"PORT": str(port)},
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
            )
        try:
            until = time.monotonic() + 60
            while not is_open(port):
                if running.poll() is not None or time.monotonic() > until:
                    raise StumbleError(f"`{Path(str(command[-1])).name}` does not start", log.read_text())
                time.sleep(0.05)
            yield
        finally:
            running.terminate()
            try:
                running.wait(timeout=5)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def without_a_line(printed: str) -> list[str]:
    """The marks and numbers of a message that no line of it has."""
    lines = {found[1] for found in MARKED_LINE.finditer(printed)}
    named = [(found[0], found[1] or found[0]) for found in REFERENCES.finditer(printed)]
    return sorted({text for text, mark in named if mark not in lines})


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_open(port: int) -> bool:
    """Tells if something listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
