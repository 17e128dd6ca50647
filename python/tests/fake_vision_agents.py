"""The part of Vision-Agents that the adapter uses, as release 0.6.9 has it, and as older ones do."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
import types
import typing
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

LOGGER = logging.getLogger("vision_agents.plugins.fake")


@dataclass
class ToolStartEvent:
    """The begin of a call."""

    tool_name: str
    arguments: dict[str, Any] | None
    tool_call_id: str | None


@dataclass
class ToolEndEvent:
    """The end of a call."""

    tool_name: str
    success: bool
    result: Any
    error: str | None
    tool_call_id: str | None
    execution_time_ms: float


@dataclass
class LLMErrorEvent:
    """A request that failed: the answer is empty."""

    error: Exception
    error_code: str | None = None


@dataclass
class LLMResponseDelta:
    """A piece of an answer."""

    delta: str


@dataclass
class LLMResponseFinal:
    """An answer."""

    text: str


@dataclass
class Participant:
    """Who says something."""

    original: Any
    user_id: str
    id: str


class InMemoryConversation:
    """A conversation."""

    def __init__(self, instructions: str, messages: list[Any]) -> None:
        self.messages = messages

    async def send_message(self, role: str, user_id: str, content: str) -> None:
        self.messages.append((role, content))


@dataclass
class Unreported:
    """The reply of an LLM that only logs the error of a request."""

    error: Exception


class Events:
    """Handlers are tasks, and are found by the annotation of their parameter."""

    def __init__(self) -> None:
        self.handlers: list[Callable[[Any], Any]] = []
        self.tasks: list[asyncio.Task[Any]] = []

    def subscribe(self, handler: Callable[[Any], Any]) -> None:
        assert inspect.iscoroutinefunction(handler)
        assert typing.get_type_hints(handler)["event"]
        self.handlers.append(handler)

    def unsubscribe(self, handler: Callable[[Any], Any]) -> None:
        self.handlers.remove(handler)

    def send(self, event: Any) -> None:
        for handler in self.handlers:
            hint = typing.get_type_hints(handler)["event"]
            if isinstance(event, typing.get_args(hint) or hint):
                self.tasks.append(asyncio.ensure_future(handler(event)))

    async def wait(self, timeout: float) -> None:
        await asyncio.wait_for(asyncio.gather(*self.tasks), timeout)
        self.tasks.clear()


class Registry:
    """Registered functions. Before some release, they were a private attribute."""

    def __init__(self, attribute: str) -> None:
        self._attribute = attribute
        setattr(self, attribute, {})

    def _entries(self) -> dict[str, Any]:
        entries: dict[str, Any] = getattr(self, self._attribute)
        return entries

    def register(self, name: str) -> Callable[[Any], Any]:
        def register(function: Any) -> Any:
            self._entries()[name] = SimpleNamespace(function=function)
            return function

        return register

    def get_callable(self, name: str) -> Any:
        return self._entries()[name].function

    async def call_function(self, name: str, arguments: dict[str, Any]) -> Any:
        return await self._entries()[name].function(**arguments)


class FakeLLM:
    """An LLM whose replies a test gives: a text, calls as `(name, arguments)`, an exception, one that is `Unreported`, or a
    function of the LLM that is awaited before the next reply.
    """

    FUNCTIONS = "functions"

    def __init__(self, *replies: Any) -> None:
        self.events = Events()
        self.function_registry: Any = Registry(self.FUNCTIONS)
        self.replies = list(replies)
        self.asked: list[tuple[str, Any, list[Any]]] = []
        self._instructions: Any = "its own"
        self._conversation: Any = None

    def set_instructions(self, text: str) -> None:
        self._instructions = text

    def set_conversation(self, conversation: Any) -> None:
        self._conversation = conversation

    def register_function(self, name: str) -> Callable[[Any], Any]:
        registered: Callable[[Any], Any] = self.function_registry.register(name)
        return registered

    def handlers(self) -> list[Any]:
        """The handlers of its events."""
        return list(self.events.handlers)

    async def _call(self, name: str, arguments: dict[str, Any], number: str) -> None:
        self.events.send(ToolStartEvent(name, arguments, number))
        try:
            result = await self.function_registry.get_callable(name)(**arguments)
            self.events.send(ToolEndEvent(name, True, result, None, number, 1.0))
        except Exception as error:
            self.events.send(ToolEndEvent(name, False, None, str(error), number, 1.0))

    async def _answer(self, text: str, participant: Any) -> str:
        if participant is None:
            await self._conversation.send_message("user", "user", text)
        self.asked.append((self._instructions, participant, list(self._conversation.messages)))
        while True:
            reply = self.replies.pop(0)
            if isinstance(reply, Unreported):
                LOGGER.error("failed", exc_info=reply.error)
                return ""
            if isinstance(reply, Exception):
                self.events.send(LLMErrorEvent(reply))
                return ""
            if isinstance(reply, str):
                return reply
            if inspect.iscoroutinefunction(reply):
                await reply(self)
                continue
            await asyncio.gather(*(self._call(name, arguments, str(index)) for index, (name, arguments) in enumerate(reply)))


class ReleasedLLM(FakeLLM):
    """As in release 0.6.9."""

    async def simple_response(self, text: str, participant: Any = None) -> AsyncIterator[Any]:
        answer = await self._answer(text, participant)
        yield LLMResponseDelta(answer[:1])
        yield LLMResponseFinal(answer)


class OlderLLM(FakeLLM):
    """As before: a coroutine, and a private registry."""

    FUNCTIONS = "_functions"

    async def simple_response(self, text: str, participant: Any = None) -> Any:
        return SimpleNamespace(text=await self._answer(text, participant))


class Realtime(ReleasedLLM):
    """Gives no text."""


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the modules where the adapter finds them."""
    contents: dict[str, list[type]] = {
        "vision_agents.core.llm.events": [ToolStartEvent, ToolEndEvent, LLMErrorEvent],
        "vision_agents.core.agents.conversation": [InMemoryConversation],
        "vision_agents.core.edge.types": [Participant],
    }
    for name, kinds in contents.items():
        module = types.ModuleType(name)
        for kind in kinds:
            setattr(module, kind.__name__, kind)
        monkeypatch.setitem(sys.modules, name, module)
