"""The tools that are replaced at the moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

# pytest shows no frames of this file.
__tracebackhide__ = True

Mocks = Mapping[str, "AsyncMock"]

_active: list[tuple[object, Mocks]] = []
"""The LLM and the mocks of each block, the innermost last."""

STANDIN = "_standin of ananke"
"""The place of the mock object of a test in the mock that calls it. A mock counts it if it is a key, or is set as an attribute."""


def begin(llm: object, mocks: Mocks) -> None:
    """Replaces tools of an LLM until `end`."""
    _active.append((llm, mocks))


def end(mocks: Mocks) -> None:
    """Ends a block. Blocks may end in another order than they began."""
    _active[:] = [entry for entry in _active if entry[1] is not mocks]


def mocks_of(llm: object) -> list[Mocks]:
    """The mocks of an LLM, the innermost last."""
    return [mocks for owner, mocks in _active if owner is llm]


def mock_of(llm: object, name: str) -> AsyncMock | None:
    """The mock that a call to a tool is for."""
    return next((mocks[name] for mocks in reversed(mocks_of(llm)) if name in mocks), None)


def keep_standin(mock: AsyncMock, function: Any) -> None:
    """Remembers the mock object of a test that a mock calls."""
    mock.__dict__[STANDIN] = function


def standin_of(mock: AsyncMock) -> Any:
    """The mock object of a test that a mock calls; None if it calls another function."""
    return mock.__dict__.get(STANDIN)
