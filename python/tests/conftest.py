"""Helpers of the tests."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from ananke_test import ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent, FunctionLLM, RunResult
from ananke_test._connection import close_all
from tests.chat_server import ChatServer


def call(name: str, arguments: Any, number: str = "1") -> dict[str, Any]:
    """A reply with one call."""
    return {"tool_calls": [{"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}]}


def scripted(*replies: Any) -> FunctionLLM:
    """A model that gives these replies, one after the other."""
    rest = iter(replies)
    return FunctionLLM(lambda messages, tools: next(rest))


def weather() -> RunResult:
    """A run that was made by hand."""
    return RunResult(
        [
            FunctionCallEvent("get_weather", {"city": "Paris", "days": 1}, "1"),
            FunctionCallOutputEvent("get_weather", {"degrees": 21}, False, "1", 3.5),
            ChatMessageEvent("assistant", "It is 21 degrees in Paris."),
        ],
        "How warm is it?",
    )


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A model of chat completions on this machine."""
    with ChatServer() as started:
        yield started


@pytest.fixture(scope="session", autouse=True)
def programs() -> Generator[None, None, None]:
    """Ends what the tests have started, so that a leak is one of the package."""
    yield
    close_all()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
