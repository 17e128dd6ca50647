"""An agent with one tool. Its model is a function here, so that the tests need no API key; yours is an `OpenAILLM`, for example."""

import re
from typing import Any

from ananke_test import FunctionLLM

INSTRUCTIONS = "Answer with the temperature. Use the tool."


def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
    """Calls the tool for the city that the user names, and says what it returned."""
    last = messages[-1]
    if last["role"] == "tool":
        return f"The desk says: {last['content']}"
    city = re.search(r"in (\w+)", last["content"])
    if city is None or not tools:
        return "Which city?"
    call = {"name": "temperature", "arguments": {"city": city[1]}}
    return {"tool_calls": [{"id": f"call-{len(messages)}", "type": "function", "function": call}]}


def weather_desk() -> FunctionLLM:
    """The agent with its tool."""
    llm = FunctionLLM(model)

    @llm.register_function()
    def temperature(city: str) -> dict[str, int]:
        """How warm it is in a city, in degrees Celsius."""
        if city != "Paris":
            raise LookupError(f"there is no city {city}")
        return {"degrees": 21}

    return llm
