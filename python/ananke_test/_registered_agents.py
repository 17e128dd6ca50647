"""Agents of this process that YAML tests know by a name."""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from collections.abc import Callable
from typing import Any

from ananke_test._background import background_loop
from ananke_test._callbacks import LoopCallbacks
from ananke_test._connection import Connection
from ananke_test._errors import AgentError
from ananke_test._external import ExternalCallbacks
from ananke_test._session import TestSession
from ananke_test._turn import ConversationState

# pytest shows no frames of this file.
__tracebackhide__ = True

NO_AGENT: Any = object()
"""Says that no agent is given. `None` is a mistake of the caller."""

OWN_DIRECTORY = os.path.dirname(__file__)

_registered: dict[str, Callable[[], Any]] = {}
"""What gives the agent of each test, by the name of the agent."""


def register_agent(name: str, agent: Any = NO_AGENT, *, factory: Callable[[], Any] | None = None) -> None:
    """Gives an agent of this process to YAML tests: those whose target has `type: external` and `agent: NAME`.

    `agent` is what `TestSession(agent=…)` takes. It has every conversation, so that what it remembers itself is that of all tests;
    `factory` is called for each test instead, and gives its agent. A `conftest.py` is the place for it.

    Raises:
        TypeError: If the agent is none, or both or none of the two are given.
        ValueError: If another agent has the name.
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of an agent is a text, this is {name!r}")
    if (agent is NO_AGENT) == (factory is None):
        raise TypeError(f"the agent `{name}` is given as `agent`, or as the `factory` that makes it for each test")
    if factory is None:
        # What cannot be an agent is said here, and not in every test.
        TestSession(agent=agent).turns()
    elif not callable(factory):
        raise TypeError(f"the `factory` of `{name}` is a function without parameters, this is {factory!r}")
    if name in _registered:
        raise ValueError(f"there is an agent `{name}` already: give the other one another name")
    _registered[name] = factory if factory is not None else lambda: agent


def agent_of(name: str) -> Any:
    """The agent of a test.

    Raises:
        AgentError: If none has this name.
    """
    make = _registered.get(name)
    if make is None:
        known = f"those of this process are {', '.join(f'`{other}`' for other in _registered)}" if _registered else "none is"
        raise AgentError(
            f"no agent `{name}` is registered, {known}: call `ananke_test.register_agent({name!r}, agent)` in a conftest.py"
        )
    return make()


class RegisteredCallbacks(LoopCallbacks):
    """The turns of one test."""

    FATAL = ("agent/turn",)

    def __init__(self, program: Connection, session: str) -> None:
        super().__init__(program)
        self._session = session
        self._own: ExternalCallbacks | None = None
        self.enter_loop(background_loop())

    async def result(self, method: str, params: dict[str, Any]) -> Any:
        """The end of a turn. The first one makes the agent."""
        if self._own is None:
            agent = agent_of(params["agent"])
            self._own = ExternalCallbacks(self._program, TestSession(agent=agent).turns(), ConversationState(agent))
            self._own.session = self._session
        return await self._own.result(method, params)

    def in_words(self, error: BaseException) -> str:
        """What the report of the test says of an error: nothing else of it is there, so its type is."""
        words = super().in_words(error)
        name = type(error).__name__
        return words if isinstance(error, AgentError) or words == name else f"{name}: {words}"

    def traceback(self) -> str | None:
        """The traceback of the agent's error, if it had one."""
        if self.error is None or isinstance(self.error, AgentError):
            return None
        shown = traceback.TracebackException.from_exception(self.error)
        # The agent's own frames: the first ones are those of this package.
        kept = [frame for frame in shown.stack if os.path.dirname(frame.filename) != OWN_DIRECTORY]
        shown.stack[:] = kept
        return "".join(shown.format())

    def end(self) -> None:
        """Ends the conversation."""
        if self._own is not None:
            asyncio.run_coroutine_threadsafe(self._own.close(), background_loop())


class RegisteredSessions:
    """The conversations of tests with agents of this process."""

    def __init__(self, program: Connection) -> None:
        self._program = program
        self._lock = threading.Lock()
        self._open: dict[str, RegisteredCallbacks] = {}

    def begin(self, session: str) -> RegisteredCallbacks:
        """The conversation of a test whose first turn begins."""
        callbacks = RegisteredCallbacks(self._program, session)
        with self._lock:
            self._open[session] = callbacks
        self._program.attach(session, callbacks)
        return callbacks

    def end(self, session: str | None) -> str | None:
        """Ends the conversation of a test, and gives the traceback of its agent, if that has failed."""
        with self._lock:
            callbacks = self._open.pop(session or "", None)
        if callbacks is None or session is None:
            return None
        self._program.detach(session)
        callbacks.end()
        return callbacks.traceback()

    def end_all(self) -> None:
        """Ends those that have no result, such as those of attempts that were repeated."""
        for session in list(self._open):
            self.end(session)
