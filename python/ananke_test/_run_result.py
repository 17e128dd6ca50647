"""The result of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ananke_test._asserts import RunAssert
from ananke_test._errors import ProgramError, RequestError, public
from ananke_test._events import Interrupt, RunEvent, escaped, listed, to_json

if TYPE_CHECKING:
    from ananke_test._origin import RunOrigin

# pytest shows no frames of this file.
__tracebackhide__ = True


def is_verbose() -> bool:
    """Whether events and what judges said are printed."""
    names = ("ANANKE_TESTING_VERBOSE", "VISION_AGENTS_EVALS_VERBOSE")
    return any(os.environ.get(name) == "1" for name in names)


class RunResult:
    """The events of a run. One that is made by hand can be asserted in the same way."""

    def __init__(
        self,
        events: Sequence[RunEvent],
        user_input: str | None = None,
        *,
        interrupts: Sequence[Interrupt] = (),
        origin: RunOrigin | None = None,
    ) -> None:
        self.events: list[RunEvent] = list(events)
        """The events in their order."""
        self.user_input = user_input
        """The text of the user."""
        self.interrupts: list[Interrupt] = list(interrupts)
        """The questions that are open at the end; `session.resume` answers them."""
        self.origin = origin

    @cached_property
    def expect(self) -> RunAssert:
        """Assertions on the events. There is one cursor per result: an event that was looked at is passed."""
        return RunAssert(self)

    def findings(self, yaml: str | Mapping[str, Any]) -> list[dict[str, Any]]:
        """The findings of the rules of an assert block, with the keys of `assertions` in the JSON report; empty if all pass.

        The block is YAML, as the `assert` of a turn in a test file, or the same as a mapping. It may be applied after the end of
        the session.

        Raises:
            ValueError: If the block is wrong, with its place and what to do.
            JudgeError: If a script or a judge cannot be asked, or gives no verdict.
        """
        if not isinstance(yaml, (str, Mapping)):
            raise TypeError(f"the rules are a text of YAML or a mapping, this is {yaml!r}: `tools: {{ forbid: pay }}`")
        rules: dict[str, Any] = {"yaml": yaml} if isinstance(yaml, str) else {"assert": dict(yaml)}
        try:
            return self._findings(rules)
        except RequestError as error:
            failed = public(error)
        raise failed

    def _findings(self, rules: dict[str, Any]) -> list[dict[str, Any]]:
        from ananke_test._connection import connection

        origin = self.origin
        if origin is not None and origin.run is not None and not origin.connection.is_over:
            try:
                checked = origin.connection.call("session/check", {"run": origin.run, **rules})
                return list[dict[str, Any]](checked["findings"])
            except ProgramError:
                pass
        params: dict[str, Any] = {"events": [to_json(event) for event in self.events], **rules}
        if origin is not None:
            # Rules look back to the turns before. A turn of a session without a text answers interrupts.
            params["input"] = self.user_input or ""
            params["before"] = [turn.to_json() for turn in origin.earlier]
        elif self.user_input is not None:
            params["input"] = self.user_input
        program = connection(origin.config if origin is not None else None)
        return list[dict[str, Any]](program.call("session/check", params)["findings"])

    def check(self, yaml: str | Mapping[str, Any]) -> None:
        """Applies the rules of an assert block, as `findings` does.

        Raises:
            AssertionError: If a rule fails, or the events do not show whether it does.
            ValueError: If the block is wrong.
            JudgeError: If a script or a judge cannot be asked, or gives no verdict.
        """
        found = self.findings(yaml)
        if found:
            raise AssertionError(self.failure("\n".join(finding["words"] for finding in found), None))

    def failure(self, message: str, marked: int | None) -> str:
        """The text of an AssertionError: with the list of events, and a mark at the one that is wrong."""
        return f"{escaped(message)}\n\n{listed(self.events, self.interrupts, marked)}"

    def say(self, text: str) -> None:
        """Prints `text` if events are printed."""
        if is_verbose():
            print(escaped(text))

    def say_events(self) -> None:
        """Prints the events if that is wanted."""
        if is_verbose():
            said = f"user: {self.user_input}" if self.user_input is not None else "user: (answers)"
            print(f"{escaped(said)}\n{listed(self.events, self.interrupts)}")

    def __repr__(self) -> str:
        return f"RunResult(events={self.events!r}, user_input={self.user_input!r})"
