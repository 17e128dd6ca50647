"""Tools that are replaced for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ananke_test import _adapters
from ananke_test._active_mocks import begin, end, keep_standin
from ananke_test._background import called, is_async
from ananke_test._errors import INVALID_PARAMS, RequestError
from ananke_test._function_llm import FunctionLLM
from ananke_test._replayed_mocks import is_mock
from ananke_test._target import Target

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

# pytest shows no frames of this file.
__tracebackhide__ = True


class MockedTools:
    """Tools that are replaced from the begin to the end of a block. A generator would show a frame of its own when it fails."""

    def __init__(self, llm: Any, mocks: Mapping[str, Callable[..., Any]]) -> None:
        self._llm = llm
        self._functions = mocks
        self._mocks: dict[str, AsyncMock] = {}
        self._restore: Callable[[], None] | None = None

    def __enter__(self) -> dict[str, AsyncMock]:
        llm, mocks = self._llm, {name: _mock(name, function) for name, function in self._functions.items()}
        adapter = _adapters.adapter_of(llm)
        names = list(mocks)
        if isinstance(llm, FunctionLLM):
            _check_names(names, llm.tools)
        elif isinstance(llm, Target):
            _check_names_of_target(names, llm)
        elif adapter is not None:
            _check_names(names, adapter.tool_names(llm))
        elif not callable(llm):
            raise TypeError(f"tools of {llm!r} cannot be replaced: {_adapters.WHAT_IS_AN_LLM}")
        self._restore = adapter.replace_tools(llm, mocks) if adapter is not None else None
        begin(llm, mocks)
        self._mocks = mocks
        return mocks

    def __exit__(self, *error: object) -> None:
        end(self._mocks)
        if self._restore is not None:
            self._restore()


def mock_tools(llm: Any, mocks: Mapping[str, Callable[..., Any]]) -> AbstractContextManager[dict[str, AsyncMock]]:
    """Replaces tools of an agent, an LLM or a `Target` by name; their declarations stay. Gives mocks that know their calls.

    In a replay, mocks of an agent of this process get the calls of the recording, and their functions are not executed.
    The names of a function of one turn are known only when it calls them, so any name is taken. A mock is a
    function, plain or async, or a Mock object. Mocks nest, and end with the block.

    Raises:
        KeyError: If there is no such tool; then nothing is replaced.
        TypeError: If a mock is not a function.
    """
    return MockedTools(llm, mocks)


def mock_functions(llm: Any, mocks: Mapping[str, Callable[..., Any]]) -> AbstractContextManager[dict[str, AsyncMock]]:
    """Replaces tools as `mock_functions` of Vision-Agents does: each is an `AsyncMock` whose `side_effect` is what is given.

    A plain function runs in the event loop of the agent, and not in a thread as with `mock_tools`.

    Raises:
        KeyError: If there is no such tool; then nothing is replaced.
    """
    from unittest.mock import AsyncMock

    made = {name: AsyncMock(name=name, side_effect=function) for name, function in mocks.items()}
    for name, function in mocks.items():
        if is_mock(function):
            keep_standin(made[name], function)
    return MockedTools(llm, made)


def _mock(name: str, function: Callable[..., Any]) -> AsyncMock:
    from unittest.mock import AsyncMock

    if isinstance(function, AsyncMock):
        return function
    if not callable(function):
        raise TypeError(
            f"the mock of `{name}` is {function!r}, not a function: for a fixed result, give `lambda **arguments: {function!r}`"
        )
    is_plain = not is_async(function)

    async def mocked(*args: Any, **kwargs: Any) -> Any:
        if is_plain:
            return await called(function, *args, **kwargs)
        return await function(*args, **kwargs)

    mock = AsyncMock(name=name, side_effect=mocked)
    if is_mock(function):
        keep_standin(mock, function)
    return mock


def _check_names(names: list[str], known: Mapping[str, Any] | list[str]) -> None:
    for name in names:
        if name not in known:
            has = ", ".join(f"`{other}`" for other in known)
            raise KeyError(f"there is no tool `{name}`; {f'the tools are {has}' if has else 'none is registered'}")


def _check_names_of_target(names: list[str], target: Target) -> None:
    from ananke_test._connection import connection

    # Those of the config are known to ananke.
    if all(name in target.tools for name in names):
        return
    program = connection(target.config)
    opened: dict[str, Any] = {"tools": [tool.declaration() for tool in target.tools.values()]}
    chosen = target.to_json()
    if chosen is not None:
        opened["target"] = chosen
    try:
        session = program.call("session/open", opened)["session"]
    except RequestError as error:
        raise ValueError(error.message) from None
    try:
        program.call("session/mock", {"session": session, "tools": names})
    except RequestError as error:
        if error.code == INVALID_PARAMS:
            raise KeyError(error.message) from None
        raise ValueError(error.message) from None
    finally:
        program.submit("session/close", {"session": session})
