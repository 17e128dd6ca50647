"""Test files and tests of ananke as pytest has them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from ananke_test._errors import ProgramError, RequestError
from ananke_test._external import LateEventWarning
from ananke_test._pytest_project import AnankeProjects

# pytest shows no frames of this file.
__tracebackhide__ = True

OWN_MARKS = frozenset(("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings", "tryfirst", "trylast"))
"""The marks that mean something to pytest: a tag of this name is a keyword only."""


class AnankeTestError(Exception):
    """A test that did not pass, as pytest reports it."""

    def __init__(self, text: str, message: str) -> None:
        super().__init__(message)
        self.text = text
        self.message = message


class AnankeFile(pytest.File):
    """A test file or a case file."""

    def __init__(self, *, own_config: Path, projects: AnankeProjects, **keys: Any) -> None:
        base: Any = super()
        base.__init__(**keys)
        self.own_config = own_config
        self.projects = projects

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The tests, in their order."""
        tests = self.projects.project(self.own_config).tests_of(self.path)
        if "::" in self.nodeid:
            words = "pytest ends a path at `::`, so `--lf` forgets tests of this file: rename it or its directory"
            self.warn(self.projects.warning(words))
        taken: set[str] = set()
        # The id without its file, or the one that the test itself gives.
        names = [distinct(test["id"].removeprefix(f"{test['file']}::"), taken) for test in tests]
        yield from nodes(self, list(zip(names, tests, strict=True)))


class AnankeNames(pytest.Collector):
    """Tests whose names begin with the same text before `::`, where pytest looks for the rest of a name."""

    def __init__(self, *, tests: list[tuple[str, dict[str, Any]]], **keys: Any) -> None:
        base: Any = super()
        base.__init__(**keys)
        self.tests = tests

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The tests, in their order."""
        return nodes(self, self.tests)


def distinct(name: str, taken: set[str]) -> str:
    """A name that no other test of the file has, also when pytest has read it."""
    found, number = name, 1
    while without_end(found) in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(without_end(found))
    return found


def without_end(name: str) -> str:
    """A name without the bracket that ends it, if one begins in it: for pytest, `a [b` and `a [b]` are the same."""
    return name.removesuffix("]") if "[" in name else name


def first_part(name: str) -> str | None:
    """The text of a name before its first `::`. The text from the first `[` on is one part."""
    before, colons, _ = name.partition("[")[0].partition("::")
    return before if colons else None


def nodes(parent: pytest.Collector, tests: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[pytest.Item | pytest.Collector]:
    """The nodes of tests with these names under a node: those that pytest looks for if it reads such an id."""
    for part, group in groupby(tests, key=lambda named: first_part(named[0])):
        kind: Any = AnankeItem if part is None else AnankeNames
        if part is None:
            for name, test in group:
                yield kind.from_parent(parent, name=name, nodeid=parsed(parent, name), test=test)
        else:
            rest = [(name.removeprefix(f"{part}::"), test) for name, test in group]
            yield kind.from_parent(parent, name=part, tests=rest)


def parsed(parent: pytest.Collector, name: str) -> Any:
    """The id of a test as pytest 9.2 reads it from its cache and from other processes. In older releases it is a text: `None`."""
    of_parent: Any = getattr(parent, "id", None)
    return None if of_parent is None else of_parent.__class__.parse(f"{of_parent}::{name}")


class AnankeItem(pytest.Item):
    """A test of ananke."""

    def __init__(self, *, test: dict[str, Any], **keys: Any) -> None:
        base: Any = super()
        base.__init__(**keys)
        file = self.getparent(AnankeFile)
        assert file is not None
        self.test = test
        self.test_id: str = test["id"]
        self.own_config = file.own_config
        self.projects = file.projects
        self.result: dict[str, Any] | None = None
        self.full_name = self.nodeid.removeprefix(f"{file.nodeid}::")
        self.extra_keyword_matches.add(self.full_name)
        for tag in test.get("tags", []):
            self._tag(tag)

    def _tag(self, tag: str) -> None:
        self.extra_keyword_matches.add(tag)
        if tag in OWN_MARKS or tag.startswith("_") or any(character in tag for character in ":("):
            return
        # The file declares it: strict marks are about those that Python tests mistype.
        known = {line.split(":")[0].split("(")[0].strip() for line in self.config.getini("markers")}
        if tag not in known:
            self.config.addinivalue_line("markers", f"{tag}: a tag of tests of ananke")
        self.add_marker(tag)

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """The place of the test."""
        return self.path, self.test["line"] - 1, self.full_name

    def runtest(self) -> None:
        """Waits for the result of the test."""
        held = self.projects
        try:
            notice = held.result(self)
        except (RequestError, ProgramError) as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise AnankeTestError(str(error), lines[0]) from None
        except KeyboardInterrupt:
            held.stop()
            raise
        self.result = result = notice["result"]
        for words in notice.get("warnings", []):
            warnings.warn(LateEventWarning(words), stacklevel=2)
        for words in warnings_of(result):
            warnings.warn_explicit(held.warning(words), None, filename=str(self.path), lineno=self.test["line"])
        status = result["status"]
        if status == "skipped":
            pytest.skip(reason_of(result) or "skipped")
        if status != "passed":
            text: str = notice["text"]
            if notice["traceback"] is not None:
                text = f"{text}\n\ntraceback of the agent:\n{notice['traceback']}"
            raise AnankeTestError(text, first_finding(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of ananke, without a traceback."""
        error = excinfo.value
        if not isinstance(error, AnankeTestError):
            return super().repr_failure(excinfo, style)
        text = error.text.rstrip("\n") + "\n"
        place = ReprFileLocation(str(self.path), self.test["line"], error.message)
        return ReprExceptionInfo(ReprTraceback([ReprEntryNative([text])], None, "native"), place)


def plan(projects: AnankeProjects, session: pytest.Session) -> None:
    """Forms batches of tests that follow each other and are of one project: they run as `ananke run` runs them.

    Workers of pytest-xdist learn of a test only when it is to run, and a limit of failures other than 1 is pytest's alone.
    """
    config = session.config
    if config.option.collectonly or hasattr(config, "workerinput") or (config.getoption("maxfail") or 0) > 1:
        return
    if getattr(config.option, "usepdb", False) or getattr(config.option, "stepwise", False):
        return
    batch: list[AnankeItem] = []
    for item in session.items:
        if batch and (not isinstance(item, AnankeItem) or item.own_config != batch[0].own_config):
            projects.add_batch(batch)
            batch = []
        if isinstance(item, AnankeItem):
            batch.append(item)
    projects.add_batch(batch)


def first_finding(result: dict[str, Any]) -> str:
    """The first reason for which a test did not pass, on one line."""
    groups: list[dict[str, Any]] = [result, *(result.get("turns") or [])]
    findings: list[dict[str, Any]] = []
    for group in groups:
        findings.extend(group.get("assertions") or [])
    for finding in findings:
        if finding.get("status") in ("failed", "not_shown") or finding.get("passed") is False:
            return str(finding.get("message") or finding.get("type"))
    return reason_of(result) or str(result["status"])


def warnings_of(result: dict[str, Any]) -> list[str]:
    """The warnings about a test and its turns, each once. The report of a test that did not pass has them."""
    if result["status"] not in ("passed", "skipped"):
        return []
    groups: list[dict[str, Any]] = [result, *(result.get("turns") or [])]
    found: list[str] = []
    for group in groups:
        found.extend(group.get("warnings") or [])
    return list(dict.fromkeys(found))


def reason_of(result: dict[str, Any]) -> str:
    """The reason in words for which a test has no other result."""
    return " ".join(str(result.get("error") or result.get("skip_reason") or "").split())


def complete(item: pytest.Item, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
    """Adds to the report of a test what its result says of quarantine, place and time."""
    if call.when != "call" or not isinstance(item, AnankeItem) or item.result is None:
        return
    result = item.result
    quarantined = result.get("quarantined")
    if quarantined is not None and result["status"] != "skipped":
        why = f"quarantined until {quarantined['expires']} ({quarantined['owner']})"
        if quarantined.get("reason"):
            why += f": {quarantined['reason']}"
        report.wasxfail = why
        if report.failed:
            report.outcome = "skipped"
    elif report.skipped:
        reason = reason_of(result) or "skipped"
        report.longrepr = (str(item.path), item.test["line"], f"Skipped: {reason}")
    if not result.get("virtual_time") and result.get("duration_ms") is not None:
        report.duration = result["duration_ms"] / 1000
