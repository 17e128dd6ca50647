"""What stands in for the travel desk's model: the words of the last user message choose what it says and calls.

It is a function of the conversation alone, so that the same request is always answered in the same way.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic_ai.messages import BinaryContent, FileUrl, ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel

Deltas = AsyncIterator[str | dict[int, DeltaToolCall] | dict[int, DeltaThinkingPart]]


@dataclass
class Conversation:
    """What the model is sent: the messages so far, and the names of the tools it may call."""

    messages: list[ModelMessage]
    tools: set[str]

    @property
    def prompts(self) -> list[UserPromptPart]:
        """Every user message, oldest first."""
        parts = (part for message in self.messages if isinstance(message, ModelRequest) for part in message.parts)
        return [part for part in parts if isinstance(part, UserPromptPart)]

    @property
    def asked(self) -> str:
        """The words of the last user message."""
        content = self.prompts[-1].content
        return content if isinstance(content, str) else " ".join(part for part in content if isinstance(part, str))

    @property
    def results(self) -> list[ToolReturnPart]:
        """The tool results that came after the last user message."""
        results: list[ToolReturnPart] = []
        for message in self.messages:
            if not isinstance(message, ModelRequest):
                continue
            if any(isinstance(part, UserPromptPart) for part in message.parts):
                results = []
            results += [part for part in message.parts if isinstance(part, ToolReturnPart)]
        return results


async def say(text: str, pause: float = 0.0) -> Deltas:
    """Says `text` a word at a time."""
    for word in re.findall(r"\S+\s*", text):
        yield word
        if pause:
            await asyncio.sleep(pause)


async def call(index: int, tool: str, **arguments: object) -> Deltas:
    """Calls a tool, its arguments in two pieces."""
    text = json.dumps(arguments)
    half = len(text) // 2
    yield {index: DeltaToolCall(name=tool, json_args=text[:half])}
    yield {index: DeltaToolCall(json_args=text[half:])}


async def both(first: Deltas, second: Deltas) -> Deltas:
    """One after the other, in one response of the model."""
    for deltas in (first, second):
        async for delta in deltas:
            yield delta


# Each scene answers a conversation with one response of the model, which the framework streams. ----------------------


def hello(_conversation: Conversation) -> Deltas:
    return say("Hello from the travel desk.")


def weather(conversation: Conversation) -> Deltas:
    city = re.search(r"weather in (\w+)", conversation.asked)
    if not conversation.results:
        return call(0, "get_weather", city=city.group(1) if city else "Paris", unit="celsius")
    found = conversation.results[-1].content
    return say(f"It is {found['sky']} in {found['city']}." if "sky" in found else "I could not find that city.")


def trip(conversation: Conversation) -> Deltas:
    """Two calls at once, a third that needs both, and text around them."""
    done = {result.tool_name for result in conversation.results}
    if not done:
        hotels = call(2, "find_hotels", city="Lisbon", nights=3)
        return both(say("Looking for flights and hotels."), both(call(1, "find_flights", to="Lisbon"), hotels))
    if "hold_trip" not in done:
        return call(0, "hold_trip", flight="TP 123", hotel="Alfama")
    return say("I hold flight TP 123 and three nights at the Alfama for you.")


def pay(conversation: Conversation) -> Deltas:
    """Gives a wrong currency first, so that the framework asks for a retry and the tool is called twice."""
    if any(isinstance(result.content, dict) for result in conversation.results):
        return say("Paid 95 EUR.")
    return call(0, "charge_card", amount=95, currency="EUR" if conversation.results else "euro")


def cancel(_conversation: Conversation) -> Deltas:
    return call(0, "cancel_booking", booking="B-7")


async def think(_conversation: Conversation) -> Deltas:
    for thought in ("A hidden ", "exception ", "to weigh."):
        yield {0: DeltaThinkingPart(content=thought)}
    async for delta in say("The night train is cheaper."):
        yield delta


def slowly(_conversation: Conversation) -> Deltas:
    return say("One moment please, the line is long.", pause=0.1)


async def hesitate(_conversation: Conversation) -> Deltas:
    """Says nothing for a while."""
    await asyncio.sleep(0.6)
    async for delta in say("Well, yes."):
        yield delta


async def wait(_conversation: Conversation) -> Deltas:
    """Comes to no end, unless somebody stops it."""
    yield "Waiting."
    await asyncio.sleep(60)


async def break_down(_conversation: Conversation) -> Deltas:
    yield "Let me see"
    raise RuntimeError("the model is unavailable")


async def refuse(_conversation: Conversation) -> Deltas:
    """Fails before it has said a word."""
    raise RuntimeError("no model is to be had")
    yield ""  # a generator, of which nothing ever comes


def count(conversation: Conversation) -> Deltas:
    return say(f"You have asked {len(conversation.prompts)} times.")


def visit(conversation: Conversation) -> Deltas:
    if not conversation.results:
        return call(0, "count_visit")
    return say(f"This is visit number {conversation.results[-1].content}.")


def pack(conversation: Conversation) -> Deltas:
    """Changes the state by a patch."""
    thing = re.search(r"pack the (\w+)", conversation.asked, re.IGNORECASE)
    if not conversation.results:
        return call(0, "pack_bag", thing=thing.group(1) if thing else "map")
    return say(f"In the bag: {conversation.results[-1].content}.")


def seat(conversation: Conversation) -> Deltas:
    """Has the client pick a seat, if it says that it can, while the desk itself looks at the weather."""
    if "pick_seat" not in conversation.tools:
        return say("I cannot show you the seats here.")
    if not conversation.results:
        look = call(1, "get_weather", city="Lisbon", unit="celsius")
        return both(call(0, "pick_seat", flight="TP 123", rows=[12, 14]), look)
    picked = next((result.content for result in conversation.results if result.tool_name == "pick_seat"), "no answer")
    return say(f"You sit in {picked if isinstance(picked, str) else json.dumps(picked, separators=(',', ':'))}.")


def book(conversation: Conversation) -> Deltas:
    """Calls two tools that a human must approve first."""
    if not conversation.results:
        return both(call(0, "book_flight", flight="TP 123"), call(1, "book_hotel", hotel="Alfama", nights=3))
    return say(" ".join(f"{result.tool_name}: {result.content}" for result in conversation.results))


def picture(conversation: Conversation) -> Deltas:
    """Tells the parts of the last user message."""
    content = conversation.prompts[-1].content
    parts = [content] if isinstance(content, str) else content
    return say("I see " + ", ".join(described(part) for part in parts) + ".")


def described(part: object) -> str:
    if isinstance(part, str):
        return f"the words '{part}'"
    if isinstance(part, BinaryContent):
        return f"{len(part.data)} bytes of {part.media_type}"
    if isinstance(part, FileUrl):
        return f"{part.media_type} at {part.url}"
    return type(part).__name__


# The first of these words found in the last user message, case ignored, chooses the scene.
SCENES = {
    "weather": weather,
    "trip": trip,
    "pay": pay,
    "cancel": cancel,
    "think": think,
    "slowly": slowly,
    "hesitate": hesitate,
    "wait": wait,
    "break down": break_down,
    "refuse": refuse,
    "how often": count,
    "visit": visit,
    "pack": pack,
    "seat": seat,
    "book": book,
    "see": picture,
}


def travel_desk(key: str) -> FunctionModel:
    """The model; `key` is what it gives away when it is asked for its key."""

    async def leak(_conversation: Conversation) -> Deltas:
        yield f"Your key is {key[:5]}"
        yield f"{key[5:]} and you should keep it."

    scenes = SCENES | {"key": leak}

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Deltas:
        conversation = Conversation(messages, {tool.name for tool in info.function_tools})
        asked = conversation.asked.lower()
        scene = next((scene for words, scene in scenes.items() if words in asked), hello)
        async for delta in scene(conversation):
            yield delta

    return FunctionModel(stream_function=stream)
