"""The projects of a pytest run: what they contain, and the results of their tests."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from ananke_test._connection import Connection
from ananke_test._errors import ProgramError, RequestError

if TYPE_CHECKING:
    from ananke_test._registered_agents import RegisteredCallbacks, RegisteredSessions
    from ananke_test._session import TestSession

# pytest shows no frames of this file.
__tracebackhide__ = True


TEST_SUFFIXES = (".test.yaml", ".test.yml")


class ProjectTest(Protocol):
    """A test of a project, as pytest has it."""

    test_id: str
    own_config: Path
    path: Path
    config: pytest.Config

    @property
    def nodeid(self) -> str: ...


class AnankeProjects:
    """The projects of a pytest run, and the one program that runs their tests. Problems of files that fail nothing are warnings
    of the kind `warning`."""

    def __init__(self, config: pytest.Config, warning: type[Warning]) -> None:
        self.warning = warning
        self._program: Connection | None = None
        self._sessions: RegisteredSessions | None = None
        self._projects: dict[Path, ListedProject] = {}
        self._started: set[Path] = set()
        self._batches: dict[str, TestBatch] = {}
        self.target: str | None = config.getoption("--ananke-target")
        self.target_problem: str | None = None
        """The reason for which no project has the target."""
        self.last_words: list[str] = []
        """Lines for the end of the run."""

    @property
    def program(self) -> Connection:
        """The program, which is started with its first use."""
        if self._program is None or self._program.is_over:
            self._program = Connection()
            self._program.on_test_session = self._begin_session
            self._sessions = None
        return self._program

    def _begin_session(self, session: str) -> RegisteredCallbacks:
        """A test begins whose agent is one of this process."""
        from ananke_test._registered_agents import RegisteredSessions

        assert self._program is not None
        if self._sessions is None:
            self._sessions = RegisteredSessions(self._program)
        return self._sessions.begin(session)

    def end_session(self, session: str | None) -> str | None:
        """Ends the conversation of a test with an agent of this process, and gives the traceback of that, if it has failed."""
        return None if self._sessions is None else self._sessions.end(session)

    def request(self, own: Path, **keys: Any) -> dict[str, Any]:
        """The keys of a request about a project."""
        target = {"target": self.target} if self.target is not None else {}
        return {"config": str(own), **target, **keys}

    def project(self, own: Path) -> ListedProject:
        """The project of a config."""
        if own not in self._projects:
            project = ListedProject(self, own)
            self._projects[own] = project
            if project.target_problem is not None:
                self.target_problem = project.target_problem
        return self._projects[own]

    def unknown_target(self, own: Path) -> str | None:
        """The problem of `--ananke-target`, if it is not one of the project."""
        return self.project(own).target_problem

    def is_test_file(self, own: Path, path: Path, *, is_named: bool) -> bool:
        """Whether a file is collected: one that ananke lists, or that the command line names."""
        project = self.project(own)
        if self.target_problem is not None:
            return False
        project.warn()
        if is_named or resolved(path) in project.tests:
            return True
        # A file that is not listed has a mistake, or names a file that has one: then the name decides.
        return project.is_broken and (path.name.endswith(TEST_SUFFIXES) or resolved(path) in project.broken)

    def add_batch(self, items: Sequence[ProjectTest]) -> None:
        """Tests of one project that run together, as `ananke run` runs them."""
        if len(items) > 1:
            batch = TestBatch(self, items)
            for item in items:
                self._batches[item.nodeid] = batch

    def result(self, item: ProjectTest) -> dict[str, Any]:
        """The notification of a test, which is run now unless its batch has done so.

        Raises:
            RequestError: If it cannot run.
            ProgramError: If the program has ended.
        """
        self._started.add(item.own_config)
        batch = self._batches.pop(item.nodeid, None) or TestBatch(self, [item])
        return batch.result(item)

    def stop(self) -> None:
        """Aborts the tests that run."""
        if self._program is not None and not self._program.is_over:
            self._program.submit("tests/cancel", {})

    def finish(self) -> None:
        """Ends what configs have started."""
        if self._program is None or self._program.is_over:
            return
        if any(batch.is_running for batch in self._batches.values()):
            self.stop()
        for own in self._started:
            try:
                self._program.call("tests/end", {"config": str(own)})
            except (RequestError, ProgramError) as error:
                self.last_words.append(f"{own}: {error}")

    def close(self) -> None:
        """Ends the program."""
        if self._sessions is not None:
            self._sessions.end_all()
        if self._program is not None:
            self._program.close()


@cache
def resolved(path: str | Path) -> str:
    """A path without links, by which a file is known: a run has a test for each of many paths."""
    return os.path.realpath(path)


class ListedProject:
    """The tests and problems of a project, by the full paths of their files."""

    def __init__(self, projects: AnankeProjects, own: Path) -> None:
        self._projects = projects
        self.own = own
        self.tests: dict[str, list[dict[str, Any]]] = {}
        self.broken: dict[str, list[str]] = {}
        self.without_file: list[str] = []
        """Errors of the config, and those that have no file."""
        self.target_problem: str | None = None
        self._warnings: dict[str, dict[str, Any]] = {}
        self._warned: set[str] = set()
        self._is_shown = False
        try:
            self._take(self._list())
        except (ProgramError, RequestError) as error:
            self.without_file.append(str(error))

    def _list(self, **keys: Any) -> dict[str, Any]:
        listed: dict[str, Any] = self._projects.program.call("tests/list", self._projects.request(self.own, **keys))
        return listed

    def _take(self, listed: dict[str, Any]) -> None:
        for test in listed["tests"]:
            self.tests.setdefault(resolved(test["path"]), []).append(test)
        for problem in listed["problems"]:
            if problem["severity"] == "warning":
                self._warnings.setdefault(problem["text"], problem)
                continue
            path = problem.get("path")
            text = problem["text"].rstrip()
            if self._projects.target is not None and problem["code"] == "unknown-name" and path is None:
                self.target_problem = in_a_line(problem)
            elif path is None or resolved(path) == resolved(self.own):
                self.without_file.append(text)
            else:
                self.broken.setdefault(resolved(path), []).append(text)

    def warn(self) -> None:
        """Gives pytest the warnings that it has not got."""
        for text, problem in self._warnings.items():
            if text not in self._warned:
                self._warned.add(text)
                place = problem.get("path") or str(self.own)
                warning = self._projects.warning(in_a_line(problem))
                warnings.warn_explicit(warning, None, filename=place, lineno=problem.get("line") or 1)

    @property
    def is_broken(self) -> bool:
        """Whether there is an error, so that some tests are not listed."""
        return bool(self.broken or self.without_file)

    def tests_of(self, path: Path) -> list[dict[str, Any]]:
        """The tests of a file.

        Raises:
            CollectError: If it has a mistake.
        """
        key = resolved(path)
        if key not in self.tests and key not in self.broken and not self.without_file:
            listed = self._list(tests=[str(path)])
            # A mistake may be in a file that this one names.
            errors = [problem["text"].rstrip() for problem in listed["problems"] if problem["severity"] == "error"]
            if errors:
                self.broken[key] = errors
            else:
                self._take(listed)
                self.warn()
        problems = self.broken.get(key)
        if problems is None and self.without_file:
            problems = [f"nothing can be collected, for the reason above: {self.own}"] if self._is_shown else self.without_file
            self._is_shown = True
        if problems:
            raise pytest.Collector.CollectError("\n".join(problems))
        return self.tests.get(key, [])


def in_a_line(problem: dict[str, Any]) -> str:
    """A problem with what to do, without its source lines."""
    return "".join([f"{problem['message']} [{problem['code']}]", *(f"\nhelp: {what}" for what in problem["help"])])


class TestBatch:
    """Tests that run in one request."""

    __test__ = False

    def __init__(self, projects: AnankeProjects, items: Sequence[ProjectTest]) -> None:
        self._projects = projects
        self._items = items
        self._results: dict[str, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._future: Future[Any] | None = None

    @property
    def is_running(self) -> bool:
        """Whether some of its tests have no result."""
        return self._future is not None and not self._future.done()

    def result(self, item: ProjectTest) -> dict[str, Any]:
        """The notification of a test."""
        if self._future is None:
            self._start()
        assert self._future is not None
        with self._changed:
            # Timed, so that Ctrl-C is heard on every system.
            while item.test_id not in self._results and not self._future.done():
                self._changed.wait(0.5)
        if item.test_id in self._results:
            return self._results[item.test_id]
        self._future.result()
        raise ProgramError(f"`{item.test_id}` was not run: its file was changed while the tests ran")

    def _start(self) -> None:
        config = self._items[0].config
        keys: dict[str, Any] = {
            "tests": list(dict.fromkeys(str(item.path) for item in self._items)),
            "ids": [item.test_id for item in self._items],
        }
        for name in ("record", "replay"):
            directory = config.getoption(f"--ananke-{name}")
            if directory is not None:
                keys[name] = str(config.invocation_params.dir / directory)
        if config.getoption("maxfail") == 1:
            keys["fail_fast"] = True
        request = self._projects.request(self._items[0].own_config, **keys)
        self._future = self._projects.program.submit("tests/run", request, self._take)
        self._future.add_done_callback(lambda _: self._notify())

    def _take(self, notice: dict[str, Any]) -> None:
        notice["traceback"] = self._projects.end_session(notice["result"].get("thread_id"))
        with self._changed:
            self._results[notice["result"]["id"]] = notice
            self._changed.notify_all()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


@contextmanager
def session_of(own: Path, target: str | None) -> Generator[TestSession, None, None]:
    """A session with a target of a config, started and ended."""
    from ananke_test._background import run_in_background
    from ananke_test._session import TestSession
    from ananke_test._target import Target

    session = TestSession(Target.of_config(own, target))
    run_in_background(session.start())
    try:
        yield session
    finally:
        run_in_background(session.close())
