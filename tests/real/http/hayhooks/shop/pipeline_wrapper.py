"""The agent that `hayhooks run` serves. Its wrapper keeps no conversations: they come with each request."""

import json

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import create_tool_from_function
from hayhooks import BasePipelineWrapper

import script


@component
class Script:
    """The script, in the types of Haystack."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: list | None = None, **_: object) -> dict:
        step = script.next_step([(message.role.value, said(message)) for message in messages])
        if isinstance(step, str):
            return {"replies": [ChatMessage.from_assistant(step)]}
        call = ToolCall("get_weather", step, id=f"call_{len(messages)}")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}


def said(message: ChatMessage) -> str:
    return str(message.tool_call_result.result) if message.tool_call_result else message.text or ""


def get_weather(city: str) -> str:
    """The weather in a city, as JSON: older releases write an object as Python does."""
    return json.dumps(script.get_weather(city))


class PipelineWrapper(BasePipelineWrapper):
    def setup(self) -> None:
        tools = [create_tool_from_function(get_weather)]
        self.agent = Agent(chat_generator=Script(), tools=tools, raise_on_tool_invocation_failure=False)

    def run_api(self, messages: list[dict]) -> dict:
        said = [ChatMessage.from_dict(message) for message in messages]
        return {"messages": [message.to_dict() for message in self.agent.run(messages=said)["messages"]]}
