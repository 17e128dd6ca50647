"""Functions whose calls are reported where they run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload
from weakref import WeakKeyDictionary

from ananke_test._background import is_async
from ananke_test._turn import turn_of_call

# pytest shows no frames of this file.
__tracebackhide__ = True

F = TypeVar("F", bound=Callable[..., Any])


@overload
def tool(name: F, /) -> F: ...
@overload
def tool(name: str | None = None) -> Callable[[F], F]: ...
def tool(name: F | str | None = None) -> F | Callable[[F], F]:
    """A decorator for the tools of an agent: in a turn of a session, each call is an event, and may be mocked by `mock_tools`.

    Outside of a session it is the function itself. Its name is that of the function, or `@tool("name")`.
    """
    if name is None or isinstance(name, str):
        return lambda function: _wrapped(function, name)
    return _wrapped(name, None)


def _wrapped(function: F, name: str | None) -> F:
    if not callable(function):
        raise TypeError(f"a tool is a function, this is {function!r}")
    own = name if name is not None else str(getattr(function, "__name__", ""))
    if not own or own == "<lambda>":
        raise TypeError('a function without a name of its own needs one: `tool("name")(function)`')
    signature = inspect.signature(function)

    if is_async(function):

        @functools.wraps(function)
        async def called_async(*args: Any, **kwargs: Any) -> Any:
            turn = turn_of_call(own)
            if turn is None:
                return await function(*args, **kwargs)
            shown = _by_name(signature, args, kwargs)
            mock = turn.mock(own)
            with turn.reported(own, shown) as call:
                call.output = await (mock(**shown) if mock is not None else function(*args, **kwargs))
            return call.output

        _tools[called_async] = own
        return called_async  # type: ignore[return-value]

    @functools.wraps(function)
    def called_plain(*args: Any, **kwargs: Any) -> Any:
        turn = turn_of_call(own)
        if turn is None:
            return function(*args, **kwargs)
        shown = _by_name(signature, args, kwargs)
        mock = turn.mock(own)
        with turn.reported(own, shown) as call:
            call.output = turn.waited(lambda: mock(**shown)) if mock is not None else function(*args, **kwargs)
        return call.output

    _tools[called_plain] = own
    return called_plain  # type: ignore[return-value]


_tools: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""The names of the functions that report their calls themselves."""


def function_of_tool(function: Any, name: str) -> Any:
    """The function of a `tool` with this name, which reports nothing; any other function as it is."""
    try:
        return function.__wrapped__ if _tools.get(function) == name else function
    except TypeError:
        # Not every function can be a key.
        return function


def arguments_by_name(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call to a function by name."""
    if not args:
        return kwargs
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        # Some functions do not show what they take.
        signature = inspect.Signature()
    return _by_name(signature, args, kwargs)


def _by_name(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        # The function itself says what is wrong. Until then, its positional arguments have numbers.
        return {**{str(index): value for index, value in enumerate(args)}, **kwargs}
    shown: dict[str, Any] = {}
    for parameter, value in bound.arguments.items():
        if signature.parameters[parameter].kind is inspect.Parameter.VAR_KEYWORD:
            shown.update(value)
        elif parameter not in ("self", "cls"):
            shown[parameter] = value
    return shown
