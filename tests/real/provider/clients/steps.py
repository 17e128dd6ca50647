"""The conversations that each official client of Python has, and the facts that it reports: one JSON object on standard output."""

import json
import sys
from dataclasses import dataclass, field
from typing import Any, Protocol

SCHEMA = {
    "type": "object",
    "properties": {"paid": {"type": "boolean"}, "amount": {"type": "number"}},
    "required": ["paid", "amount"],
    "additionalProperties": False,
}
PARAMETERS = {
    "type": "object",
    "properties": {"amount": {"type": "number"}},
    "required": ["amount"],
    "additionalProperties": False,
}
TOOL = {"name": "charge_card", "description": "Charges the card of the user."}
CHARGED = '{"status": "charged"}'


@dataclass
class Answer:
    """An answer as a client reports it."""

    text: str = ""
    reasoning: str = ""
    # The id, the tool and the arguments of each call.
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    end: str = ""
    usage: list[int] | None = None


class Wire(Protocol):
    """A conversation by an API with its official client. A new one begins with `begin`."""

    def begin(self) -> None: ...

    def user(self, text: str) -> None: ...

    def result(self, call: str, text: str) -> None: ...

    def ask(self, *, tools: bool = True) -> Answer: ...

    def structured(self) -> Any:
        """The answer that the client parses by SCHEMA."""


def calls_of(answer: Answer) -> list[list[Any]]:
    assert len({call for call, _, _ in answer.calls}) == len(answer.calls), answer
    return [[tool, arguments] for _, tool, arguments in answer.calls]


def converse(wire: Wire) -> dict[str, Any]:
    """Asks for each answer of scripts/clients.yaml."""
    facts: dict[str, Any] = {}
    wire.begin()
    wire.user("Pay my cart.")
    asked = wire.ask()
    wire.result(asked.calls[0][0], CHARGED)
    answer = wire.ask()
    facts["round"] = {"calls": calls_of(asked), "ends": [asked.end, answer.end], "text": answer.text}

    wire.begin()
    wire.user("Is my cart paid?")
    facts["structured"] = wire.structured()

    wire.begin()
    wire.user("Pay both parts of my cart.")
    asked = wire.ask()
    facts["parallel"] = {
        "reasoning": asked.reasoning,
        "text": asked.text,
        "calls": calls_of(asked),
        "end": asked.end,
        "usage": asked.usage,
    }
    for call, _, _ in asked.calls:
        wire.result(call, CHARGED)
    facts["after"] = wire.ask().text

    for end in ("length", "refusal", "filter"):
        wire.begin()
        wire.user("Pay my cart.")
        answer = wire.ask(tools=False)
        facts[end] = {"text": answer.text, "end": answer.end}
    return facts


def miss(wire: Wire) -> dict[str, Any]:
    """Asks once more than there are answers. The client must not try again, and its error must say what is wrong."""
    wire.begin()
    wire.user("Pay my cart.")
    wire.ask()
    try:
        wire.ask()
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": None}


def main(wires: dict[str, Any]) -> None:
    """`CLIENT WIRE…` for each API as documents and as streams, `CLIENT miss WIRE` for a miss."""
    if sys.argv[1] == "miss":
        facts = miss(wires[sys.argv[2]](streams=False))
    else:
        facts = {}
        for name in sys.argv[1:]:
            facts[f"{name}, whole"] = converse(wires[name](streams=False))
            facts[f"{name}, streamed"] = converse(wires[name](streams=True))
    print(json.dumps(facts))
