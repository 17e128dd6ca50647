"""The origin of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ananke_test._events import RunEvent, to_json

if TYPE_CHECKING:
    from ananke_test._connection import Connection

# pytest shows no frames of this file.
__tracebackhide__ = True


@dataclass(frozen=True)
class EarlierTurn:
    """A turn of the same session before a run, also one that ended with an exception."""

    user_input: str | None
    """The text of the user; None if the turn answered interrupts."""
    events: tuple[RunEvent, ...]

    def to_json(self) -> dict[str, Any]:
        """The turn as `session/check` takes it."""
        return {"input": self.user_input or "", "events": [to_json(event) for event in self.events]}


@dataclass
class RunOrigin:
    """The session of a run: its model, its program, the name of the run there, if there is one, and the turns before it."""

    llm: Any
    connection: Connection
    run: str | None = None
    session: str | None = None
    config: str | None = None
    earlier: tuple[EarlierTurn, ...] = ()
