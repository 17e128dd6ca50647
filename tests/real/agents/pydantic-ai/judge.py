"""A judge: a pydantic-ai agent whose verdict is a function of the question that it gets."""

import json
from collections.abc import AsyncIterator

from pydantic_ai import Agent
from pydantic_ai.models.function import AgentInfo, FunctionModel

from model import Conversation, ModelMessage, say


def verdict(question: dict) -> str:
    """What it says to a question; it reads only what the question promises to contain."""
    criteria, output = question["criteria"], question["output"]
    if question["test_mode"] != "validator" or not question["test_id"]:
        return "I am a judge."
    if criteria == "It greets.":
        return json.dumps({"passed": "Hello" in output, "score": 0.9, "reason": "It says hello."})
    if criteria == "It calls the weather tool.":
        called = [call["name"] for call in question["tool_calls"]]
        return f"The calls are {called}.\n\n```json\n{json.dumps({'passed': 'get_weather' in called, 'score': 1})}\n```\n"
    if criteria == "It says the price.":
        return "It says only hello.\nFAIL: it says no price."
    return "That is hard to say."


async def answer(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
    async for piece in say(verdict(json.loads(Conversation(messages, set()).asked))):
        yield piece


AGENT = Agent(FunctionModel(stream_function=answer))
