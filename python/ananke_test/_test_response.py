"""The result of a run under the names of the testing module of Vision-Agents."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ananke_test._asserts import ANY_OUTPUT, Unset, call_mismatch, output_mismatch
from ananke_test._events import ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent, RunEvent, shown
from ananke_test._run_result import RunResult
from ananke_test._turn import as_plain

if TYPE_CHECKING:
    from typing_extensions import Self

# pytest shows no frames of this file.
__tracebackhide__ = True


@dataclass
class TestResponse(RunResult):
    """A run with the fields and assertions that responses of Vision-Agents have. It is a `RunResult` as well."""

    __test__ = False

    input: str
    """The text of the user."""
    output: str | None
    """The last message of the agent; None if there is none."""
    events: list[RunEvent]
    """The events in their order."""
    function_calls: list[FunctionCallEvent]
    """The calls among them."""
    chat_messages: list[ChatMessageEvent]
    """The messages among them."""
    duration_ms: float
    """The time of the run, in milliseconds."""

    def __post_init__(self) -> None:
        super().__init__(self.events, self.input)

    @classmethod
    def build(cls, *, events: list[RunEvent], user_input: str, start_time: float) -> Self:
        """A response with these events; `start_time` is that of `time.monotonic()` when the run began."""
        messages = [event for event in events if isinstance(event, ChatMessageEvent)]
        said = [message.content for message in messages if message.role == "assistant"]
        return cls(
            input=user_input,
            output=said[-1] if said else None,
            events=events,
            function_calls=[event for event in events if isinstance(event, FunctionCallEvent)],
            chat_messages=messages,
            duration_ms=(time.monotonic() - start_time) * 1000,
        )

    @classmethod
    def of(cls, result: RunResult, start_time: float) -> Self:
        """The same run."""
        made = cls.build(events=result.events, user_input=result.user_input or "", start_time=start_time)
        made.interrupts, made.origin = result.interrupts, result.origin
        return made

    def assert_function_called(self, name: str | None = None, *, arguments: dict[str, Any] | None = None) -> None:
        """A call, to `name` and with at least these `arguments` if they are given, is among the calls.

        Raises:
            AssertionError: If it is not.
        """
        forms = [arguments, _as_json(arguments)]
        if any(call_mismatch(call, name, form) is None for call in self.function_calls for form in forms):
            return
        what = "a function call" if name is None else f"a call to {name}"
        if arguments:
            what += f" with {shown(arguments)}"
        self._fail(what, self.function_calls, [call_mismatch(call, name, arguments) for call in self.function_calls], name)

    def assert_function_output(self, name: str, *, output: Any = ANY_OUTPUT, is_error: bool | None = None) -> None:
        """An output of `name`, exactly this one and an error or not if that is given, is among the events.

        Raises:
            AssertionError: If it is not.
        """
        outputs = [event for event in self.events if isinstance(event, FunctionCallOutputEvent)]
        forms = [output, output if isinstance(output, Unset) else _as_json(output)]
        if any(event.name == name and output_mismatch(event, form, is_error) is None for event in outputs for form in forms):
            return
        what = "an output" if isinstance(output, Unset) else f"the output {shown(output)}"
        what += f" of {name}"
        if is_error is not None:
            what += " that is an error" if is_error else " that is no error"
        self._fail(what, outputs, [output_mismatch(event, output, is_error) for event in outputs], name)

    def _fail(
        self,
        what: str,
        found: Sequence[FunctionCallEvent | FunctionCallOutputEvent],
        mismatches: list[str | None],
        name: str | None,
    ) -> None:
        """Raises the AssertionError; the only event with this name is marked, and compared."""
        near = [(event, mismatch) for event, mismatch in zip(found, mismatches, strict=True) if name in (None, event.name)]
        if len(near) == 1 and near[0][1] is not None and near[0][0] in self.events:
            raise AssertionError(self.failure(near[0][1], self.events.index(near[0][0])))
        count = len(found)
        kind = "output" if isinstance(found[0] if found else None, FunctionCallOutputEvent) else "call"
        places = f"{count or 'no'} {kind}{'' if count == 1 else 's'}" if found else f"{len(self.events)} events"
        raise AssertionError(self.failure(f"expected {what} in {places}, found none", None))


def _as_json(value: Any) -> Any:
    """The value as events have it; one that is not JSON as it is."""
    try:
        return json.loads(json.dumps(value, allow_nan=False, default=as_plain))
    except (TypeError, ValueError, RecursionError):
        return value
