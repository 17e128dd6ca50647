"""Assertions on the events of a run. One that fails is an AssertionError with the list of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NoReturn, Protocol, TypeVar, cast, overload

from ananke_test._errors import JudgeError
from ananke_test._events import (
    ChatMessageEvent,
    FunctionCallEvent,
    FunctionCallOutputEvent,
    RunEvent,
    short,
    shown,
)
from ananke_test._judge import ask_judge
from ananke_test._same import is_same_json

if TYPE_CHECKING:
    from ananke_test._origin import RunOrigin

# pytest shows no frames of this file.
__tracebackhide__ = True


class AssertedRun(Protocol):
    """The run that assertions are about."""

    @property
    def events(self) -> Sequence[RunEvent]: ...

    @property
    def user_input(self) -> str | None: ...

    @property
    def origin(self) -> RunOrigin | None: ...

    def failure(self, message: str, marked: int | None) -> str: ...

    def say(self, text: str) -> None: ...


class Unset:
    """The default of `output`, for which None is a value."""

    def __repr__(self) -> str:
        return "any"


ANY_OUTPUT: Final = Unset()

EventType = Literal["message", "function_call", "function_call_output"]

_KINDS: Final[dict[str, str]] = {
    "message": "message",
    "function_call": "function call",
    "function_call_output": "function call output",
}

E_co = TypeVar("E_co", ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent, covariant=True)


class _Event(Generic[E_co]):
    """An event of a run, which was found."""

    def __init__(self, result: AssertedRun, index: int) -> None:
        self._result = result
        self._index = index

    def event(self) -> E_co:
        """The event."""
        return cast("E_co", self._result.events[self._index])


class ChatMessageAssert(_Event[ChatMessageEvent]):
    """A message."""

    async def judge(self, llm: Any, *, intent: str) -> ChatMessageAssert:
        """Another model, or a `Target`, decides whether the message does what `intent` says.

        Raises:
            AssertionError: If it does not, or is empty.
            JudgeError: If the judge cannot be asked, or gives no clear verdict.
            ValueError: If the intent is empty, or the judge is the session's own model.
        """
        message = self.event()
        result = self._result
        if not intent.strip():
            raise ValueError("the intent is empty: say what the message should do")
        if not message.content.strip():
            self._reject(f"the message is empty: a judge is not asked about `{intent}`")
        try:
            own = result.origin.llm if result.origin is not None else None
            passed, reason = await ask_judge(llm, own, result.user_input, message, intent)
        except JudgeError as error:
            result.say(f"judge: {error}")
            raise
        result.say(f"judge: {'PASS' if passed else 'FAIL'}: {reason}  (intent: {intent})")
        if not passed:
            self._reject(f"the judge rejects `{intent}`: {reason}")
        return self

    def judge_sync(self, llm: Any, *, intent: str) -> ChatMessageAssert:
        """The same as `judge`, for a test that is a plain function."""
        from ananke_test._background import run_in_background

        return run_in_background(self.judge(llm, intent=intent))

    def _reject(self, message: str) -> NoReturn:
        result = self._result
        raise AssertionError(result.failure(_placed(result, self._index, message), self._index))


class FunctionCallAssert(_Event[FunctionCallEvent]):
    """A call to a tool."""


class FunctionCallOutputAssert(_Event[FunctionCallOutputEvent]):
    """The result of a call."""


class EventAssert:
    """An event whose kind is to be asserted."""

    def __init__(self, result: AssertedRun, index: int) -> None:
        self._result = result
        self._index = index

    def event(self) -> RunEvent:
        """The event."""
        return self._result.events[self._index]

    def is_message(self, role: str | None = None) -> ChatMessageAssert:
        """It is a message, of `role` if that is given."""
        self._check(message_mismatch(self.event(), role))
        return ChatMessageAssert(self._result, self._index)

    def is_function_call(self, name: str | None = None, arguments: dict[str, Any] | None = None) -> FunctionCallAssert:
        """It is a call, to `name` and with at least these `arguments` if they are given."""
        self._check(call_mismatch(self.event(), name, arguments))
        return FunctionCallAssert(self._result, self._index)

    def is_function_call_output(self, output: Any = ANY_OUTPUT, is_error: bool | None = None) -> FunctionCallOutputAssert:
        """It is the output of a call: exactly this one, and an error or not, if that is given."""
        self._check(output_mismatch(self.event(), output, is_error))
        return FunctionCallOutputAssert(self._result, self._index)

    def _check(self, mismatch: str | None) -> None:
        if mismatch is not None:
            message = _placed(self._result, self._index, mismatch)
            raise AssertionError(self._result.failure(message, self._index))


class EventRangeAssert:
    """Some of the events of a run, in which one is searched."""

    def __init__(self, result: AssertedRun, indices: range) -> None:
        self._result = result
        self._indices = indices

    def contains_message(self, role: str | None = None) -> ChatMessageAssert:
        """The first message, of `role` if that is given."""
        what = "a message" if role is None else f"a message of the {role}"
        index = self._find(what, [message_mismatch(event, role) for event in self._events()])
        return ChatMessageAssert(self._result, index)

    def contains_function_call(self, name: str | None = None, arguments: dict[str, Any] | None = None) -> FunctionCallAssert:
        """The first call, to `name` and with at least these `arguments` if they are given."""
        what = "a function call" if name is None else f"a call to {name}"
        if arguments is not None:
            what += f" with {shown(arguments)}"
        index = self._find(what, [call_mismatch(event, name, arguments) for event in self._events()])
        return FunctionCallAssert(self._result, index)

    def contains_function_call_output(self, output: Any = ANY_OUTPUT, is_error: bool | None = None) -> FunctionCallOutputAssert:
        """The first output of a call: exactly this one, and an error or not, if that is given."""
        what = "a function call output"
        if not isinstance(output, Unset):
            what += f" {shown(output)}"
        if is_error is not None:
            what += " that is an error" if is_error else " that is no error"
        index = self._find(what, [output_mismatch(event, output, is_error) for event in self._events()])
        return FunctionCallOutputAssert(self._result, index)

    def _events(self) -> list[RunEvent]:
        return [self._result.events[index] for index in self._indices]

    def _find(self, what: str, mismatches: list[str | None]) -> int:
        for index, mismatch in zip(self._indices, mismatches, strict=True):
            if mismatch is None:
                return index
        count = len(mismatches)
        events = "1 event" if count == 1 else f"{count} events"
        raise AssertionError(self._result.failure(f"expected {what} in {events}, found none", None))


class RunAssert:
    """Assertions on the events of a run, from the first one that was not looked at."""

    def __init__(self, result: AssertedRun) -> None:
        self._result = result
        self._cursor = 0

    @overload
    def next_event(self, type: None = None) -> EventAssert: ...
    @overload
    def next_event(self, type: Literal["message"]) -> ChatMessageAssert: ...
    @overload
    def next_event(self, type: Literal["function_call"]) -> FunctionCallAssert: ...
    @overload
    def next_event(self, type: Literal["function_call_output"]) -> FunctionCallOutputAssert: ...
    def next_event(
        self, type: EventType | None = None
    ) -> EventAssert | ChatMessageAssert | FunctionCallAssert | FunctionCallOutputAssert:
        """The next event, or the next of a type; others are passed."""
        if type is not None and type not in _KINDS:
            raise ValueError(f"there is no type of events {type!r}: the types are {', '.join(_KINDS)}")
        events = self._result.events
        for index in range(self._cursor, len(events)):
            if type is None or events[index].type == type:
                self._cursor = index + 1
                if type is None:
                    return EventAssert(self._result, index)
                if type == "message":
                    return ChatMessageAssert(self._result, index)
                if type == "function_call":
                    return FunctionCallAssert(self._result, index)
                return FunctionCallOutputAssert(self._result, index)
        self._cursor = max(self._cursor, len(events))
        what = "event" if type is None else _KINDS[type]
        raise AssertionError(self._result.failure(f"expected another {what}, but none is left", None))

    def skip_next(self, count: int = 1) -> RunAssert:
        """Passes the next `count` events."""
        if count < 0:
            raise ValueError(f"{count} events cannot be skipped: the number must be at least 0")
        left = max(0, len(self._result.events) - self._cursor)
        if count > left:
            what = "1 more event" if count == 1 else f"{count} more events"
            are = "1 is left" if left == 1 else f"{left or 'none'} are left"
            raise AssertionError(self._result.failure(f"expected {what} to skip, but {are}", None))
        self._cursor += count
        return self

    def no_more_events(self) -> None:
        """All events were looked at."""
        events = self._result.events
        if self._cursor < len(events):
            message = f"expected no more events, but found {short(events[self._cursor])}"
            raise AssertionError(self._result.failure(message, self._cursor))

    @overload
    def __getitem__(self, index: int) -> EventAssert: ...
    @overload
    def __getitem__(self, index: slice) -> EventRangeAssert: ...
    def __getitem__(self, index: int | slice) -> EventAssert | EventRangeAssert:
        count = len(self._result.events)
        if isinstance(index, slice):
            return EventRangeAssert(self._result, range(*index.indices(count)))
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            events = "1 event" if count == 1 else f"{count or 'no'} events"
            message = f"there is no event at index {index}: the run has {events}"
            raise AssertionError(self._result.failure(message, None))
        return EventAssert(self._result, place)

    def contains_message(self, role: str | None = None) -> ChatMessageAssert:
        """A message, of `role` if that is given, is among all events."""
        return self[:].contains_message(role)

    def contains_function_call(self, name: str | None = None, arguments: dict[str, Any] | None = None) -> FunctionCallAssert:
        """A call, to `name` and with at least these `arguments` if they are given, is among all events."""
        return self[:].contains_function_call(name, arguments)

    def contains_function_call_output(self, output: Any = ANY_OUTPUT, is_error: bool | None = None) -> FunctionCallOutputAssert:
        """An output of a call, exactly this one and an error or not if that is given, is among all events."""
        return self[:].contains_function_call_output(output, is_error)


def _placed(result: AssertedRun, index: int, message: str) -> str:
    return f"event {index + 1} of {len(result.events)}: {message}"


def message_mismatch(event: RunEvent, role: str | None) -> str | None:
    """The reason for which the event is not this message."""
    if isinstance(event, ChatMessageEvent) and role in (None, event.role):
        return None
    what = "a message" if role is None else f"a message of the {role}"
    return f"expected {what}, found {short(event)}"


def call_mismatch(event: RunEvent, name: str | None, arguments: dict[str, Any] | None) -> str | None:
    """The reason for which the event is not this call."""
    if not isinstance(event, FunctionCallEvent):
        what = "a function call" if name is None else f"a call to {name}"
        return f"expected {what}, found {short(event)}"
    if name is not None and name != event.name:
        return f"expected a call to {name}, found a call to {event.name}"
    found: object = event.arguments
    for key, value in (arguments or {}).items():
        expected = f"expected the argument `{key}` of {event.name} to be {shown(value)}"
        if not isinstance(found, dict):
            return f"{expected}, found the arguments {shown(found)}, which are not an object"
        if key not in found:
            return f"{expected}, it is missing"
        if not is_same_json(found[key], value):
            return f"{expected}, found {shown(found[key])}"
    return None


def output_mismatch(event: RunEvent, output: Any, is_error: bool | None) -> str | None:
    """The reason for which the event is not this output."""
    if not isinstance(event, FunctionCallOutputEvent):
        return f"expected a function call output, found {short(event)}"
    if not isinstance(output, Unset) and not is_same_json(output, event.output):
        return f"expected the output {shown(output)}, found {shown(event.output)}"
    if is_error is None or is_error == event.is_error:
        return None
    what = {True: "an error", False: "no error"}
    return f"expected {what[is_error]}, found {what[event.is_error]}: {shown(event.output)}"
