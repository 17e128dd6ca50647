"""The agent of a team that tests with pytest."""

from pydantic_ai import Agent

agent = Agent("openai-chat:gpt-4o", instructions="You know the weather.")


@agent.tool_plain
def get_weather(city: str) -> dict:
    return {"city": city, "sky": "clear"}
