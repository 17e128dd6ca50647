"""Agents of the OpenAI Agents SDK in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("agents")

from agents import Agent, FunctionTool, Model, ModelResponse, RunHooks, Usage, WebSearchTool, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

from ananke_test import FunctionCallEvent, PendingAnswer, RunResult, SyncTestSession, TestSession, mock_tools
from ananke_test.openai_agents import OpenAIAgent
from tests.conftest import weather


class Scripted(Model):
    """A model that replies what a function of the input items says: a text, or calls."""

    def __init__(self, reply: Any, usage: Usage | None = None) -> None:
        self.reply = reply
        self.usage = usage or Usage()
        self.seen: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *others: Any, **more: Any) -> ModelResponse:
        items = list(input) if not isinstance(input, str) else [{"role": "user", "content": input}]
        self.seen.append((system_instructions, items))
        output: list[Any] = []
        for part in self.reply(items):
            if isinstance(part, str):
                text = ResponseOutputText(text=part, type="output_text", annotations=[])
                output.append(ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message"))
            else:
                number, name, arguments = part
                call = ResponseFunctionToolCall(
                    call_id=number, name=name, arguments=json.dumps(arguments), type="function_call", id=f"item-{number}"
                )
                output.append(call)
        return ModelResponse(output=output, usage=self.usage, response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def last_output(items: list[Any]) -> str | None:
    last = items[-1]
    return str(last["output"]) if isinstance(last, dict) and last.get("type") == "function_call_output" else None


def weather_reply(items: list[Any]) -> list[Any]:
    output = last_output(items)
    if output is not None:
        return [f"{output} ({len(items)} items)"]
    return ["Let me see.", (f"c{len(items)}", "get_weather", {"city": "Paris"})]


def weather_agent(**more: Any) -> Agent[Any]:
    @function_tool
    def get_weather(city: str) -> str:
        """Gives the weather."""
        return f"real {city}"

    usage = Usage(requests=1, input_tokens=10, output_tokens=4, total_tokens=14)
    return Agent(name="weather", model=Scripted(weather_reply, usage), tools=[get_weather], **more)


def function_of(agent: Agent[Any], index: int = 0) -> FunctionTool:
    found = agent.tools[index]
    assert isinstance(found, FunctionTool)
    return found


async def test_three_turns_with_a_call_in_the_first() -> None:
    agent = weather_agent()
    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
        result.expect.next_event().is_message().event()
        assert result.expect.next_event().is_function_call("get_weather", {"city": "Paris"}).event().tool_call_id == "c1"
        result.expect.next_event().is_function_call_output("real Paris", False)
        assert result.expect.next_event().is_message().event().content == "real Paris (4 items)"
        result.expect.no_more_events()
        await session.run("And?")
        third = await session.run("And then?")
    third.check("tools: { require: [{ name: get_weather, after: get_weather }] }")
    assert third.expect[-1].is_message().event().content == "real Paris (14 items)"
    third.check("{ usage: { max_input_tokens: 20, max_output_tokens: 8 }, timing: { max_tool_ms: 5000 } }")
    assert third.findings("usage: { max_total_tokens: 27 }")[0]["status"] == "failed"
    assert third.findings("timing: { max_first_token_ms: 60000 }")[0]["status"] == "not_shown"


async def test_two_sessions_of_one_agent_at_once() -> None:
    both, started = asyncio.Event(), 0

    @function_tool
    async def meet(who: str) -> str:
        nonlocal started
        started += 1
        if started == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 20)
        return f"met {who}"

    def reply(items: list[Any]) -> list[Any]:
        output = last_output(items)
        return [output] if output is not None else [("c1", "meet", {"who": items[0]["content"]})]

    agent: Agent[Any] = Agent(name="two", model=Scripted(reply), tools=[meet])
    real = meet.on_invoke_tool
    async with TestSession(agent=agent) as one, TestSession(agent=agent) as two:
        first, second = await asyncio.gather(one.run("Ann"), two.run("Bob"))
    first.expect.contains_function_call_output("met Ann")
    second.expect.contains_function_call_output("met Bob")
    assert len(first.events) == len(second.events) == 3
    assert meet.on_invoke_tool is real


def test_plain_tests_and_what_runs_are_given() -> None:
    class Own(RunHooks[Any]):
        def __init__(self) -> None:
            self.tools: list[str] = []

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            self.tools.append(tool.name)

    own = Own()
    with SyncTestSession(agent=OpenAIAgent(weather_agent(), hooks=own, max_turns=3)) as session:
        session.run("Hi").check("tools: { require: get_weather }")
    assert own.tools == ["get_weather"]


async def test_tools_are_replaced_and_restored() -> None:
    agent = weather_agent()
    tool = function_of(agent)
    before = (tool.on_invoke_tool, getattr(tool.on_invoke_tool, "_invoke_tool_impl", None))
    async with TestSession(agent=agent) as session:
        with mock_tools(agent, {"get_weather": lambda city: f"mocked {city}"}) as mocks:
            (await session.run("Hi")).expect.contains_function_call_output("mocked Paris")
            mocks["get_weather"].assert_called_once_with(city="Paris")
        (await session.run("Hi")).expect.contains_function_call_output("real Paris")
    message = "there is no tool `nothing`; the tools are `get_weather`"
    with pytest.raises(KeyError, match=message), mock_tools(agent, {"nothing": lambda: 1}):
        pass
    assert (tool.on_invoke_tool, getattr(tool.on_invoke_tool, "_invoke_tool_impl", None)) == before


@pytest.mark.parametrize("is_mocked", [False, True])
async def test_an_error_inside_a_tool_is_seen_although_the_sdk_hides_it(is_mocked: bool) -> None:
    def down(city: str) -> str:
        raise LookupError("the service is down")

    @function_tool(name_override="get_weather")
    def fails(city: str) -> str:
        return down(city)

    agent: Agent[Any] = Agent(name="weather", model=Scripted(weather_reply), tools=[fails])
    async with TestSession(agent=agent) as session:
        with mock_tools(agent, {"get_weather": down} if is_mocked else {}):
            result = await session.run("Hi")
    result.expect.contains_function_call_output({"error": "the service is down"}, is_error=True)
    assert "An error occurred" in str(result.expect[-1].is_message().event().content)
    assert len([event for event in result.events if event.type == "function_call_output"]) == 1


@pytest.mark.parametrize("is_mocked", [False, True])
async def test_an_error_that_ends_the_run_keeps_its_events_and_leaves_the_agent_as_it_was(is_mocked: bool) -> None:
    def down(city: str) -> str:
        raise LookupError("the service is down")

    @function_tool(failure_error_function=None)
    def get_weather(city: str) -> str:
        return down(city)

    agent: Agent[Any] = Agent(name="weather", model=Scripted(weather_reply), tools=[get_weather])
    tools = agent.tools
    real = get_weather.on_invoke_tool
    inner = getattr(real, "_invoke_tool_impl", None)
    async with TestSession(agent=agent) as session:
        with mock_tools(agent, {"get_weather": down} if is_mocked else {}):
            with pytest.raises(Exception, match="the service is down") as raised:
                await session.run("Hi")
            assert get_weather.on_invoke_tool is real
            assert getattr(real, "_invoke_tool_impl", None) is inner
    before = RunResult(raised.value.events)  # type: ignore[attr-defined]
    before.expect.contains_function_call("get_weather")
    before.expect.contains_function_call_output({"error": "the service is down"}, is_error=True)
    assert agent.tools is tools
    assert agent.tools == [get_weather]
    assert get_weather.on_invoke_tool is real
    assert getattr(real, "_invoke_tool_impl", None) is inner


@pytest.mark.parametrize("approved", [True, False])
async def test_approvals_are_interrupts(approved: bool) -> None:
    def reply(items: list[Any]) -> list[Any]:
        output = last_output(items)
        return [output] if output is not None else [("c1", "pay", {"sum": 5})]

    @function_tool(needs_approval=True)
    def pay(sum: int) -> str:
        return f"paid {sum}"

    agent: Agent[Any] = Agent(name="pays", model=Scripted(reply), tools=[pay])
    async with TestSession(agent=agent) as session:
        result = await session.run("Pay")
        (interrupt,) = result.interrupts
        assert (interrupt.id, interrupt.reason, interrupt.tool_call_id) == ("c1", "approval", "c1")
        result.check("{ outcome: interrupted, tools: { require: [{ name: pay, status: pending }] } }")
        result = await session.resume(PendingAnswer({"approved": approved}, tool="pay"))
        assert not result.interrupts
        if approved:
            result.expect.contains_function_call_output("paid 5")
        else:
            assert "paid 5" not in str(result.events)
        result.expect[-1].is_message()


async def test_agents_that_a_conversation_is_handed_to_and_agents_in_tools_are_subagents() -> None:
    def inner_reply(items: list[Any]) -> list[Any]:
        output = last_output(items)
        return [f"found {output}"] if output is not None else [("i1", "search", {"what": "rows"})]

    @function_tool
    def search(what: str) -> str:
        return f"some {what}"

    researcher: Agent[Any] = Agent(name="researcher", model=Scripted(inner_reply), tools=[search])

    def reply(items: list[Any]) -> list[Any]:
        output = last_output(items)
        return [f"Done: {output}"] if output is not None else [("c1", "research", {"input": "rows"})]

    tool = researcher.as_tool("research", "Researches")
    agent: Agent[Any] = Agent(name="boss", model=Scripted(reply), tools=[tool])
    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
        with mock_tools(agent, {"search": lambda what: "mocked"}):
            mocked = await session.run("Again")
    names = [event.name for event in result.events if isinstance(event, FunctionCallEvent)]
    assert names == ["research", "search"]
    result.check("tools: { subagents: exclude, forbid: [search], require: [research] }")
    assert result.findings("tools: { forbid: [search] }")
    mocked.expect.contains_function_call_output("mocked")

    def triage(items: list[Any]) -> list[Any]:
        return [("h1", "transfer_to_researcher", {})]

    def after_handoff(items: list[Any]) -> list[Any]:
        is_done = any(isinstance(item, dict) and item.get("call_id") == "i1" and "output" in item for item in items)
        return ["All found."] if is_done else [("i1", "search", {"what": "rows"})]

    specialist: Agent[Any] = Agent(name="researcher", model=Scripted(after_handoff), tools=[search])
    first: Agent[Any] = Agent(name="triage", model=Scripted(triage), handoffs=[specialist])
    async with TestSession(agent=first) as session:
        result = await session.run("Hi")
    result.expect.contains_function_call("search")
    result.check("tools: { subagents: exclude, forbid: [search] }")


async def test_tools_that_the_provider_runs_are_not_shown() -> None:
    agent: Agent[Any] = Agent(name="searches", model=Scripted(lambda items: ["Found."]), tools=[WebSearchTool()])
    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    (found,) = result.findings("tools: { forbid: [pay] }")
    assert (found["status"], "its provider runs it" in found["message"]) == ("not_shown", True)
    result.check("text: Found")


async def test_output_that_is_structured_is_a_message() -> None:
    class Answer(BaseModel):
        degrees: int

    agent: Agent[Any] = Agent(name="x", model=Scripted(lambda items: ['{"degrees":21}']), output_type=Answer)
    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    assert json.loads(result.expect[-1].is_message().event().content) == {"degrees": 21}
    assert len(result.events) == 1

    stops = weather_agent(tool_use_behavior="stop_on_first_tool")
    async with TestSession(agent=stops) as session:
        result = await session.run("Hi")
    assert result.expect[-1].is_message().event().content == "real Paris"


async def test_instructions_of_the_session_and_an_agent_as_judge() -> None:
    agent = weather_agent(instructions="of the agent")
    async with TestSession(agent=agent, instructions="of the session") as session:
        await session.run("Hi")
    assert isinstance(agent.model, Scripted)
    assert agent.model.seen[0][0] == "of the session"
    judge: Agent[Any] = Agent(name="judge", model=Scripted(lambda items: ["PASS: fine"]))
    await weather().expect[2].is_message().judge(judge, intent="gives the weather")
