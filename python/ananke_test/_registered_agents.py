"""Agents of this process that YAML tests know by a name."""

from __future__ import annotations

import asyncio
import difflib
import inspect
import os
import threading
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from ananke_test._background import background_loop
from ananke_test._callbacks import LoopCallbacks
from ananke_test._connection import Connection
from ananke_test._errors import AgentError
from ananke_test._external import ExternalCallbacks
from ananke_test._function_llm import FunctionLLM
from ananke_test._session import TestSession
from ananke_test._target import Target
from ananke_test._turn import AgentTurns, ConversationState

# pytest shows no frames of this file.
__tracebackhide__ = True

NO_AGENT: Any = object()
"""Says that no agent is given. `None` is a mistake of the caller."""

OWN_DIRECTORY = os.path.dirname(__file__)

WHAT_IS_ONE = (
    "an agent of YAML tests is a function of one `turn`, an agent of pydantic-ai or of the OpenAI Agents SDK, or an LLM object of "
    "Vision-Agents"
)


class RegisteredAgent(NamedTuple):
    """An agent that has a name."""

    make: Callable[[], Any]
    """Gives the agent of a test."""
    place: str
    """The file and line that registered it."""


_registered: dict[str, RegisteredAgent] = {}
"""The agents by their names."""


def register_agent(name: str, agent: Any = NO_AGENT, *, factory: Callable[[], Any] | None = None) -> None:
    """Gives an agent of this process to YAML tests: those whose target has `type: external` and `agent: NAME`.

    `agent` is a function of one `turn`, or an agent of a package that `TestSession(agent=…)` knows. It has every conversation, so
    that what it remembers itself is that of all tests; `factory` is called for each test instead, and gives its agent. A
    `conftest.py` is the place for it.

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
        turns_of(name, agent)
    elif not callable(factory):
        raise TypeError(f"the `factory` of `{name}` is a function without parameters, this is {factory!r}")
    known = _registered.get(name)
    if known is not None:
        raise ValueError(f"there is an agent `{name}` already, which {known.place} registered: give one of them another name")
    caller = inspect.currentframe()
    caller = caller.f_back if caller is not None else None
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}" if caller is not None else "this process"
    _registered[name] = RegisteredAgent(factory if factory is not None else lambda: agent, place)


def turns_of(name: str, agent: Any) -> AgentTurns:
    """A conversation with an agent.

    Raises:
        TypeError: If it is not an agent of this process.
    """
    if isinstance(agent, FunctionLLM):
        kind = "a FunctionLLM" if type(agent) is FunctionLLM else f"a FunctionLLM ({type(agent).__name__})"
        raise TypeError(
            f"the agent `{name}` is {kind}, a model that ananke asks itself: {WHAT_IS_ONE}. "
            "Test a model in Python with `TestSession(llm=…)`"
        )
    if isinstance(agent, Target):
        raise TypeError(
            f"the agent `{name}` is a Target, which is no agent of this process: name the target with `target:` in the YAML test"
        )
    try:
        return TestSession(agent=agent).turns()
    except TypeError as error:
        problem = str(error)
    raise TypeError(f"the agent `{name}` is {agent!r}: {WHAT_IS_ONE}" if not callable(agent) else f"the agent `{name}`: {problem}")


def agent_of(name: str) -> tuple[Any, AgentTurns]:
    """The agent of a test, and its conversation.

    Raises:
        AgentError: If none has this name.
        TypeError: If its factory gives no agent.
    """
    known = _registered.get(name)
    if known is None:
        raise AgentError(unknown_agent(name))
    agent = known.make()
    return agent, turns_of(name, agent)


def unknown_agent(name: str) -> str:
    """The message about a name that no agent has."""
    how = f"call `ananke_test.register_agent({name!r}, agent)` in a conftest.py"
    if not _registered:
        return f"no agent is registered, so there is no `{name}`: {how}"
    near = difflib.get_close_matches(name, _registered, 1)
    question = f" Did you mean `{near[0]}`?" if near else ""
    names = ", ".join(f"`{other}`" for other in _registered)
    return f"no agent `{name}` is registered.{question} Those of this process are {names}: {how}"


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
            agent, turns = agent_of(params["agent"])
            self._own = ExternalCallbacks(self._program, turns, ConversationState(agent))
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
        has_frames = _keep_frames_of_agent(shown)
        # A thread goes on after its time: nothing shows where it is. The report has the error itself.
        return "".join(shown.format()) if has_frames else None

    def end(self) -> None:
        """Ends the conversation."""
        if self._own is not None:
            asyncio.run_coroutine_threadsafe(self._own.close(), background_loop())


def _keep_frames_of_agent(shown: traceback.TracebackException) -> bool:
    """Removes frames of this package, also from the errors that an error has as its cause or its context; whether any are left."""
    errors: list[traceback.TracebackException | None] = [shown]
    has_frames = False
    while errors:
        error = errors.pop()
        if error is not None:
            error.stack[:] = [frame for frame in error.stack if os.path.dirname(frame.filename) != OWN_DIRECTORY]
            has_frames = has_frames or bool(error.stack)
            errors += [error.__cause__, error.__context__, *(getattr(error, "exceptions", None) or [])]
    return has_frames


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
