"""Test files and tests of ananke as pytest has them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from ananke_test._errors import ProgramError, RequestError
from ananke_test._findings import in_words
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

    def collect(self) -> Iterator[pytest.Item]:
        """The tests, in their order."""
        project = self.projects.project(self.own_config)
        used: dict[str, int] = {}
        for test in project.tests_of(self.path):
            # The id ends with the name and the row, or is the one that the test itself gives.
            name = test["id"].split("::", 1)[-1]
            used[name] = used.get(name, 0) + 1
            if used[name] > 1:
                name = f"{name}-{used[name]}"
            kind: Any = AnankeItem
            yield kind.from_parent(self, name=name, test=test)


class AnankeItem(pytest.Item):
    """A test of ananke."""

    def __init__(self, *, test: dict[str, Any], **keys: Any) -> None:
        base: Any = super()
        base.__init__(**keys)
        assert isinstance(self.parent, AnankeFile)
        self.test = test
        self.test_id: str = test["id"]
        self.own_config = self.parent.own_config
        self.projects = self.parent.projects
        self.result: dict[str, Any] | None = None
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
        return self.path, self.test["line"] - 1, self.name

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
        status = result["status"]
        if status == "skipped":
            pytest.skip(reason_of(result) or "skipped")
        if status != "passed":
            raise AnankeTestError(notice["text"], first_finding(result))

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
            return in_words({"message": finding.get("message"), "type": finding.get("type")})
    return reason_of(result) or str(result["status"])


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
