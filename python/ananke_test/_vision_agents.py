"""LLM objects of Vision-Agents (`pip install 'ananke-test[vision-agents]'`), as their own events and their functions show them.

Releases differ: `simple_response` is a coroutine or an async generator. Classes of the package are taken from where the object's
own class has imported them, so that this module imports nothing of it.
"""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import inspect
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ananke_test._errors import AgentError
from ananke_test._turn import Turn
from ananke_test._vision_functions import EVENTS, RegisteredFunction, announce, functions_of, watching

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

# pytest shows no frames of this file.
__tracebackhide__ = True

USER = "test-user"

LAST_EVENTS = 10.0
"""The longest time for handlers of events after an answer, in seconds."""

HISTORIES = ("openai_conversation", "chat", "xai_chat")
"""The attributes in which plugins refer to a history of their own, which they create if there is none."""

_CONVERSATION = "vision_agents.core.agents.conversation"
_EDGE = "vision_agents.core.edge.types"
_PLUGINS = "vision_agents.plugins"

_missing = object()

_asked: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("asked LLMs", default=())
"""The LLMs that are being asked, the last one last."""

_locks: WeakKeyDictionary[Any, WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]] = WeakKeyDictionary()


class LentLLM:
    """An LLM that has the instructions and the history of one conversation for a while."""

    def __init__(self, llm: Any, instructions: str) -> None:
        self.llm = llm
        self._instructions = instructions
        self.conversation = importlib.import_module(_CONVERSATION).InMemoryConversation(instructions=instructions, messages=[])
        self._histories: dict[str, Any] = {
            name: None for name in HISTORIES if hasattr(llm, name) and not callable(getattr(llm, name))
        }

    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[None, None]:
        """Gives the LLM what is of this conversation, and gives back what it had. Others wait."""
        llm = self.llm
        if any(asked is llm for asked in _asked.get()):
            raise RuntimeError("the LLM is asked by one of its own functions: give that session another LLM object")
        async with _lock_of(llm):
            before = {name: getattr(llm, name, _missing) for name in ("_instructions", "_conversation", *self._histories)}
            token = _asked.set((*_asked.get(), llm))
            try:
                llm.set_instructions(self._instructions)
                llm.set_conversation(self.conversation)
                for name, history in self._histories.items():
                    _give_back(llm, name, history)
                yield
            finally:
                for name in self._histories:
                    self._histories[name] = getattr(llm, name, None)
                for name, value in before.items():
                    _give_back(llm, name, value)
                _asked.reset(token)

    async def ask(self, text: str, participant: Any, on_event: Callable[[Any], None] | None = None) -> str:
        """The answer to a text, after all events about it.

        Raises:
            Exception: The error of the request, which some LLMs report as an event or only log, with an empty answer.
        """
        llm, errors = self.llm, list[Any]()
        kinds = importlib.import_module(EVENTS)
        failed = getattr(kinds, "LLMErrorEvent", None)

        async def take(event: Any) -> None:
            if failed is not None and isinstance(event, failed):
                errors.append(event)
            elif on_event is not None:
                on_event(event)

        # Handlers are found by the classes in their annotations.
        take.__annotations__ = {"event": _union([kinds.ToolStartEvent, kinds.ToolEndEvent, failed]), "return": None}
        logged = LoggedErrors(llm)
        logger = logging.getLogger(_PLUGINS)
        llm.events.subscribe(take)
        logger.addHandler(logged)
        try:
            arguments = {"participant": participant} if participant is not None else {}
            try:
                answer = await answer_of(llm.simple_response(text=text, **arguments))
            except Exception:
                # The events before it are on their way, too.
                await llm.events.wait(LAST_EVENTS)
                raise
            await llm.events.wait(LAST_EVENTS)
        finally:
            logger.removeHandler(logged)
            llm.events.unsubscribe(take)
        if errors:
            raise _error(errors[0])
        if not answer and logged.errors:
            raise _public(logged.errors[0])
        return answer


class LoggedErrors(logging.Handler):
    """The exceptions that a plugin logs while an LLM is asked: some log a failed request, and answer nothing."""

    def __init__(self, llm: Any) -> None:
        super().__init__(logging.ERROR)
        self._llm = llm
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps the exception of a record."""
        asked = _asked.get()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and asked and asked[-1] is self._llm:
            self.errors.append(error)


class VisionAgentsTurns:
    """A conversation with such an LLM."""

    def __init__(self, llm: Any, instructions: str | None) -> None:
        if any(kind.__name__ == "Realtime" for kind in type(llm).__mro__):
            raise TypeError("a realtime LLM of Vision-Agents gives no text: test an LLM with the same instructions and functions")
        self._llm = LentLLM(llm, instructions if instructions is not None else "You are a helpful assistant.")

    async def take(self, turn: Turn) -> None:
        """Says something to the LLM, which has no interrupts that could be answered."""
        text = turn.input or ""
        llm = self._llm.llm
        # Without a participant, some LLMs add the message of the user once more.
        participant = importlib.import_module(_EDGE).Participant(original=None, user_id=USER, id=USER)
        conversation = self._llm.conversation
        async with self._llm.lent():
            await conversation.send_message(role="user", user_id=USER, content=text)
            with watching(llm, turn):
                answer = await self._llm.ask(text, participant, lambda event: announce(llm, event))
        if answer:
            turn.say(answer)
            await conversation.send_message(role="assistant", user_id="assistant", content=answer)

    async def close(self) -> None:
        """Needs nothing: a run gives back what it has changed."""


class VisionAgentsAdapter:
    """LLM objects of Vision-Agents."""

    def begin(self, llm: Any, instructions: str | None) -> VisionAgentsTurns:
        """A conversation of its own."""
        return VisionAgentsTurns(llm, instructions)

    def tool_names(self, llm: Any) -> list[str]:
        """The registered functions."""
        return list(functions_of(llm))

    def replace_tools(self, llm: Any, mocks: Mapping[str, AsyncMock]) -> Callable[[], None]:
        """Replaces functions in the registry, which is read at each call."""
        functions = functions_of(llm)
        with ExitStack() as undo:
            for name in mocks:
                undo.enter_context(RegisteredFunction.of(llm, name, functions[name]).mocked())
            return undo.pop_all().close

    async def judge(self, llm: Any, instructions: str, question: str) -> str:
        """The answer to a question, in a conversation of its own."""
        asked = LentLLM(llm, instructions)
        async with asked.lent():
            # Without a participant, it adds the question itself, if it keeps a history.
            return await asked.ask(question, None)


async def answer_of(response: Any) -> str:
    """The text of a response: of a coroutine, or of the last item of an async generator."""
    if inspect.isawaitable(response):
        return str(getattr(await response, "text", None) or "")
    last: Any = None
    try:
        async for item in response:
            last = item
    finally:
        if hasattr(response, "aclose"):
            await response.aclose()
    # Deltas have no such name, whichever release it is.
    if last is None or not type(last).__name__.endswith("Final"):
        raise AgentError("the LLM ended without a final response")
    return str(last.text or "")


async def collect_simple_response(it: AsyncIterable[Any]) -> tuple[list[Any], Any]:
    """The deltas and the final response that `simple_response` of an LLM of Vision-Agents yields.

    Raises:
        ValueError: If there is no final response.
    """
    deltas = list[Any]()
    final: Any = None
    async for item in it:
        if any(kind.__name__ == "LLMResponseDelta" for kind in type(item).__mro__):
            deltas.append(item)
        else:
            final = item
    if final is None:
        raise ValueError("simple_response() ended without a final response")
    return deltas, final


def _error(event: Any) -> Exception:
    original = getattr(event, "error", None)
    if isinstance(original, BaseException):
        return _public(original)
    return AgentError(f"the LLM failed: {original or getattr(event, 'error_code', None) or 'it does not say why'}")


def _public(original: BaseException) -> Exception:
    if isinstance(original, Exception) and not isinstance(original, AssertionError):
        return original
    failed = AgentError(f"the LLM failed: {original}")
    failed.__cause__ = original
    return failed


def _lock_of(llm: Any) -> asyncio.Lock:
    # The object of its events is never compared by value.
    locks = _locks.setdefault(llm.events, WeakKeyDictionary())
    return locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def _union(kinds: list[Any]) -> Any:
    known = [kind for kind in kinds if kind is not None]
    union = known[0]
    for kind in known[1:]:
        union = union | kind
    return union


def _give_back(llm: Any, name: str, value: Any) -> None:
    if value is not _missing:
        setattr(llm, name, value)
