"""LLM objects of the real package `vision-agents`, where it is installed, with the replies of the fake."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from tests.fake_vision_agents import LOGGER, Unreported

if TYPE_CHECKING:
    from tests.fake_vision_agents import FakeLLM

IS_INSTALLED = find_spec("vision_agents") is not None


class Replies:
    """What the fake has of an LLM of the package, whose class comes after this one."""

    def __init__(self, *replies: Any) -> None:
        super().__init__()
        self.own: Any = self
        self.replies = list(replies)
        self.asked: list[tuple[str, Any, list[Any]]] = []
        self._instructions: Any = "its own"

    def register_function(self, name: str) -> Callable[[Any], Any]:
        registered: Callable[[Any], Any] = self.own.function_registry.register(name)
        return registered

    def handlers(self) -> list[Any]:
        """The handlers of its events."""
        return [handler for handlers in self.own.events._handlers.values() for handler in handlers]

    async def simple_response(self, text: str, participant: Any = None) -> AsyncIterator[Any]:
        """Answers as plugins of the package do: they run tools with `_dedup_and_execute`, and report errors with `on_llm_error`."""
        kinds: Any = import_module("vision_agents.core.llm.llm")
        conversation = self.own._conversation
        if participant is None and conversation is not None:
            await conversation.send_message(role="user", user_id="user", content=text)
        said = [(message.role, message.content) for message in (conversation.messages if conversation is not None else [])]
        self.asked.append((self._instructions, participant, said))
        while True:
            reply = self.replies.pop(0)
            if isinstance(reply, str):
                yield kinds.LLMResponseDelta(delta=reply[:1])
                yield kinds.LLMResponseFinal(text=reply)
                return
            if inspect.iscoroutinefunction(reply):
                await reply(self.own)
                continue
            if isinstance(reply, Exception) and not hasattr(self.own, "on_llm_error"):
                # Plugins of release 0.6.0 only log errors.
                LOGGER.error("failed", exc_info=reply)
            elif isinstance(reply, Unreported):
                LOGGER.error("failed", exc_info=reply.error)
            elif isinstance(reply, Exception):
                self.own.on_llm_error(error=reply)
            else:
                items = [
                    {"type": "tool_call", "id": str(index), "name": name, "arguments_json": arguments}
                    for index, (name, arguments) in enumerate(reply)
                ]
                await self.own._dedup_and_execute(items)
                continue
            yield kinds.LLMResponseFinal(text="")
            return


def real_kinds() -> list[type[FakeLLM]]:
    """The kind of LLMs of the package; none where it is not installed."""
    if not IS_INSTALLED:
        return []
    base: Any = import_module("vision_agents.core.llm.llm").LLM
    return [cast("type[FakeLLM]", type("RealLLM", (Replies, base), {}))]


def real_agent(llm: Any, instructions: str) -> Any:
    """An agent of the package, which neither speaks nor joins a call."""
    core = import_module("vision_agents.core")
    edge = import_module("vision_agents.core.edge.edge_transport").EdgeTransport
    tts = import_module("vision_agents.core.tts.tts").TTS
    return core.Agent(
        edge=_offline(edge),
        llm=llm,
        agent_user=core.User(id="agent", name="agent"),
        instructions=instructions,
        tts=_offline(tts),
        multi_speaker_filter=object(),
    )


def _offline(kind: Any) -> Any:
    methods = {name: lambda self, *args, **arguments: None for name in kind.__abstractmethods__}
    return type(f"Offline{kind.__name__}", (kind,), methods)()
