"""A traveller: a pydantic-ai agent that plays the user of the travel desk, as the goal in its question says."""

import asyncio
import json
from collections.abc import AsyncIterator

from pydantic_ai import Agent
from pydantic_ai.models.function import AgentInfo, FunctionModel

from model import Conversation, ModelMessage, say


def line(question: dict) -> str:
    """What it says to a question; it reads only what the question promises to contain."""
    goal, last, results = question["goal"], question["last_response"], question["tool_results"]
    if question["test_mode"] != "simulator" or not question["session_id"]:
        return "I am a traveller."
    if goal == "know whether the sun shines":
        if any(result["name"] == "get_weather" for result in results):
            return json.dumps({"goal_achieved": "cancelled" not in last, "input": "", "reasoning": "It is told."})
        if question["turn_number"] == 1:
            return f"hello, I am {question['persona']}"
        return "```json\n" + json.dumps({"message": f"What is the weather in {question['city']}?"}) + "\n```"
    if goal == "book a trip":
        said = [message["content"] for message in question["conversation"] if message["role"] == "user"]
        if "booked" in question["checkpoints_reached"]:
            return "thank you"
        return "I want a trip" if said else "hello"
    if goal == "leave at once":
        return json.dumps({"goal_achieved": question["turn_number"] > 1, "input": "hello"})
    if goal == "repeat itself":
        return "hello again"
    return json.dumps({"passed": True})


async def answer(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
    question = json.loads(Conversation(messages, set()).asked)
    if question["goal"] == "think for a minute":
        await asyncio.sleep(60)
    async for piece in say(line(question)):
        yield piece


AGENT = Agent(FunctionModel(stream_function=answer))
