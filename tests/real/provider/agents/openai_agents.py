"""An agent of the OpenAI Agents SDK by chat, responses or previous: the Responses API with `previous_response_id`."""

import tried
from agents import Agent, ModelSettings, Runner, function_tool, set_default_openai_api, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def charge_card(amount: float) -> str:
    """Charges the card of the user."""
    return tried.charge(amount)


AGENT = Agent(
    name="shop",
    instructions=tried.SYSTEM,
    model="gpt-5",
    model_settings=ModelSettings(include_usage=True),
    tools=[charge_card],
)


def options(wire: str) -> dict[str, bool]:
    set_default_openai_api("chat_completions" if wire == "chat" else "responses")
    return {"auto_previous_response_id": wire == "previous"}


async def whole(wire: str) -> tuple[str, int | None]:
    result = await Runner.run(AGENT, tried.USER, **options(wire))
    return result.final_output, result.context_wrapper.usage.output_tokens


async def streamed(wire: str) -> tuple[str, int | None]:
    result = Runner.run_streamed(AGENT, tried.USER, **options(wire))
    deltas = ""
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            deltas += event.data.delta
    assert deltas == result.final_output, deltas
    return deltas, result.context_wrapper.usage.output_tokens


tried.main(whole, streamed)
