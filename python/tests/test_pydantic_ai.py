"""Agents of pydantic-ai in this process."""

from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from ananke_test import PendingAnswer, SyncTestSession, TestSession, mock_tools
from ananke_test.pydantic_ai import PydanticAgent
from tests.conftest import weather


def says_what_tools_return(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(f"{last.content} ({len(messages)} messages)")])
    return ModelResponse(parts=[TextPart("Let me see."), ToolCallPart("get_weather", {"city": "Paris"}, "c1")])


def weather_agent() -> Agent[Any, str]:
    agent: Agent[Any, str] = Agent(FunctionModel(says_what_tools_return), deps_type=str)

    @agent.tool
    def get_weather(context: RunContext[Any], city: str) -> str:
        return f"real {city} {context.deps}"

    return agent


async def test_events_and_history() -> None:
    async with TestSession(llm=weather_agent()) as session:
        result = await session.run("Hi")
        result.expect.next_event().is_message("assistant")
        assert result.expect.next_event().is_function_call("get_weather", {"city": "Paris"}).event().tool_call_id == "c1"
        result.expect.next_event().is_function_call_output("real Paris None", False)
        assert result.expect.next_event().is_message().event().content == "real Paris None (3 messages)"
        result.expect.no_more_events()
        again = await session.run("Hi")
        assert again.expect[-1].is_message().event().content == "real Paris None (7 messages)"
    result.check("tools: { require: get_weather }")


def test_what_runs_are_given() -> None:
    with SyncTestSession(PydanticAgent(weather_agent(), deps="today")) as session:
        session.run("Hi").expect.contains_function_call_output("real Paris today")


async def test_tools_are_replaced() -> None:
    agent = weather_agent()
    async with TestSession(llm=agent) as session:
        with mock_tools(agent, {"get_weather": lambda city: f"mocked {city}"}) as mocks:
            (await session.run("Hi")).expect.contains_function_call_output("mocked Paris")
            mocks["get_weather"].assert_called_once_with(city="Paris")
        (await session.run("Hi")).expect.contains_function_call_output("real Paris None")
    message = "there is no tool `nothing`; the tools are `get_weather`"
    with pytest.raises(KeyError, match=message), mock_tools(agent, {"nothing": lambda: 1}):
        pass


async def test_a_retry_is_an_error_of_the_call() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2:
            return ModelResponse(parts=[TextPart("Sorry.")])
        return ModelResponse(parts=[ToolCallPart("f", {})])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    def f() -> None:
        raise ModelRetry("not today")

    async with TestSession(llm=agent) as session:
        result = await session.run("Hi")
    output = result.expect.next_event(type="function_call_output").event()
    assert output.is_error
    assert "not today" in str(output.output)


class Answer(BaseModel):
    """The output of an agent."""

    degrees: int


async def test_structured_output_is_the_message() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"degrees": 21})])

    async with TestSession(llm=Agent(FunctionModel(model), output_type=Answer)) as session:
        result = await session.run("Hi")
    assert result.expect.next_event().is_message().event().content == '{"degrees": 21}'
    result.expect.no_more_events()


async def test_errors_of_the_agent_are_its_own() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ConnectionError("no model")

    async with TestSession(llm=Agent(FunctionModel(model))) as session:
        with pytest.raises(ConnectionError, match="no model"):
            await session.run("Hi")


async def test_approvals_are_interrupts() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(str(last.content))])
        return ModelResponse(parts=[ToolCallPart("pay", {"sum": 5}, "c1")])

    agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def pay(sum: int) -> str:
        return f"paid {sum}"

    async with TestSession(llm=agent) as session:
        result = await session.run("Pay")
        (interrupt,) = result.interrupts
        assert (interrupt.id, interrupt.reason, interrupt.tool_call_id) == ("c1", "approval", "c1")
        with pytest.raises(ValueError, match="waits for an answer"):
            await session.run("Well?")
        with pytest.raises(ValueError, match="fits 0 of"):
            await session.resume(PendingAnswer(True, tool="refund"))
        result = await session.resume(PendingAnswer({"approved": True}, tool="pay"))
        result.expect.contains_function_call_output("paid 5")
        await session.run("Pay")
        result = await session.resume(PendingAnswer(cancelled=True))
        assert result.expect.next_event(type="function_call_output").event().is_error


async def test_an_agent_as_judge() -> None:
    seen: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(str(messages))
        return ModelResponse(parts=[TextPart("PASS: fine")])

    await weather().expect[2].is_message().judge(Agent(FunctionModel(model)), intent="gives the weather")
    assert "gives the weather" in seen[0]
