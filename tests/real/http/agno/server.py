"""An agent of Agno behind AgentOS, on the port that the first argument names."""

import json
import sys
from collections.abc import AsyncIterator, Iterator

import uvicorn
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from agno.os import AgentOS

import script


class Script(Model):
    """The script, in the types of Agno."""

    def invoke(self, messages: list[Message], **_: object) -> ModelResponse:
        step = script.next_step([(message.role, str(message.content)) for message in messages])
        if isinstance(step, str):
            return ModelResponse(role="assistant", content=step)
        function = {"name": "get_weather", "arguments": json.dumps(step)}
        # An id is that of one call in the whole conversation.
        call = {"id": f"call_{len(messages)}", "type": "function", "function": function}
        return ModelResponse(role="assistant", tool_calls=[call])

    async def ainvoke(self, messages: list[Message], **_: object) -> ModelResponse:
        return self.invoke(messages)

    def invoke_stream(self, messages: list[Message], **_: object) -> Iterator[ModelResponse]:
        response = self.invoke(messages)
        if response.tool_calls:
            yield response
            return
        for piece in (response.content[:6], response.content[6:]):
            yield ModelResponse(role="assistant", content=piece)

    async def ainvoke_stream(self, messages: list[Message], **_: object) -> AsyncIterator[ModelResponse]:
        for response in self.invoke_stream(messages):
            yield response

    def _parse_provider_response(self, response: ModelResponse, **_: object) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: ModelResponse) -> ModelResponse:
        return response


def get_weather(city: str) -> str:
    """The weather in a city, as JSON: Agno writes an object as Python does."""
    return json.dumps(script.get_weather(city))


memory = {"db": InMemoryDb(), "add_history_to_context": True}
agent = Agent(id="shop", name="shop", model=Script(id="script"), tools=[get_weather], telemetry=False, **memory)
app = AgentOS(agents=[agent], telemetry=False).get_app()
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
