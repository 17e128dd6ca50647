"""An agent that is a function of one turn."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

from ananke_test._background import Worker, is_async
from ananke_test._events import ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent
from ananke_test._turn import Turn, as_mapping

# pytest shows no frames of this file.
__tracebackhide__ = True

AN_AGENT = "an agent is a function of one `turn` (`def agent(turn): return …`), plain or async, or a generator of either kind"

WHAT_IT_GIVES = (
    "an agent returns a text, nothing, a chat message, or a list of its new messages; it yields pieces of a text, "
    "events such as FunctionCallEvent, or chat messages"
)

THREAD = "ananke agent"


class FunctionTurns:
    """A conversation with such an agent."""

    def __init__(self, agent: Callable[..., Any]) -> None:
        check_agent(agent)
        self._agent = agent
        # A thread of the session's own: what a plain function keeps there is that of this conversation.
        self._worker = Worker(THREAD)

    async def take(self, turn: Turn) -> None:
        """Makes a turn."""
        try:
            await self._make(turn)
        except (KeyboardInterrupt, SystemExit) as error:
            # An event loop ends at such an exception, and whoever waits for the turn would wait for ever.
            raise RuntimeError(f"the agent ended the program: {error!r}") from error

    async def _make(self, turn: Turn) -> None:
        if _is_async_generator(self._agent):
            await _stream(self._agent(turn), turn)
        elif is_async(self._agent):
            await self._take(await self._agent(turn), turn)
        else:
            # A client that blocks must not hold up the event loop, which the tools and their mocks need.
            await self._take(await self._worker.run(lambda: self._in_thread(turn)), turn)

    def _in_thread(self, turn: Turn) -> Any:
        turn.thread = THREAD
        try:
            return self._all_of(turn)
        finally:
            turn.thread = None

    def _all_of(self, turn: Turn) -> Any:
        given = self._agent(turn)
        if not inspect.isgenerator(given):
            return given
        while True:
            try:
                item = next(given)
            except StopIteration as end:
                return end.value
            take_item(item, turn)

    async def _take(self, given: Any, turn: Turn) -> None:
        # A lambda may give what a coroutine function or an async generator gives.
        if inspect.isawaitable(given):
            given = await given
        if inspect.isasyncgen(given):
            await _stream(given, turn)
            return
        take_result(given, turn)

    async def close(self) -> None:
        """Ends the thread, unless a turn in it goes on."""
        self._worker.close()


def check_agent(agent: Any) -> None:
    """Checks that a function takes one turn.

    Raises:
        TypeError: If it does not.
    """
    if not callable(agent):
        raise TypeError(f"{AN_AGENT}, this is {agent!r}")
    try:
        signature = inspect.signature(agent)
    except ValueError:
        # Some functions do not show what they take.
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise TypeError(f"{AN_AGENT}: {agent!r} cannot be called with a `turn` alone: {error}") from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [parameter for parameter in signature.parameters.values() if parameter.kind in kinds]
    if len(positional) > 1 and positional[1].default is inspect.Parameter.empty:
        raise TypeError(f"{AN_AGENT}: {agent!r} takes {len(positional)} parameters")


def _is_async_generator(function: Any) -> bool:
    return inspect.isasyncgenfunction(function) or inspect.isasyncgenfunction(getattr(function, "__call__", None))  # noqa: B004


async def _stream(items: AsyncIterator[Any], turn: Turn) -> None:
    try:
        async for item in items:
            take_item(item, turn)
    finally:
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()


def take_item(item: Any, turn: Turn) -> None:
    """Takes what a generator yields.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(item, str):
        turn.stream(item)
    elif isinstance(item, (ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent)):
        turn.take_event(item)
    elif as_mapping(item) is not None:
        _take_message(item, turn)
    else:
        raise TypeError(f"the agent has yielded {_shown(item)}: {WHAT_IT_GIVES}")


def take_result(result: Any, turn: Turn) -> None:
    """Takes what a function returns.

    Raises:
        TypeError: If it is something else.
    """
    if result is None:
        return
    if isinstance(result, str):
        turn.say(result)
    elif as_mapping(result) is not None:
        _take_message(result, turn)
    elif isinstance(result, (list, tuple)) and not isinstance(result, str):
        for message in cast("list[Any]", result):
            if as_mapping(message) is None:
                raise TypeError(f"the agent has returned a list with {_shown(message)}: {WHAT_IT_GIVES}")
            _take_message(message, turn)
    else:
        raise TypeError(f"the agent has returned {_shown(result)}: {WHAT_IT_GIVES}")


def _take_message(message: Any, turn: Turn) -> None:
    """Reports a message of chat completions: its text, then its calls; or a result."""
    role, content = message.get("role", "assistant"), message.get("content")
    if role == "user" and content == turn.input:
        # Frameworks list what the user said among the new messages.
        return
    if content is not None and not isinstance(content, str):
        raise TypeError(f"the `content` of a chat message is a text, this is {_shown(content)}")
    if role == "tool":
        number = message.get("tool_call_id")
        if not isinstance(number, str):
            raise TypeError(f"a message of a tool needs its `tool_call_id`: {_shown(message)}")
        turn.report_result(number, number, _json_of(content or ""), None)
        return
    if role != "assistant":
        raise TypeError(f"a new message of the agent has the role `assistant` or `tool`, this is {_shown(message)}")
    calls: Any = message.get("tool_calls") or []
    if content is None and not calls:
        raise TypeError(f"the message {_shown(message)} has neither `content` nor `tool_calls`")
    turn.say(content or "")
    for call in calls:
        given = as_mapping(call) or {}
        function = as_mapping(given.get("function")) or {}
        number, name = given.get("id"), function.get("name")
        if not isinstance(number, str) or not isinstance(name, str):
            raise TypeError(f"the call {_shown(call)} needs an `id` and a `function` with a `name`")
        arguments = function.get("arguments", {})
        turn.report_call(number, name, _json_of(arguments) if isinstance(arguments, str) else arguments)


def _json_of(text: str) -> Any:
    """The JSON that a text of the protocol is, or the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
