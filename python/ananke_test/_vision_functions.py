"""Functions that an LLM object of Vision-Agents has registered: their calls in a turn, and their mocks.

Such an LLM announces a call by two events, but it may also ask its registry without any. So a call is seen where it runs. For the
time of a turn, the entries of the registry have functions that report their calls, and one that is also announced is one call.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import importlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from ananke_test._active_mocks import mock_of
from ananke_test._background import called
from ananke_test._same import is_same_json
from ananke_test._tool import arguments_by_name, function_of_tool
from ananke_test._turn import Turn

# pytest shows no frames of this file.
__tracebackhide__ = True

EVENTS = "vision_agents.core.llm.events"

WRAPPER = "__ananke_function__"
"""The attribute by which what replaces a function refers to its `RegisteredFunction`."""


def functions_of(llm: Any) -> dict[str, Any]:
    """The entries of the registry of an LLM, by name. Releases differ.

    Raises:
        TypeError: If it has another layout.
    """
    registry = llm.function_registry
    for name in ("functions", "_functions"):
        functions: Any = getattr(registry, name, None)
        if isinstance(functions, dict):
            return cast("dict[str, Any]", functions)
    raise TypeError("this release of Vision-Agents keeps its functions in an unknown way")


@dataclass(eq=False)
class SeenCall:
    """A call of a turn."""

    number: str
    name: str
    arguments: Mapping[str, Any]
    is_announced: bool = False
    """An event has announced it."""
    id: str | None = None
    """The id that the events have."""
    has_ended: bool = False
    """An event has announced its end."""
    is_run: bool = False
    """The registry has run it."""
    has_result: bool = False
    """Its result is reported."""

    def is_to(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether it has this name and these arguments."""
        return (
            self.name == name
            and self.arguments.keys() == arguments.keys()
            and all(value is arguments[key] or _is_same(value, arguments[key]) for key, value in self.arguments.items())
        )


class CallLog:
    """The calls of one turn: those that the LLM announces, and those that run."""

    def __init__(self, llm: Any, turn: Turn) -> None:
        self.llm = llm
        self._turn = turn
        self._calls: list[SeenCall] = []
        # The events are kept, so that no other one gets the identity of one of them.
        self._events: dict[int, Any] = {}
        self._lock = threading.Lock()

    def announce(self, event: Any) -> None:
        """Takes an event about the begin or the end of a call, once."""
        with self._lock:
            if id(event) in self._events:
                return
            self._events[id(event)] = event
            if hasattr(event, "success"):
                self._end(event)
            else:
                self._begin(event)

    def _begin(self, event: Any) -> None:
        name, arguments = event.tool_name, dict(event.arguments or {})
        # Some LLMs announce a call only after it.
        call = next((call for call in self._calls if not call.is_announced and call.is_to(name, arguments)), None)
        if call is None:
            call = self._reported(event.tool_call_id, name, arguments)
        call.is_announced, call.id = True, event.tool_call_id

    def _end(self, event: Any) -> None:
        name, number = event.tool_name, event.tool_call_id
        open_calls = (call for call in self._calls if call.is_announced and not call.has_ended)
        call = next((call for call in open_calls if call.id == number and (number is not None or call.name == name)), None)
        output = event.result if event.success else {"error": str(event.error)}
        if call is None:
            self._turn.report_result(number or self._turn.next_call(), name, output, not event.success)
            return
        call.has_ended = True
        self._report_result(call, output, not event.success)

    async def run(self, name: str, arguments: Mapping[str, Any], work: Callable[[], Awaitable[Any]]) -> Any:
        """The result of a call that runs in `work`."""
        outer = _running.get()
        if outer is not None and outer[0] is self and outer[1].is_to(name, arguments):
            # A mock that calls what it replaces.
            return await work()
        with self._lock:
            announced = (call for call in self._calls if not call.is_run and not call.has_ended)
            call = next((call for call in announced if call.is_to(name, arguments)), None)
            call = call or self._reported(None, name, arguments)
            call.is_run = True
        token = _running.set((self, call))
        try:
            with self._turn.inside(call.number):
                output = await work()
        except BaseException as error:
            with self._lock:
                # The event about the end of a call that was cancelled has the reason.
                if not (isinstance(error, asyncio.CancelledError) and call.is_announced):
                    self._report_result(call, {"error": str(error)}, True)
            raise
        finally:
            _running.reset(token)
        with self._lock:
            self._report_result(call, output, False)
        return output

    def _reported(self, number: str | None, name: str, arguments: Mapping[str, Any]) -> SeenCall:
        call = SeenCall(number if number is not None else self._turn.next_call(), name, arguments)
        self._calls.append(call)
        self._turn.report_call(call.number, name, arguments)
        return call

    def _report_result(self, call: SeenCall, output: Any, is_error: bool) -> None:
        if not call.has_result:
            call.has_result = True
            self._turn.report_result(call.number, call.name, output, is_error)

    def unread(self, name: str) -> None:
        """A call that may be one of this turn, or of another one."""
        reason = f"a call to `{name}` is of one of several turns of its LLM at once, and nothing says of which"
        self._turn.unread(f"call:{name}", ["calls", "arguments", "results"], reason)


_running: contextvars.ContextVar[tuple[CallLog, SeenCall] | None] = contextvars.ContextVar("call that runs", default=None)

_own: contextvars.ContextVar[CallLog | None] = contextvars.ContextVar("log of calls", default=None)
"""The log of the turn that this context belongs to, also of one that has ended: what it has begun may go on."""


class RegisteredFunction:
    """A function of a registry for as long as turns watch it, or blocks have mocks of it. They may end in another order than they
    began.
    """

    def __init__(self, llm: Any, name: str, entry: Any) -> None:
        self._llm = llm
        self._name = name
        self._entry = entry
        self._real = real = entry.function
        self._turns = 0
        self._blocks = 0

        # Releases want a function that is async by its definition.
        async def call(*args: Any, **arguments: Any) -> Any:
            return await self._call(args, arguments)

        functools.update_wrapper(call, real, updated=())
        setattr(call, WRAPPER, self)
        self._wrapper = call
        entry.function = call

    @classmethod
    def of(cls, llm: Any, name: str, entry: Any) -> RegisteredFunction:
        """The one that an entry has, or a new one."""
        found = getattr(entry.function, WRAPPER, None) if inspect.isfunction(entry.function) else None
        # Who wraps a function copies its attributes.
        if isinstance(found, cls) and found._entry is entry and found._wrapper is entry.function:
            return found
        return cls(llm, name, entry)

    async def _call(self, args: tuple[Any, ...], arguments: dict[str, Any]) -> Any:
        real = self._real
        mock = mock_of(self._llm, self._name) if self._blocks else None
        log = _log_of_call(self._llm, self._name)
        if log is None:
            return await called(mock or real, *args, **arguments)
        # A function that is also a `tool` reports itself.
        function = mock or function_of_tool(real, self._name)
        return await log.run(self._name, arguments_by_name(real, args, arguments), lambda: called(function, *args, **arguments))

    @contextmanager
    def watched(self) -> Generator[None, None, None]:
        """A block in which calls are reported."""
        self._turns += 1
        try:
            yield
        finally:
            self._turns -= 1
            self._leave()

    @contextmanager
    def mocked(self) -> Generator[None, None, None]:
        """A block in which a mock may be called instead."""
        self._blocks += 1
        try:
            yield
        finally:
            self._blocks -= 1
            self._leave()

    def _leave(self) -> None:
        if self._turns + self._blocks == 0 and self._entry.function is self._wrapper:
            self._entry.function = self._real


class WatchedLLM:
    """An LLM during its turns."""

    def __init__(self, llm: Any) -> None:
        self.llm = llm
        kinds = importlib.import_module(EVENTS)
        self._kinds: tuple[type, ...] = (kinds.ToolStartEvent, kinds.ToolEndEvent)
        self.logs: list[CallLog] = []
        self._functions: set[RegisteredFunction] = set()
        self._undo = ExitStack()

    def enter(self, log: CallLog) -> None:
        """A turn begins."""
        if not self.logs:
            with ExitStack() as undo:
                self._undo = undo
                undo.enter_context(_hooked(self.llm.events, "send", self._send))
                # A function that is registered during a turn is watched, too.
                undo.enter_context(_hooked(self.llm.function_registry, "register", self._register))
                self._watch()
                self._undo = undo.pop_all()
        else:
            self._watch()
        self.logs.append(log)

    def leave(self, log: CallLog) -> None:
        """A turn has ended."""
        self.logs.remove(log)
        if not self.logs:
            self._functions.clear()
            self._undo.close()

    def _watch(self) -> None:
        for name, entry in list(functions_of(self.llm).items()):
            function = RegisteredFunction.of(self.llm, name, entry)
            if function not in self._functions:
                self._functions.add(function)
                self._undo.enter_context(function.watched())

    def _send(self, send: Callable[..., Any], *events: Any, **named: Any) -> Any:
        # Handlers are tasks, which may begin after the call.
        for event in events:
            if isinstance(event, self._kinds):
                announce(self.llm, event)
        return send(*events, **named)

    def _register(self, register: Callable[..., Any], *args: Any, **named: Any) -> Any:
        decorate = register(*args, **named)
        if not callable(decorate):
            return decorate

        @functools.wraps(decorate)
        def registered(function: Any) -> Any:
            made = decorate(function)
            if self.logs:
                self._watch()
            return made

        return registered


_watched: dict[int, WatchedLLM] = {}
"""The LLMs that have a turn now, by their identity."""


@contextmanager
def watching(llm: Any, turn: Turn) -> Generator[None, None, None]:
    """A block in which the calls of an LLM are those of a turn."""
    log = CallLog(llm, turn)
    watched = _watched.setdefault(id(llm), WatchedLLM(llm))
    token = _own.set(log)
    try:
        watched.enter(log)
        try:
            yield
        finally:
            watched.leave(log)
    finally:
        _own.reset(token)
        if not watched.logs:
            _watched.pop(id(llm), None)


def announce(llm: Any, event: Any) -> None:
    """Takes an event about a call."""
    log = _log_of_call(llm, event.tool_name)
    if log is not None:
        log.announce(event)


def _log_of_call(llm: Any, name: str) -> CallLog | None:
    """The log of the turn that a call belongs to; None outside of turns, or if that is not known."""
    own = _own.get()
    if own is not None and own.llm is llm:
        return own
    watched = _watched.get(id(llm))
    logs = list(watched.logs) if watched is not None else []
    if len(logs) < 2:
        return logs[0] if logs else None
    for log in logs:
        log.unread(name)
    return None


@contextmanager
def _hooked(owner: Any, name: str, hook: Callable[..., Any]) -> Generator[None, None, None]:
    """A block in which calls to a method of an object go through `hook`, which is given the method first."""
    method = getattr(owner, name, None)
    if method is None:
        yield
        return
    attributes: dict[str, Any] = owner.__dict__
    own = attributes.get(name)
    hooked = functools.partial(hook, method)
    setattr(owner, name, hooked)
    try:
        yield
    finally:
        if attributes.get(name) is hooked:
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)


def _is_same(one: Any, other: Any) -> bool:
    try:
        return is_same_json(one, other)
    except Exception:  # noqa: BLE001 values of a test may compare as they like
        return False
