"""Agents of pydantic-ai in this process."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, FunctionToolset, ModelRetry, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from ananke_test import FunctionCallOutputEvent, PendingAnswer, RunResult, SyncTestSession, TestSession, mock_tools
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


async def test_three_turns_with_times_and_tokens() -> None:
    async with TestSession(agent=weather_agent()) as session:
        await session.run("Hi")
        await session.run("And?")
        third = await session.run("And then?")
    third.check("tools: { require: [{ name: get_weather, after: get_weather }] }")
    third.check("timing: { max_tool_ms: 5000, max_duration_ms: 60000, max_idle_ms: 60000 }")
    assert third.findings("usage: { max_total_tokens: 1 }")[0]["status"] == "failed"
    assert third.findings("timing: { max_first_token_ms: 60000 }")[0]["status"] == "not_shown"


async def test_two_sessions_of_one_agent_at_once() -> None:
    both, started = asyncio.Event(), 0

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(str(last.content))])
        return ModelResponse(parts=[ToolCallPart("meet", {"who": str(last.content)}, "c1")])  # type: ignore[union-attr]

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    async def meet(who: str) -> str:
        nonlocal started
        started += 1
        if started == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 20)
        return f"met {who}"

    async with TestSession(agent=agent) as one, TestSession(agent=agent) as two:
        first, second = await asyncio.gather(one.run("Ann"), two.run("Bob"))
    first.expect.contains_function_call_output("met Ann")
    second.expect.contains_function_call_output("met Bob")
    assert len(first.events) == len(second.events) == 3


async def test_results_have_their_times_in_the_order_in_which_they_come() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2:
            return ModelResponse(parts=[TextPart("Done.")])
        return ModelResponse(parts=[ToolCallPart("slow", {}, "c1"), ToolCallPart("fast", {}, "c2")])

    agent = Agent(FunctionModel(model))
    begun = asyncio.Event()

    @agent.tool_plain
    async def slow() -> str:
        await begun.wait()
        await asyncio.sleep(0.02)
        return "slow"

    @agent.tool_plain
    async def fast() -> str:
        begun.set()
        return "fast"

    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    outputs = [event for event in result.events if isinstance(event, FunctionCallOutputEvent)]
    assert [output.output for output in outputs] == ["fast", "slow"]
    assert outputs[1].execution_time_ms is not None
    assert outputs[1].execution_time_ms >= 19


async def test_an_unknown_tool_and_wrong_arguments_are_errors_of_their_calls() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2:
            return ModelResponse(parts=[TextPart("Sorry.")])
        return ModelResponse(parts=[ToolCallPart("nothing", {}, "c1"), ToolCallPart("f", {"wrong": 1}, "c2")])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    def f(right: int) -> int:
        return right

    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    result.expect.contains_function_call("nothing", {})
    result.expect.contains_function_call("f", {"wrong": 1})
    outputs = [event for event in result.events if isinstance(event, FunctionCallOutputEvent)]
    assert [output.is_error for output in outputs] == [True, True]


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


@pytest.mark.parametrize("is_mocked", [False, True])
async def test_an_error_inside_a_tool_keeps_its_events_and_leaves_the_agent_as_it_was(is_mocked: bool) -> None:
    def down(city: str) -> str:
        raise LookupError("the service is down")

    agent = Agent(FunctionModel(says_what_tools_return))

    @agent.tool_plain
    def get_weather(city: str) -> str:
        return down(city)

    (functions,) = agent.toolsets
    assert isinstance(functions, FunctionToolset)
    tools = dict(functions.tools)
    function = tools["get_weather"].function
    async with TestSession(agent=agent) as session:
        mocks = mock_tools(agent, {"get_weather": down} if is_mocked else {})
        with mocks, pytest.raises(LookupError, match="the service is down") as raised:
            await session.run("Hi")
    before = RunResult(raised.value.events)  # type: ignore[attr-defined]
    before.expect.contains_function_call("get_weather", {"city": "Paris"})
    before.expect.contains_function_call_output({"error": "the service is down"}, is_error=True)
    assert len(agent.toolsets) == 1
    assert agent.toolsets[0] is functions
    assert functions.tools["get_weather"] is tools["get_weather"]
    assert functions.tools["get_weather"].function is function


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
