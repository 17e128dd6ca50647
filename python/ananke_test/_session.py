"""Conversations with an agent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from ananke_test import _adapters
from ananke_test._background import run_in_background
from ananke_test._connection import connection
from ananke_test._events import PendingAnswer
from ananke_test._function_llm import FunctionLLM
from ananke_test._mocks import mock_functions
from ananke_test._run_result import RunResult
from ananke_test._session_recording import recordings
from ananke_test._target import Target
from ananke_test._test_response import TestResponse

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

    from typing_extensions import Self

    from ananke_test._turn import AgentTurns

# pytest shows no frames of this file.
__tracebackhide__ = True

DEFAULT_INSTRUCTIONS = "You are a helpful assistant."

TARGET_OF_CONFIG: Any = object()
"""Says that no agent is given: the default target of the config is meant. `None` is a mistake of the caller."""


class Conversation(Protocol):
    """The other side of a session."""

    async def start(self) -> None: ...

    async def run(self, text: str) -> RunResult: ...

    async def resume(self, answers: list[PendingAnswer]) -> RunResult: ...

    async def close(self) -> None: ...


class TestSession:
    """A conversation with an agent: `async with TestSession(agent=…) as session: await session.run("Hello")`.

    `agent` is an agent of pydantic-ai or of the OpenAI Agents SDK, a function of one `turn`, or whatever `llm` may be. `llm` is a
    `FunctionLLM`, a `Target`, an `OpenAILLM`, such an agent, or an LLM object of Vision-Agents. Without both it is the default
    target of the nearest `ananke.config.yaml`, as `Target()` is. A turn of an agent of this process may take `timeout` seconds.
    """

    __test__ = False

    def __init__(
        self,
        llm: Any = TARGET_OF_CONFIG,
        instructions: str = DEFAULT_INSTRUCTIONS,
        *,
        agent: Any = TARGET_OF_CONFIG,
        timeout: float | None = None,
    ) -> None:
        if llm is not TARGET_OF_CONFIG and agent is not TARGET_OF_CONFIG:
            raise TypeError("a session has an `agent` or an `llm`, not both")
        self._is_function = False
        if agent is not TARGET_OF_CONFIG:
            self._is_function = not _is_llm(agent)
            llm = agent
        self.llm = Target() if llm is TARGET_OF_CONFIG else llm
        self.instructions = instructions
        self.timeout = timeout
        self._conversation: Conversation | None = None
        self._turn: asyncio.Lock | None = None
        self._is_closed = False
        self._in_words = "`async with TestSession(…) as session`, or `await session.start()`"
        """The ways to start it."""

    @classmethod
    def from_agent(cls, agent: Any) -> Self:
        """A session with the LLM and the instructions of an agent that has `llm` and `instructions`."""
        instructions = getattr(agent, "instructions", None)
        text = getattr(instructions, "full_reference", instructions)
        return cls(agent.llm, text) if text is not None else cls(agent.llm)

    async def start(self) -> None:
        """Begins the conversation. It may be called twice.

        Raises:
            ValueError: If something is wrong with the target or its config.
            ProgramError: If the program `ananke` cannot be started.
        """
        if self._conversation is None:
            conversation = self._begin()
            await conversation.start()
            self._turn = asyncio.Lock()
            self._conversation = conversation

    def _begin(self) -> Conversation:
        from ananke_test._external import ExternalConversation
        from ananke_test._served import ServedConversation

        llm = self.llm
        if isinstance(llm, (FunctionLLM, Target)):
            config = llm.config if isinstance(llm, Target) else None
            return ServedConversation(connection(config), llm, self.instructions, recordings.next_keys())
        turns = self.turns()
        return ExternalConversation(connection(), llm, turns, self.timeout, recordings.next_keys())

    def turns(self) -> AgentTurns:
        """The turns of an agent of this process: what adapters give.

        Raises:
            TypeError: If it is none.
        """
        from ananke_test._agent_function import FunctionTurns

        instructions = self.instructions if self.instructions != DEFAULT_INSTRUCTIONS else None
        if self._is_function:
            if instructions is not None:
                raise TypeError("a function is an agent with instructions of its own: leave out `instructions`")
            function: Any = self.llm
            return FunctionTurns(function)
        adapter = _adapters.adapter_of(self.llm)
        if adapter is not None:
            return adapter.begin(self.llm, instructions)
        what = _adapters.WHAT_IS_AN_LLM
        if callable(self.llm):
            what += "; a function of messages and tools is `llm=FunctionLLM(function)`, a function of one turn `agent=function`"
        raise TypeError(f"a session with {self.llm!r} is not possible: {what}")

    async def close(self) -> None:
        """Ends the conversation. It may be called twice."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            self._is_closed = True
            await conversation.close()

    async def run(self, user_input: str) -> RunResult:
        """Says something to the agent, and waits for the end of its turn. A second call waits for the first.

        Raises:
            RuntimeError: If the session is not started.
            AgentError: If the turn does not end as it should; an error of the model or of an agent of this process is raised as
                it is, and the session is over. The error of such an agent has the events before it as `error.events`.
        """
        self._started()
        if not isinstance(user_input, str):
            raise TypeError(f"the input of the user is a text (str), this is {user_input!r}")
        assert self._turn is not None
        async with self._turn:
            result = await self._started().run(user_input)
        result.say_events()
        return result

    async def simple_response(self, text: str) -> TestResponse:
        """The same as `run`, with the result that tests for Vision-Agents expect."""
        began = time.monotonic()
        return TestResponse.of(await self.run(text), began)

    def mock_functions(self, mocks: Mapping[str, Callable[..., Any]]) -> AbstractContextManager[dict[str, AsyncMock]]:
        """Replaces tools of the agent until the end of a block, as `mock_functions` of Vision-Agents does."""
        return mock_functions(self.llm, mocks)

    async def resume(self, answers: PendingAnswer | Sequence[PendingAnswer]) -> RunResult:
        """Answers what the agent waits for (`result.interrupts`), and waits for the end of its turn.

        Raises:
            ValueError: If the answers do not fit what is open.
            RuntimeError, AgentError: As `run`.
        """
        self._started()
        given = [answers] if isinstance(answers, PendingAnswer) else list(answers)
        assert self._turn is not None
        async with self._turn:
            result = await self._started().resume(given)
        result.say_events()
        return result

    def _started(self) -> Conversation:
        if self._conversation is None:
            if self._is_closed:
                raise RuntimeError("the session is not started: it was closed. Use it inside the block that starts it")
            raise RuntimeError(f"the session is not started: use {self._in_words}")
        return self._conversation

    @property
    def agent(self) -> Any:
        """The agent; the same as `llm`."""
        return self.llm

    @property
    def sync(self) -> SyncTestSession:
        """The same conversation, for plain functions."""
        return SyncTestSession.of(self)

    def __repr__(self) -> str:
        return f"TestSession(llm={self.llm!r})"

    if not TYPE_CHECKING:

        def __enter__(self) -> Self:
            raise TypeError("a TestSession is for async tests: use `async with`, or in a plain function `with SyncTestSession(…)`")

        def __exit__(self, *error: object) -> None: ...

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


class SyncTestSession:
    """A `TestSession` for tests that are plain functions: `with SyncTestSession(llm=…) as session: session.run("Hello")`."""

    __test__ = False

    def __init__(
        self,
        llm: Any = TARGET_OF_CONFIG,
        instructions: str = DEFAULT_INSTRUCTIONS,
        *,
        agent: Any = TARGET_OF_CONFIG,
        timeout: float | None = None,
    ) -> None:
        self._session = TestSession(llm, instructions, agent=agent, timeout=timeout)
        self._session._in_words = "`with SyncTestSession(…) as session`, or `session.start()`"

    @classmethod
    def from_agent(cls, agent: Any) -> Self:
        """As `TestSession.from_agent`."""
        session = TestSession.from_agent(agent)
        return cls(session.llm, session.instructions)

    @classmethod
    def of(cls, session: TestSession) -> Self:
        """The same conversation, for plain functions."""
        made = cls(Target())
        made._session = session
        return made

    @property
    def llm(self) -> Any:
        """The agent."""
        return self._session.llm

    @property
    def agent(self) -> Any:
        """The agent."""
        return self._session.llm

    @property
    def instructions(self) -> str:
        """The system message of a bare model."""
        return self._session.instructions

    def start(self) -> None:
        """As `TestSession.start`."""
        run_in_background(self._session.start())

    def close(self) -> None:
        """As `TestSession.close`."""
        run_in_background(self._session.close())

    def run(self, user_input: str) -> RunResult:
        """As `TestSession.run`."""
        return run_in_background(self._session.run(user_input))

    def simple_response(self, text: str) -> TestResponse:
        """As `TestSession.simple_response`."""
        return run_in_background(self._session.simple_response(text))

    def mock_functions(self, mocks: Mapping[str, Callable[..., Any]]) -> AbstractContextManager[dict[str, AsyncMock]]:
        """As `TestSession.mock_functions`."""
        return self._session.mock_functions(mocks)

    def resume(self, answers: PendingAnswer | Sequence[PendingAnswer]) -> RunResult:
        """As `TestSession.resume`."""
        return run_in_background(self._session.resume(answers))

    def __repr__(self) -> str:
        return f"SyncTestSession(llm={self.llm!r})"

    if not TYPE_CHECKING:

        async def __aenter__(self) -> Self:
            raise TypeError("a SyncTestSession is for plain functions: use `with`, or in an async test `async with TestSession(…)`")

        async def __aexit__(self, *error: object) -> None: ...

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def _is_llm(agent: Any) -> bool:
    """Whether an agent is one of those that `llm` may be."""
    return isinstance(agent, (FunctionLLM, Target)) or _adapters.adapter_of(agent) is not None
