"""The agent that `adk api_server` serves."""

from collections.abc import AsyncIterator

from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types

import script


class Model(BaseLlm):
    """The script, in the types of ADK."""

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        step = script.next_step([message(part) for content in llm_request.contents for part in content.parts])
        if isinstance(step, dict):
            yield response(types.Part.from_function_call(name="get_weather", args=step))
            return
        if stream:
            for piece in (step[:6], step[6:]):
                yield response(types.Part(text=piece), partial=True)
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=10, candidates_token_count=3, total_token_count=13)
        yield response(types.Part(text=step), usage_metadata=usage)


def message(part: types.Part) -> tuple[str, str]:
    """The role and the text of a part. What the model wrote is in the conversation too, and the script leaves it out."""
    if part.function_response:
        return "tool", str(part.function_response.response)
    return "user", part.text or ""


def response(part: types.Part, **more: object) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[part]), **more)


def get_weather(city: str) -> dict:
    """The weather in a city. An ADK tool returns its failure: one that raises ends the run."""
    try:
        return script.get_weather(city)
    except LookupError as error:
        return {"status": "error", "error_message": str(error)}


root_agent = Agent(name="shop", model=Model(model="script"), tools=[get_weather])
