"""A travel desk: a real pydantic-ai agent behind its own AG-UI adapter, without a model, a key or the network.

The framework, its tool loop and its AG-UI stream are the real ones; only the model is a function: the words of the
last user message choose what it does (see `SCENES`). The server binds a free port on the loopback interface, prints
its address as the first line of its standard output once it accepts connections, and ends when its standard input is
closed or on SIGTERM. With ANANKE_PYDANTIC_KEY set, a request without `authorization: Bearer <key>` is answered 401.
"""

import asyncio
import hmac
import json
import os
import re
import socket
import sys
import threading
from collections.abc import AsyncIterator

import uvicorn
from ag_ui.core import EventType, StateSnapshotEvent
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.ui import StateDeps
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

KEY = os.environ.get("ANANKE_PYDANTIC_KEY", "")


class Desk(BaseModel):
    """The AG-UI state of a conversation."""

    visits: int = 0


# What the model does -------------------------------------------------------------------------------------------------

Deltas = AsyncIterator[str | dict[int, DeltaToolCall] | dict[int, DeltaThinkingPart]]


def said_by_user(messages: list[ModelMessage]) -> list[str]:
    """Every user message of the request, oldest first."""
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return [str(part.content) for part in parts if isinstance(part, UserPromptPart)]


def results_since_user(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    """The tool results that came after the last user message."""
    results: list[ToolReturnPart] = []
    for message in messages:
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


async def hello(messages: list[ModelMessage]) -> Deltas:
    async for delta in say("Hello from the travel desk."):
        yield delta


async def weather(messages: list[ModelMessage]) -> Deltas:
    city = re.search(r"weather in (\w+)", said_by_user(messages)[-1])
    results = results_since_user(messages)
    if not results:
        async for delta in call(0, "get_weather", city=city.group(1) if city else "Paris", unit="celsius"):
            yield delta
        return
    found = results[-1].content
    text = f"It is {found['sky']} in {found['city']}." if "sky" in found else "I could not find that city."
    async for delta in say(text):
        yield delta


async def trip(messages: list[ModelMessage]) -> Deltas:
    """Two calls at once, a third that needs both, and text around them."""
    done = {result.tool_name for result in results_since_user(messages)}
    if not done:
        yield "Looking for flights and hotels."
        async for delta in call(1, "find_flights", to="Lisbon"):
            yield delta
        async for delta in call(2, "find_hotels", city="Lisbon", nights=3):
            yield delta
    elif "hold_trip" not in done:
        async for delta in call(0, "hold_trip", flight="TP 123", hotel="Alfama"):
            yield delta
    else:
        async for delta in say("I hold flight TP 123 and three nights at the Alfama for you."):
            yield delta


async def pay(messages: list[ModelMessage]) -> Deltas:
    """Gives a wrong currency first, so that the framework asks for a retry and the tool is called twice."""
    results = results_since_user(messages)
    if any(isinstance(result.content, dict) for result in results):
        async for delta in say("Paid 95 EUR."):
            yield delta
        return
    async for delta in call(0, "charge_card", amount=95, currency="EUR" if results else "euro"):
        yield delta


async def cancel(messages: list[ModelMessage]) -> Deltas:
    async for delta in call(0, "cancel_booking", booking="B-7"):
        yield delta


async def think(messages: list[ModelMessage]) -> Deltas:
    for thought in ("A hidden ", "exception ", "to weigh."):
        yield {0: DeltaThinkingPart(content=thought)}
    async for delta in say("The night train is cheaper."):
        yield delta


async def slowly(messages: list[ModelMessage]) -> Deltas:
    async for delta in say("One moment please, the line is long.", pause=0.1):
        yield delta


async def break_down(messages: list[ModelMessage]) -> Deltas:
    yield "Let me see"
    raise RuntimeError("the model is unavailable")


async def refuse(messages: list[ModelMessage]) -> Deltas:
    """Fails before it has said a word."""
    raise RuntimeError("no model is to be had")
    yield ""  # a generator, of which nothing ever comes


async def count(messages: list[ModelMessage]) -> Deltas:
    async for delta in say(f"You have asked {len(said_by_user(messages))} times."):
        yield delta


async def visit(messages: list[ModelMessage]) -> Deltas:
    results = results_since_user(messages)
    if not results:
        async for delta in call(0, "count_visit"):
            yield delta
        return
    async for delta in say(f"This is visit number {results[-1].content}."):
        yield delta


async def leak(messages: list[ModelMessage]) -> Deltas:
    """Repeats the key it was sent, in two pieces."""
    yield f"Your key is {KEY[:5]}"
    yield f"{KEY[5:]} and you should keep it."


# The first of these words found in the last user message, case ignored, chooses the scene.
SCENES = {
    "weather": weather,
    "trip": trip,
    "pay": pay,
    "cancel": cancel,
    "think": think,
    "slowly": slowly,
    "break down": break_down,
    "refuse": refuse,
    "how often": count,
    "visit": visit,
    "key": leak,
}


async def model(messages: list[ModelMessage], _info: AgentInfo) -> Deltas:
    asked = said_by_user(messages)[-1].lower()
    scene = next((scene for words, scene in SCENES.items() if words in asked), hello)
    async for delta in scene(messages):
        yield delta


# The agent and its tools ---------------------------------------------------------------------------------------------

agent = Agent(FunctionModel(stream_function=model), deps_type=StateDeps[Desk])


@agent.tool_plain
def get_weather(city: str, unit: str) -> dict[str, object]:
    if city == "Atlantis":
        return {"error": "no such city", "city": city}
    return {"city": city, "temperature": 21, "unit": unit, "sky": "sunny"}


@agent.tool_plain
async def find_flights(to: str) -> list[dict[str, object]]:
    await asyncio.sleep(0.05)
    return [{"flight": "TP 123", "to": to, "price": 95}]


@agent.tool_plain
async def find_hotels(city: str, nights: int) -> list[dict[str, object]]:
    await asyncio.sleep(0.02)
    return [{"hotel": "Alfama", "city": city, "nights": nights}]


@agent.tool_plain
def hold_trip(flight: str, hotel: str) -> dict[str, object]:
    return {"held": True, "flight": flight, "hotel": hotel}


@agent.tool_plain
def charge_card(amount: int, currency: str) -> dict[str, object]:
    if len(currency) != 3 or not currency.isupper():
        raise ModelRetry("currency must be a code of three capital letters")
    return {"status": "charged", "amount": amount, "currency": currency}


@agent.tool_plain
def cancel_booking(booking: str) -> str:
    raise RuntimeError(f"booking {booking} is locked")


@agent.tool
def count_visit(context: RunContext[StateDeps[Desk]]) -> ToolReturn:
    context.deps.state.visits += 1
    snapshot = StateSnapshotEvent(type=EventType.STATE_SNAPSHOT, snapshot=context.deps.state.model_dump())
    return ToolReturn(return_value=context.deps.state.visits, metadata=[snapshot])


# The server ----------------------------------------------------------------------------------------------------------


async def run(request: Request) -> Response:
    given = request.headers.get("authorization", "")
    if KEY and not hmac.compare_digest(given.encode(), f"Bearer {KEY}".encode()):
        return JSONResponse({"error": "this desk wants a key"}, status_code=401)
    return await AGUIAdapter.dispatch_request(request, agent=agent, deps=StateDeps(Desk()))


class Server(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if sockets and not self.should_exit:
            print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/", flush=True)

    def end_with_stdin(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.should_exit = True


def main() -> None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    app = Starlette(routes=[Route("/", run, methods=["POST"])])
    server = Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1))
    threading.Thread(target=server.end_with_stdin, daemon=True).start()
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
