"""The pytest plugin: test files and case files below an `ananke.config.yaml` are tests.

This module is imported in every project. It imports nothing of ananke until there is a config.
"""

from __future__ import annotations

import fnmatch
import inspect
import os
import warnings
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ananke_test import SyncTestSession, TestSession
    from ananke_test._pytest_project import AnankeProjects
    from ananke_test._session_recording import SessionRecordings

CONFIG = "ananke.config.yaml"

SUFFIXES = (".yaml", ".yml", ".jsonl")

_projects = pytest.StashKey["AnankeProjects"]()
_configs = pytest.StashKey[dict[Path, "Path | None"]]()
_recordings: pytest.StashKey[SessionRecordings] = pytest.StashKey()
_without_config = pytest.StashKey[set[Path]]()


class AnankeWarning(UserWarning):
    """A warning of ananke about a file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ananke", "tests of AI agents")
    group.addoption(
        "--ananke-target", metavar="NAME", help="the target of the config that tests of ananke are about (default: its default)"
    )
    group.addoption("--ananke-record", metavar="DIR", help="record the conversations of tests of ananke into DIR")
    group.addoption("--ananke-replay", metavar="DIR", help="replay recordings of DIR instead of asking agents")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_configs] = {}
    config.stash[_without_config] = set()
    record, replay = config.getoption("--ananke-record"), config.getoption("--ananke-replay")
    if record is not None and replay is not None:
        raise pytest.UsageError("--ananke-record and --ananke-replay do not go together: choose one of them")
    if replay is not None and not (config.invocation_params.dir / replay).is_dir():
        raise pytest.UsageError(f"--ananke-replay: there is no directory `{replay}`")
    recorded = config.invocation_params.dir / record if record is not None else None
    if recorded is not None and recorded.exists() and not recorded.is_dir():
        raise pytest.UsageError(f"--ananke-record: `{record}` is not a directory")
    _record_sessions(config, record, replay)
    if config.getoption("--ananke-target") is not None and not hasattr(config, "workerinput"):
        _check_target(config)


def _record_sessions(config: pytest.Config, record: str | None, replay: str | None) -> None:
    """Records the conversations of Python tests too, or replays them."""
    for mode, directory in (("record", record), ("replay", replay)):
        if directory is not None:
            from ananke_test._session_recording import recordings

            recordings.use(mode, str(config.invocation_params.dir / directory))
            config.stash[_recordings] = recordings


def _check_target(config: pytest.Config) -> None:
    """Refuses an unknown target before tests are collected, which several workers may do."""
    places = [config.invocation_params.dir / arg.split("::")[0] for arg in config.args] or [config.invocation_params.dir]
    for own in dict.fromkeys(own for place in places for own in _configs_of(config, place)):
        problem = projects(config).unknown_target(own)
        if problem is not None:
            raise pytest.UsageError(f"--ananke-target: {problem}")


def _configs_of(config: pytest.Config, place: Path) -> Iterator[Path]:
    """The config that governs a file or a directory, and those below it."""
    nearest = nearest_config(config, place if place.is_dir() else place.parent)
    if nearest is not None:
        yield nearest
    skipped: list[str] = config.getini("norecursedirs")
    for directory, names, files in os.walk(place):
        names[:] = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in skipped)]
        if CONFIG in files:
            yield Path(directory) / CONFIG


def nearest_config(config: pytest.Config, directory: Path) -> Path | None:
    """The config that governs a directory."""
    known = config.stash[_configs]
    if directory not in known:
        own = directory / CONFIG
        if own.is_file():
            known[directory] = own
        elif directory.parent == directory:
            known[directory] = None
        else:
            known[directory] = nearest_config(config, directory.parent)
    return known[directory]


def projects(config: pytest.Config) -> AnankeProjects:
    """The projects of this run, with the program that runs their tests."""
    if _projects not in config.stash:
        from ananke_test._pytest_project import AnankeProjects

        config.stash[_projects] = AnankeProjects(config, AnankeWarning)
    return config.stash[_projects]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix not in SUFFIXES or file_path.name == CONFIG:
        return None
    own = nearest_config(parent.config, file_path.parent)
    is_named = parent.session.isinitpath(file_path)
    if own is None:
        if is_named:
            _warn_without_config(parent.config, file_path)
        return None
    from ananke_test._pytest_items import AnankeFile

    held = projects(parent.config)
    if not held.is_test_file(own, file_path, is_named=is_named):
        return None
    kind: Any = AnankeFile
    file: pytest.Collector = kind.from_parent(parent, path=file_path, own_config=own, projects=held)
    return file


def _warn_without_config(config: pytest.Config, file: Path) -> None:
    """Says why a test file that is named is not collected."""
    from ananke_test._pytest_project import TEST_SUFFIXES

    warned = config.stash[_without_config]
    if file.name.endswith(TEST_SUFFIXES) and file not in warned:
        warned.add(file)
        message = f"the file is not collected: there is no `{CONFIG}` in its directory or above. `ananke init` writes one"
        warnings.warn_explicit(AnankeWarning(message), None, filename=str(file), lineno=1)


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    if _projects in config.stash:
        problem = config.stash[_projects].target_problem
        if problem is not None:
            raise pytest.UsageError(f"--ananke-target: {problem}")


def pytest_runtestloop(session: pytest.Session) -> None:
    if _projects in session.config.stash:
        from ananke_test._pytest_items import plan

        plan(session.config.stash[_projects], session)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if _recordings in item.config.stash:
        item.config.stash[_recordings].enter(item.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if _recordings in item.config.stash:
        item.config.stash[_recordings].leave()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if type(item).__module__ == "ananke_test._pytest_items":
        from ananke_test._pytest_items import complete

        complete(item, call, report)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _projects in session.config.stash:
        session.config.stash[_projects].finish()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _projects in config.stash and config.stash[_projects].last_words:
        terminalreporter.section("ananke")
        for words in config.stash[_projects].last_words:
            terminalreporter.line(words)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _projects in config.stash:
        config.stash[_projects].close()
    if _recordings in config.stash:
        config.stash[_recordings].forget()


@pytest.fixture
def ananke_session(request: pytest.FixtureRequest) -> Iterator[TestSession | SyncTestSession]:
    """A conversation with the default target of the nearest `ananke.config.yaml`, or that of `--ananke-target`.

    It is started, and ends with the test. An async test gets a `TestSession`, a plain function a `SyncTestSession`.
    """
    from ananke_test._errors import ProgramError
    from ananke_test._pytest_project import session_of

    own = nearest_config(request.config, request.path.parent)
    if own is None:
        pytest.fail(f"the fixture `ananke_session` needs an `{CONFIG}` in or above {request.path.parent}", pytrace=False)
    # A decorator may have made a plain function of an async one.
    is_async = inspect.iscoroutinefunction(inspect.unwrap(request.function))
    with ExitStack() as sessions:
        session, problem = None, ""
        try:
            session = sessions.enter_context(session_of(own, request.config.getoption("--ananke-target")))
        except (ProgramError, ValueError) as error:
            problem = str(error)
        if session is None:
            # The only frames are those of this package.
            pytest.fail(problem, pytrace=False)
        yield session if is_async else session.sync
