"""LLM objects of Vision-Agents (`pip install 'ananke-test[vision-agents]'`), as their own events show them.

Releases differ: `simple_response` is a coroutine or an async generator, and the registry of functions has two layouts. Classes of
the package are taken from where the object's own class has imported them, so that this module imports nothing of it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ananke_test._errors import AgentError
from ananke_test._events import (
    ChatMessageEvent,
    FunctionCallEvent,
    FunctionCallOutputEvent,
    Interrupt,
    PendingAnswer,
    RunEvent,
)

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

USER = "test-user"

LAST_EVENTS = 10.0
"""The longest time for handlers of events after an answer, in seconds."""

_EVENTS = "vision_agents.core.llm.events"
_CONVERSATION = "vision_agents.core.agents.conversation"
_EDGE = "vision_agents.core.edge.types"

_missing = object()


class VisionAgentsTurns:
    """A conversation with such an LLM."""

    def __init__(self, llm: Any, instructions: str | None) -> None:
        if any(kind.__name__ == "Realtime" for kind in type(llm).__mro__):
            raise TypeError("a realtime LLM of Vision-Agents gives no text: test an LLM with the same instructions and functions")
        self._llm = llm
        self._instructions = instructions if instructions is not None else "You are a helpful assistant."
        self._conversation = importlib.import_module(_CONVERSATION).InMemoryConversation(
            instructions=self._instructions, messages=[]
        )

    async def run(self, text: str) -> tuple[list[RunEvent], list[Interrupt]]:
        """Says something to the LLM."""
        __tracebackhide__ = True
        llm, events, errors = self._llm, list[RunEvent](), list[Any]()
        kinds = importlib.import_module(_EVENTS)
        started, ended = kinds.ToolStartEvent, kinds.ToolEndEvent
        failed = getattr(kinds, "LLMErrorEvent", None)

        async def on_event(event: Any) -> None:
            if isinstance(event, started):
                events.append(FunctionCallEvent(event.tool_name, dict(event.arguments or {}), event.tool_call_id))
            elif isinstance(event, ended):
                events.append(_output(event))
            else:
                errors.append(event)

        # Handlers are found by the classes in their annotations.
        on_event.__annotations__ = {"event": _union([kind for kind in (started, ended, failed) if kind]), "return": None}
        # Each session has a conversation of its own, also if the sessions of one LLM alternate.
        before = (_attribute(llm, "_instructions"), _attribute(llm, "_conversation"))
        llm.set_instructions(self._instructions)
        llm.set_conversation(self._conversation)
        llm.events.subscribe(on_event)
        try:
            answer = await self._ask(text)
            await llm.events.wait(LAST_EVENTS)
        finally:
            llm.events.unsubscribe(on_event)
            _give_back(llm, "_instructions", before[0])
            _give_back(llm, "_conversation", before[1])
        if errors:
            raise _error(errors[0])
        if answer:
            events.append(ChatMessageEvent("assistant", answer))
            await self._conversation.send_message(role="assistant", user_id="assistant", content=answer)
        return events, []

    async def _ask(self, text: str) -> str:
        __tracebackhide__ = True
        await self._conversation.send_message(role="user", user_id=USER, content=text)
        # Without a participant, some LLMs add the message of the user once more.
        participant = importlib.import_module(_EDGE).Participant(original=None, user_id=USER, id=USER)
        return await answer_of(self._llm.simple_response(text=text, participant=participant))

    async def resume(self, answers: list[PendingAnswer]) -> tuple[list[RunEvent], list[Interrupt]]:  # noqa: ARG002 the protocol has it
        """Such an LLM waits for nothing."""
        raise ValueError("an LLM of Vision-Agents has no interrupts that could be answered")

    async def close(self) -> None:
        """Needs nothing: a run gives back what it has changed."""


class VisionAgentsAdapter:
    """LLM objects of Vision-Agents."""

    def begin(self, llm: Any, instructions: str | None) -> VisionAgentsTurns:
        """A conversation of its own."""
        return VisionAgentsTurns(llm, instructions)

    def tool_names(self, llm: Any) -> list[str]:
        """The registered functions."""
        return list(_functions(llm))

    def replace_tools(self, llm: Any, mocks: Mapping[str, AsyncMock]) -> Callable[[], None]:
        """Replaces functions in the registry, which is read at each call."""
        functions = _functions(llm)
        before = [(functions[name], functions[name].function, mock) for name, mock in mocks.items()]
        for entry, _, mock in before:
            entry.function = _awaited(mock)

        def restore() -> None:
            for entry, function, _ in before:
                entry.function = function

        return restore

    async def judge(self, llm: Any, instructions: str, question: str) -> str:
        """The answer to a question, without a conversation."""
        __tracebackhide__ = True
        before = (_attribute(llm, "_instructions"), _attribute(llm, "_conversation"))
        errors: list[Any] = []
        failed = getattr(importlib.import_module(_EVENTS), "LLMErrorEvent", None)

        async def on_error(event: Any) -> None:
            errors.append(event)

        on_error.__annotations__ = {"event": failed, "return": None}
        llm.set_instructions(instructions)
        _give_back(llm, "_conversation", None)
        if failed is not None:
            llm.events.subscribe(on_error)
        try:
            answer = await answer_of(llm.simple_response(text=question))
            if failed is not None:
                await llm.events.wait(LAST_EVENTS)
        finally:
            if failed is not None:
                llm.events.unsubscribe(on_error)
            _give_back(llm, "_instructions", before[0])
            _give_back(llm, "_conversation", before[1])
        if errors:
            raise _error(errors[0])
        return answer


async def answer_of(response: Any) -> str:
    """The text of a response: of a coroutine, or of the last item of an async generator."""
    __tracebackhide__ = True
    if inspect.isawaitable(response):
        return str(getattr(await response, "text", None) or "")
    last: Any = None
    async for item in response:
        last = item
    # Deltas have no such name, whichever release it is.
    if last is None or not type(last).__name__.endswith("Final"):
        raise AgentError("the LLM ended without a final response")
    return str(last.text or "")


def _functions(llm: Any) -> dict[str, Any]:
    registry = llm.function_registry
    for name in ("functions", "_functions"):
        functions: Any = getattr(registry, name, None)
        if isinstance(functions, dict):
            return cast("dict[str, Any]", functions)
    raise TypeError("this release of Vision-Agents keeps its functions in an unknown way")


def _awaited(mock: AsyncMock) -> Callable[..., Any]:
    # Some releases want a function that is async by its definition.
    async def call(*args: Any, **arguments: Any) -> Any:
        __tracebackhide__ = True
        return await mock(*args, **arguments)

    return call


def _output(event: Any) -> FunctionCallOutputEvent:
    output = event.result if event.success else {"error": str(event.error)}
    return FunctionCallOutputEvent(
        event.tool_name,
        output,
        not event.success,
        event.tool_call_id,
        getattr(event, "execution_time_ms", None),
    )


def _error(event: Any) -> Exception:
    original = getattr(event, "error", None)
    if isinstance(original, Exception) and not isinstance(original, AssertionError):
        return original
    failed = AgentError(f"the LLM failed: {original or getattr(event, 'error_code', None) or 'it does not say why'}")
    if isinstance(original, BaseException):
        failed.__cause__ = original
    return failed


def _union(kinds: list[Any]) -> Any:
    union = kinds[0]
    for kind in kinds[1:]:
        union = union | kind
    return union


def _attribute(llm: Any, name: str) -> Any:
    return getattr(llm, name, _missing)


def _give_back(llm: Any, name: str, value: Any) -> None:
    if value is not _missing:
        setattr(llm, name, value)
