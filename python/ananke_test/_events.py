"""The events of a run."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

# pytest shows no frames of this file.
__tracebackhide__ = True

SHOWN = 100
"""The number of characters of a text that a message shows."""


@dataclass
class ChatMessageEvent:
    """A message."""

    role: str
    content: str
    type: Literal["message"] = field(default="message", init=False)


@dataclass
class FunctionCallEvent:
    """A call to a tool."""

    name: str
    arguments: dict[str, Any]
    tool_call_id: str | None = None
    type: Literal["function_call"] = field(default="function_call", init=False)


@dataclass
class FunctionCallOutputEvent:
    """The result of a call; of a call that failed, `{"error": …}`."""

    name: str
    output: Any
    is_error: bool = False
    tool_call_id: str | None = None
    execution_time_ms: float | None = None
    type: Literal["function_call_output"] = field(default="function_call_output", init=False)


RunEvent = ChatMessageEvent | FunctionCallEvent | FunctionCallOutputEvent
"""An event of a run."""


@dataclass(frozen=True)
class Interrupt:
    """Something that the agent waits for. `session.resume` answers it."""

    id: str
    reason: str | None = None
    message: str | None = None
    tool_call_id: str | None = None


@dataclass(frozen=True)
class PendingAnswer:
    """The answer to an interrupt: the only one that is open, or the one with this `id`, or that of a call to this `tool`."""

    payload: Any = None
    id: str | None = None
    tool: str | None = None
    cancelled: bool = False

    def to_json(self) -> dict[str, Any]:
        """The answer as the protocol has it."""
        keys = {"id": self.id, "tool": self.tool}
        answer: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        if self.cancelled:
            answer["cancelled"] = True
        else:
            answer["payload"] = self.payload
        return answer


def from_json(event: dict[str, Any]) -> RunEvent:
    """The event as the protocol has it."""
    kind = event["type"]
    if kind == "message":
        return ChatMessageEvent(event.get("role", "assistant"), event["content"])
    if kind == "function_call":
        return FunctionCallEvent(event["name"], event.get("arguments"), event.get("tool_call_id"))  # type: ignore[arg-type]
    return FunctionCallOutputEvent(
        event["name"],
        event.get("output"),
        event.get("is_error", False),
        event.get("tool_call_id"),
        event.get("execution_time_ms"),
    )


def to_json(event: RunEvent) -> dict[str, Any]:
    """The event for the protocol.

    Raises:
        TypeError, ValueError: If it has something that is not JSON.
    """
    if isinstance(event, ChatMessageEvent):
        return {"type": "message", "role": event.role, "content": event.content}
    view: dict[str, Any] = {"type": event.type, "name": event.name}
    if event.tool_call_id is not None:
        view["tool_call_id"] = event.tool_call_id
    if isinstance(event, FunctionCallEvent):
        view["arguments"] = event.arguments
    else:
        view |= {"output": event.output, "is_error": event.is_error}
        if event.execution_time_ms is not None:
            view["execution_time_ms"] = event.execution_time_ms
    return view


def short(event: RunEvent) -> str:
    """The event in a sentence."""
    if isinstance(event, ChatMessageEvent):
        return f"a message of the {event.role} `{truncated(event.content, SHOWN)}`"
    if isinstance(event, FunctionCallEvent):
        return f"a call to {event.name}"
    return f"an output of {event.name}"


def line(event: RunEvent) -> str:
    """The event on a line of a list."""
    if isinstance(event, ChatMessageEvent):
        text = f"message ({event.role}): {event.content}"
    elif isinstance(event, FunctionCallEvent):
        text = f"function call: {event.name}({shown(event.arguments)})"
    else:
        error = "error: " if event.is_error else ""
        text = f"function call output: {event.name} → {error}{shown(event.output)}"
    return truncated(" ".join(text.split()), 2 * SHOWN)


def listed(events: Sequence[RunEvent], interrupts: Sequence[Interrupt] = (), marked: int | None = None) -> str:
    """The list of events, with a mark at one of them."""
    lines = ["events:" if events else "events: none"]
    for index, event in enumerate(events):
        lines.append(f"{'>' if index == marked else ' '} {index + 1}  {line(event)}")
    for interrupt in interrupts:
        asks = f": {interrupt.message}" if interrupt.message else ""
        lines.append(f"waiting for an answer to the interrupt `{interrupt.id}`{asks}")
    return escaped("\n".join(lines))


def shown(value: Any) -> str:
    """A value as JSON, or as Python shows it."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        return repr(value)


def truncated(text: str, most: int) -> str:
    """The first `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def escaped(text: str) -> str:
    """`text` without characters that change what a terminal shows."""
    return "".join(f"\\u{{{ord(character):x}}}" if _is_harmful(character) else character for character in text)


def _is_harmful(character: str) -> bool:
    code = ord(character)
    if code < 0x7F:
        return code < 0x20 and character not in "\n\t"
    # C1 controls, marks of direction, invisible characters and separators of lines.
    return (
        code < 0xA0
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
        or 0xD800 <= code <= 0xDFFF
        or 0xFFF9 <= code <= 0xFFFB
        or 0xE0000 <= code <= 0xE007F
        or code in (0xAD, 0x61C, 0xFEFF)
    )
