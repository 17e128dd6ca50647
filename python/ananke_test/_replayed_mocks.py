"""Mocks in a replay: nothing calls them there, so they get the calls of the recording."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ananke_test._active_mocks import mock_of, standin_of
from ananke_test._events import FunctionCallEvent, FunctionCallOutputEvent, Interrupt, PendingAnswer, RunEvent

# pytest shows no frames of this file.
__tracebackhide__ = True

OF_ARGUMENTS = ("call_args", "call_args_list", "mock_calls", "await_args", "await_args_list")
"""What a mock has of the arguments of its calls."""


class ReplayedMocks:
    """The mocks of one session that is replayed."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._waiting: dict[str, tuple[FunctionCallEvent, Interrupt]] = {}
        """The calls that wait for an answer, by their ids: they are executed in a later turn."""

    def answer(self, given: Mapping[str, PendingAnswer]) -> None:
        """Takes the answers to interrupts: a call that is denied is not executed."""
        for number, (_, interrupt) in list(self._waiting.items()):
            answer = given.get(interrupt.id)
            if answer is not None and _is_denied(interrupt, answer):
                del self._waiting[number]

    async def take(self, events: Sequence[RunEvent], interrupts: Sequence[Interrupt] = ()) -> None:
        """Adds the calls of a turn to their mocks. The functions of the mocks are not executed."""
        outputs = {event.tool_call_id: event.output for event in events if isinstance(event, FunctionCallOutputEvent)}
        waiting = {interrupt.tool_call_id: interrupt for interrupt in interrupts}
        for event in events:
            if isinstance(event, FunctionCallEvent):
                number = event.tool_call_id
                if number is not None and number in waiting and number not in outputs:
                    self._waiting[number] = (event, waiting[number])
                else:
                    await self._add(event, outputs.get(number))
            elif isinstance(event, FunctionCallOutputEvent) and event.tool_call_id in self._waiting:
                asked, _ = self._waiting.pop(event.tool_call_id)
                await self._add(asked, event.output)

    async def _add(self, call: FunctionCallEvent, output: Any) -> None:
        mock = mock_of(self._agent, call.name)
        if mock is None:
            return
        for each in (mock, standin_of(mock)):
            if each is not None:
                await _count(each, call, output)


def _is_denied(interrupt: Interrupt, answer: PendingAnswer) -> bool:
    """Whether the agent does not execute the call that waits: adapters ask for an `approval`, or for a `result` of the client."""
    payload: Any = answer.payload
    is_approved = payload is True or (isinstance(payload, Mapping) and payload.get("approved") is True)  # pyright: ignore[reportUnknownMemberType]
    return answer.cancelled or interrupt.reason == "result" or (interrupt.reason == "approval" and not is_approved)


async def _count(mock: Any, call: FunctionCallEvent, output: Any) -> None:
    """Calls a mock once, with `output` instead of what it does."""
    arguments: Any = call.arguments
    kind = _class_of(mock)
    refused: object = kind.__dict__.get(OF_ARGUMENTS[0])
    if isinstance(refused, _Refused):
        for attribute in OF_ARGUMENTS:
            delattr(kind, attribute)
    elif not isinstance(arguments, dict):
        refused = _Refused(call.name)
    kept = mock.side_effect
    mock.side_effect = lambda *args, **kwargs: output  # pyright: ignore[reportUnknownLambdaType]
    try:
        # A mock with a `spec` refuses a call that does not fit it, and does not count that.
        with suppress(TypeError):
            called = mock(**arguments) if isinstance(arguments, dict) else mock()
            if inspect.isawaitable(called):
                await called
    finally:
        mock.side_effect = kept
        if isinstance(refused, _Refused):
            for attribute in OF_ARGUMENTS:
                setattr(kind, attribute, refused)


def _class_of(mock: Any) -> Any:
    """The class of a mock, which has one of its own, or of the mock that a function with a `spec` calls."""
    called: object = vars(mock)["mock"] if inspect.isfunction(mock) else mock
    return type(called)


class _Refused:
    """An attribute of a mock that cannot be read: its value is not certain."""

    def __init__(self, name: str) -> None:
        self._why = (
            f"the recording has a call to `{name}` whose arguments are not a JSON object, so the mock does not have them in a "
            "replay: assert its `call_count` alone, or give the tool arguments that are JSON"
        )

    def __get__(self, mock: Any, kind: Any = None) -> Any:
        if mock is None:
            return self
        raise RuntimeError(self._why)

    def __set__(self, mock: Any, value: Any) -> None: ...


def is_mock(function: Callable[..., Any]) -> bool:
    """Whether a function is a mock of `unittest.mock`, which counts its calls."""
    return all(hasattr(function, name) for name in ("side_effect", "assert_called_once_with"))
