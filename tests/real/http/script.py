"""What the agents behind these servers do, in place of a model: a conversation goes in, the next step of the model comes out."""

import re

CITY = re.compile(r"weather in (\w+)")


def next_step(messages: list[tuple[str, str]]) -> dict[str, str] | str:
    """The arguments of a call to `get_weather`, or the answer. A message is its role, of which `user` and `tool` count, and its text."""
    asked = [text for role, text in messages if role == "user"]
    cities = [found[1] for found in map(CITY.search, asked) if found]
    role, text = messages[-1]
    if role == "tool":
        return f"It is clear in {cities[-1]}." if "clear" in text else f"I found no weather for {cities[-1]}."
    if text == "crash":
        raise RuntimeError("model overloaded")
    if CITY.search(text):
        return {"city": cities[-1]}
    if not cities:
        return "I do not know what you mean."
    return cities[0] if "which city" in text else "It will rain."


def get_weather(city: str) -> dict[str, str]:
    """The weather in a city."""
    if city == "Atlantis":
        raise LookupError("there is no such city")
    return {"city": city, "sky": "clear"}
