"""The travel desk: a pydantic-ai agent with its tools and its state."""

import asyncio

from ag_ui.core import EventType, StateDeltaEvent, StateSnapshotEvent
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext, ToolReturn
from pydantic_ai.models import Model
from pydantic_ai.ui import StateDeps


class Desk(BaseModel):
    """The AG-UI state of a conversation."""

    visits: int = 0
    bag: list[str] = []


def count_visit(context: RunContext[StateDeps[Desk]]) -> ToolReturn:
    state = context.deps.state
    state.visits += 1
    snapshot = StateSnapshotEvent(type=EventType.STATE_SNAPSHOT, snapshot=state.model_dump())
    return ToolReturn(return_value=state.visits, metadata=[snapshot])


def pack_bag(context: RunContext[StateDeps[Desk]], thing: str) -> ToolReturn:
    bag = context.deps.state.bag
    bag.append(thing)
    delta = StateDeltaEvent(type=EventType.STATE_DELTA, delta=[{"op": "add", "path": "/bag", "value": bag}])
    return ToolReturn(return_value=", ".join(bag), metadata=[delta])


def get_weather(city: str, unit: str) -> dict[str, object]:
    if city == "Atlantis":
        return {"error": "no such city", "city": city}
    return {"city": city, "temperature": 21, "unit": unit, "sky": "sunny"}


async def find_flights(to: str) -> list[dict[str, object]]:
    await asyncio.sleep(0.3)
    return [{"flight": "TP 123", "to": to, "price": 95}]


async def find_hotels(city: str, nights: int) -> list[dict[str, object]]:
    await asyncio.sleep(0.02)
    return [{"hotel": "Alfama", "city": city, "nights": nights}]


def hold_trip(flight: str, hotel: str) -> dict[str, object]:
    return {"held": True, "flight": flight, "hotel": hotel}


def charge_card(amount: int, currency: str) -> dict[str, object]:
    if len(currency) != 3 or not currency.isupper():
        raise ModelRetry("currency must be a code of three capital letters")
    return {"status": "charged", "amount": amount, "currency": currency}


def cancel_booking(booking: str) -> str:
    raise RuntimeError(f"booking {booking} is locked")


def book_flight(flight: str) -> str:
    return f"{flight} is booked"


def book_hotel(hotel: str, nights: int) -> str:
    return f"{nights} nights at the {hotel} are booked"


def travel_desk(model: Model) -> Agent[StateDeps[Desk], str | DeferredToolRequests]:
    """The agent; its tools that cost money wait for somebody's approval."""
    agent = Agent(model, deps_type=StateDeps[Desk], output_type=[str, DeferredToolRequests])
    for tool in (count_visit, pack_bag):
        agent.tool(tool)
    for tool in (get_weather, find_flights, find_hotels, hold_trip, charge_card, cancel_booking):
        agent.tool_plain(tool)
    for tool in (book_flight, book_hotel):
        # One after the other: two that end at the same moment are told in either order.
        agent.tool_plain(tool, requires_approval=True, sequential=True)
    return agent
