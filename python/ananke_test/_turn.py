"""One turn of an agent of this process: what the agent is given, and what it reports."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Protocol, cast

from ananke_test._active_mocks import mock_of
from ananke_test._background import called, is_async
from ananke_test._events import (
    ChatMessageEvent,
    FunctionCallEvent,
    FunctionCallOutputEvent,
    Interrupt,
    PendingAnswer,
    RunEvent,
)
from ananke_test._turn_threads import ThreadsOfTurn

# pytest shows no frames of this file.
__tracebackhide__ = True

Report = Callable[[int, "dict[str, Any]"], None]
"""Sends an event of the turn with this number."""


class AgentTurns(Protocol):
    """A conversation with an agent of this process."""

    async def take(self, turn: Turn) -> None:
        """Makes a turn, and reports what the agent does."""
        ...

    async def close(self) -> None: ...


class ConversationState:
    """What the turns of one session share."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.memory: dict[str, Any] = {}
        self.calls = itertools.count(1)
        self.past: list[tuple[str | None, list[RunEvent]]] = []
        """The text of the user and the events of each turn so far."""


class Turn:
    """A turn of an agent, as its function gets it: what the user says, and the ways to report what the agent does.

    A function may be plain or async, and a generator of either kind. It returns or yields what the agent says.
    """

    def __init__(
        self,
        number: int,
        text: str | None,
        answers: list[PendingAnswer],
        conversation: ConversationState,
        report: Report,
    ) -> None:
        self.input = text
        """The text of the user; None if the turn answers interrupts."""
        self.answers = answers
        """The answers to the interrupts of the turn before."""
        self.interrupts: list[Interrupt] = []
        self.loop = asyncio.get_running_loop()
        self.threads = ThreadsOfTurn()
        self.thread: str | None = None
        """The name of the thread that makes the turn, while it does."""
        self._number = number
        self._conversation = conversation
        self._report = report
        self._began = time.monotonic()
        self._messages = itertools.count(1)
        self._open_message: str | None = None
        self._lock = threading.Lock()

    @property
    def memory(self) -> dict[str, Any]:
        """A place of the session's own, for a history in the shape of your framework."""
        return self._conversation.memory

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation as chat completions have it, with calls and results of earlier turns; the new message is the last."""
        made: list[dict[str, Any]] = []
        for text, events in self._conversation.past:
            if text is not None:
                made.append({"role": "user", "content": text})
            made.extend(_messages(events, self._conversation.past))
        if self.input is not None:
            made.append({"role": "user", "content": self.input})
        return made

    def call(self, name: str, arguments: Mapping[str, Any], function: Callable[..., Any]) -> Any:
        """Calls a tool, or its mock, with these arguments, and reports the call and its result.

        In async code it is awaited; in plain code it gives the result. An exception of the tool is raised.
        """
        if not isinstance(name, str) or not callable(function):
            raise TypeError(f"turn.call takes a name, arguments and a function, not {name!r} and {function!r}")
        if not isinstance(arguments, Mapping):
            raise TypeError(f"the arguments of `{name}` are a mapping of names, this is {arguments!r}")
        given = dict(arguments)
        target: Callable[..., Any] = mock_of(self._conversation.agent, name) or function
        return self.made(name, given, lambda: target(**given), is_plain=not is_async(target))

    def made(self, name: str, shown: dict[str, Any], work: Callable[[], Any], *, is_plain: bool) -> Any:
        """The result of `work`, which is reported as a call. It is awaited where an event loop runs."""
        if _is_in_loop():
            return self._awaited(name, shown, work, is_plain)
        with self.reported(name, shown) as call:
            call.output = work() if is_plain else self.waited(work)
        return call.output

    def waited(self, work: Callable[[], Any]) -> Any:
        """The result of async work in plain code."""
        if not _is_in_loop():
            # An async tool runs in the loop of the session, in which its clients may have been made.
            return asyncio.run_coroutine_threadsafe(_ended(work), self.loop).result()
        # This loop waits for the plain code, so the work needs another one.
        result: Future[Any] = Future()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                result.set_result(context.run(asyncio.run, _ended(work)))
            except BaseException as error:  # noqa: BLE001 it is raised where it is waited for
                result.set_exception(error)

        threading.Thread(target=run, name="ananke mock", daemon=True).start()
        return result.result()

    async def _awaited(self, name: str, shown: dict[str, Any], work: Callable[[], Any], is_plain: bool) -> Any:
        with self.reported(name, shown) as call:
            # A plain tool runs in a thread, so that the event loop goes on.
            call.output = await called(work) if is_plain else await work()
        return call.output

    @contextmanager
    def reported(self, name: str, arguments: Mapping[str, Any]) -> Generator[ReportedCall, None, None]:
        """A block that is a call: its begin, its `output`, and its exception, if it has one."""
        call = ReportedCall(self.next_call())
        self.report_call(call.id, name, arguments)
        try:
            with self.inside(call.id):
                yield call
        except BaseException as error:
            self.report_result(call.id, name, {"error": str(error)}, True)
            raise
        self.report_result(call.id, name, call.output, False)

    @contextmanager
    def inside(self, number: str) -> Generator[None, None, None]:
        """A block that is inside a call: calls in it are those of a subagent."""
        token = _call.set((self, number))
        try:
            yield
        finally:
            _call.reset(token)

    def interrupt(
        self,
        id: str | None = None,
        reason: str | None = None,
        message: str | None = None,
        tool_call_id: str | None = None,
    ) -> None:
        """Says that the agent waits for an answer, which the next turn has as `turn.answers`."""
        number = id if id is not None else f"interrupt-{self._number}-{len(self.interrupts) + 1}"
        self.interrupts.append(Interrupt(number, reason, message, tool_call_id))

    def usage(
        self,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        *,
        cached_tokens: int | None = None,
        model: str | None = None,
    ) -> None:
        """Reports tokens of the turn; several reports are added up."""
        event = {
            "type": "usage",
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "cached_tokens": cached_tokens,
            "model": model,
        }
        self._send({key: value for key, value in event.items() if value is not None})

    # What adapters report.

    def next_call(self) -> str:
        """The id of a call that has none of its own."""
        return f"call-{next(self._conversation.calls)}"

    def report_call(self, number: str, name: str, arguments: Any, *, agent: str | None = None, parent: str | None = None) -> None:
        """A call begins."""
        outer = _call.get()
        if parent is None and outer is not None and outer[0] is self:
            parent = outer[1]
        event = {"type": "call", "id": number, "name": name, "arguments": self._json("arguments", name, arguments)}
        event |= {key: value for key, value in (("agent", agent), ("parent", parent)) if value is not None}
        with self._lock:
            self._open_message = None
        self._send(event)

    def report_result(self, number: str, name: str, output: Any, is_error: bool | None) -> None:
        """A call has ended; whether it failed may be unknown."""
        event = {"type": "result", "id": number, "output": self._json("results", name, output)}
        if is_error is not None:
            event["is_error"] = is_error
        else:
            self.unread(f"result:{name}", ["call_ends"], "the agent does not show whether the call failed", tool=name)
        self._send(event)

    def say(self, text: str, *, agent: str | None = None) -> None:
        """A whole message."""
        with self._lock:
            self._open_message = None
        if text:
            self._send({"type": "text", "content": text, **({"agent": agent} if agent is not None else {})})

    def stream(self, delta: str) -> None:
        """A piece of a message, which ends at a call, at another message, or with the turn."""
        if not delta:
            return
        with self._lock:
            if self._open_message is None:
                self._open_message = f"m{next(self._messages)}"
            number = self._open_message
        self._send({"type": "text", "delta": delta, "message_id": number})

    def reason(self, text: str, *, agent: str | None = None) -> None:
        """Reasoning, which is no part of what the agent says."""
        if text:
            self._send({"type": "reasoning", "delta": text, **({"agent": agent} if agent is not None else {})})

    def unread(self, name: str, facts: list[str], reason: str, *, tool: str | None = None) -> None:
        """Something that this process cannot see: rules that rest on these facts, of the tool if it is of one, are not shown."""
        about = {"tool": tool} if tool is not None else {}
        self._send({"type": "unread", "name": name, "facts": facts, "reason": reason, **about})

    def take_event(self, event: RunEvent) -> None:
        """An event that the agent has made itself."""
        if isinstance(event, ChatMessageEvent):
            if event.role != "assistant":
                raise TypeError(f"a message of the agent has the role `assistant`, this has {event.role!r}")
            self.say(event.content)
        elif isinstance(event, FunctionCallEvent):
            self.report_call(event.tool_call_id or self.next_call(), event.name, event.arguments)
        else:
            if event.tool_call_id is None:
                raise TypeError(f"the output of `{event.name}` needs the `tool_call_id` of its call")
            self.report_result(event.tool_call_id, event.name, event.output, event.is_error)

    def elapsed_ms(self) -> float:
        """The time since the turn began, in milliseconds."""
        return (time.monotonic() - self._began) * 1000

    def mock(self, name: str) -> Any:
        """The mock that a call to a tool is for, if there is one."""
        return mock_of(self._conversation.agent, name)

    def _send(self, event: dict[str, Any]) -> None:
        self._report(self._number, {**event, "at_ms": self.elapsed_ms()})

    def _json(self, fact: str, tool: str, value: Any) -> Any:
        """The value as JSON. One that is none is not shown; its `str()` would be a guess, and `null` would be another value."""
        try:
            plain = json.loads(json.dumps(value, allow_nan=False, default=as_plain))
        except (TypeError, ValueError, RecursionError) as error:
            self.unread(f"{fact}:{tool}", [fact], f"it is not JSON: {error}", tool=tool)
            return f"<{type(value).__name__}, which is not JSON>"
        return plain


@dataclass
class ReportedCall:
    """A call that goes on."""

    id: str
    output: Any = None


_turn: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("turn of ananke", default=None)
_call: contextvars.ContextVar[tuple[Turn, str] | None] = contextvars.ContextVar("call of ananke", default=None)
_OF_CALLS = ["calls", "arguments", "results", "call_ends", "call_times"]
"""All that a call shows."""
_running: list[Turn] = []
"""The turns that run in this process."""


@contextmanager
def running(turn: Turn) -> Generator[None, None, None]:
    """A block in which calls are those of this turn."""
    token = _turn.set(turn)
    _running.append(turn)
    try:
        yield
    finally:
        _running[:] = [other for other in _running if other is not turn]
        turn.threads.end()
        _turn.reset(token)


def own_turn() -> Turn | None:
    """The turn that this context belongs to."""
    return _turn.get()


def turn_of_call(tool: str) -> Turn | None:
    """The turn that a call belongs to; None outside of sessions.

    Raises:
        RuntimeError: If nothing says which turn it is. Rules about the tool are not shown then, since the agent may hide the error.
    """
    own = _turn.get()
    if own is not None:
        return own
    possible = list(_running)
    if not possible:
        return None
    if len(possible) == 1 and possible[0].threads.has_current():
        return possible[0]
    name = threading.current_thread().name
    if len(possible) > 1:
        why = f"`{tool}` is called in a thread that knows no turn, and {len(possible)} turns run"
    else:
        why = f"`{tool}` is called in the thread `{name}`, which knows no turn and may still do the work of an earlier one"
    for turn in possible:
        turn.unread(f"thread:{tool}", _OF_CALLS, why, tool=tool)
    raise RuntimeError(f"{why}: start the thread with `contextvars.copy_context().run`, or with `asyncio.to_thread`")


async def _ended(work: Callable[[], Any]) -> Any:
    return await work()


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def as_plain(value: Any) -> Any:
    """A value that is not JSON itself, as its own class shows it."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    known: object = value
    if is_dataclass(known) and not isinstance(known, type):
        return asdict(known)
    raise TypeError(f"a {type(value).__name__}")


def _messages(events: list[RunEvent], past: list[tuple[str | None, list[RunEvent]]]) -> list[dict[str, Any]]:
    """The messages of a turn. The results of calls that were made at once follow them, also those that came in a later turn."""
    outputs: dict[str | None, FunctionCallOutputEvent] = {
        event.tool_call_id: event for _, turn in past for event in turn if isinstance(event, FunctionCallOutputEvent)
    }
    made: list[dict[str, Any]] = []
    group: list[FunctionCallEvent] = []

    def end_group() -> None:
        if group:
            calls = [
                {
                    "id": call.tool_call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
                }
                for call in group
            ]
            made.append({"role": "assistant", "content": None, "tool_calls": calls})
            for call in group:
                output = outputs.get(call.tool_call_id)
                if output is not None:
                    text = output.output if isinstance(output.output, str) else json.dumps(output.output, ensure_ascii=False)
                    made.append({"role": "tool", "tool_call_id": call.tool_call_id, "content": text})
            group.clear()

    for event in events:
        if isinstance(event, FunctionCallEvent):
            group.append(event)
            continue
        end_group()
        if isinstance(event, ChatMessageEvent):
            made.append({"role": event.role, "content": event.content})
    end_group()
    return made


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """A mapping with keys of any type."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
