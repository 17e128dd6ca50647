"""A model that is a function of the test."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Mapping
from typing import Any, cast

from ananke_test._background import called
from ananke_test._tools import ToolRegistry

# pytest shows no frames of this file.
__tracebackhide__ = True

A_MODEL = "a function of messages and tools (`def model(messages, tools)`)"

A_REPLY = (
    'a reply is a text, or a message with `content` (a text), `tool_calls` or both: {"content": "Hello"} or '
    '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}]}'
)


class FunctionLLM(ToolRegistry):
    """A model that is a function, plain or async: `function(messages, tools)` gives the next reply.

    Messages and tools are those of chat completions. Tools are registered with `register_function`; ananke executes the calls of a
    reply, all at once, and asks again with their results.
    """

    def __init__(self, function: Callable[[list[dict[str, Any]], list[dict[str, Any]]], Any]) -> None:
        super().__init__()
        if not callable(function):
            raise TypeError(f"the model is {A_MODEL}, this is {function!r}")
        try:
            inspect.signature(function).bind([], [])
        except TypeError as error:
            raise TypeError(f"the model is {A_MODEL}, and {function!r} cannot be called so: {error}") from None
        except ValueError:
            # Some functions do not show what they take.
            pass
        self.function = function

    async def reply(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        """The next message of the assistant.

        Raises:
            TypeError: If the function gave something else.
        """
        return as_message(await called(self.function, messages, tools))


def as_message(reply: object) -> dict[str, Any]:
    """A reply as a message.

    Raises:
        TypeError: If it is not one, with what a reply is.
    """
    if isinstance(reply, str):
        return {"content": reply}
    if not isinstance(reply, Mapping):
        raise TypeError(f"the model replied with {_shown(reply)}: {A_REPLY}")
    message = cast("Mapping[str, Any]", reply)
    content, calls = message.get("content"), message.get("tool_calls")
    if content is not None and not isinstance(content, str):
        raise TypeError(f"the `content` of the reply is {_shown(content)}: {A_REPLY}")
    if calls is not None and not isinstance(calls, (list, tuple)):
        raise TypeError(f"the `tool_calls` of the reply are {_shown(calls)}: {A_REPLY}")
    if content is None and not calls:
        raise TypeError(f"the reply {_shown(message)} has neither `content` nor `tool_calls`: {A_REPLY}")
    made: dict[str, Any] = {}
    if content is not None:
        made["content"] = content
    if calls:
        made["tool_calls"] = [_as_call(call) for call in cast("list[object]", calls)]
    return made


def _as_call(call: object) -> dict[str, Any]:
    whole = call
    given = cast("Mapping[str, Any]", call) if isinstance(call, Mapping) else dict[str, Any]()
    function: object = given.get("function")
    keys = cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else dict[str, Any]()
    if not isinstance(keys.get("name"), str):
        raise TypeError(f"the call {_shown(whole)} has no `function` with a `name`: {A_REPLY}")
    arguments = keys.get("arguments", "{}")
    number = given.get("id")
    return {
        "id": str(number) if number is not None else f"call_{uuid.uuid4().hex[:12]}",
        "type": "function",
        "function": {
            "name": keys["name"],
            "arguments": arguments if isinstance(arguments, str) else _as_json(arguments),
        },
    }


def _as_json(arguments: object) -> str:
    import json

    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the arguments {_shown(arguments)} of a call are not JSON: {error}") from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
