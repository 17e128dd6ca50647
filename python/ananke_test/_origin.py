"""The origin of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ananke_test._connection import Connection


@dataclass
class RunOrigin:
    """The session of a run: its model, its program, and the name of the run there, if there is one."""

    llm: Any
    connection: Connection
    run: str | None = None
    session: str | None = None
    config: str | None = None
