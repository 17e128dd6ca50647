"""An agent of pydantic-ai by openai, which is the Responses API, openai-chat or anthropic."""

import tried
from pydantic_ai import Agent

MODELS = {"openai": "openai:gpt-5", "openai-chat": "openai-chat:gpt-5", "anthropic": "anthropic:claude-sonnet-5"}
agent = Agent(system_prompt=tried.SYSTEM)


@agent.tool_plain
def charge_card(amount: float) -> str:
    """Charges the card of the user."""
    return tried.charge(amount)


async def whole(wire: str) -> tuple[str, int | None]:
    result = await agent.run(tried.USER, model=MODELS[wire])
    return result.output, result.usage.output_tokens


async def streamed(wire: str) -> tuple[str, int | None]:
    async with agent.run_stream(tried.USER, model=MODELS[wire]) as result:
        return await result.get_output(), result.usage.output_tokens


tried.main(whole, streamed)
