"""The plugin of Vision-Agents for OpenAI, where it is installed, with a server on this machine."""

from importlib import import_module
from typing import Any

import pytest

import ananke_test
from ananke_test import JudgeError, TestSession, mock_tools
from tests.chat_server import ChatServer
from tests.conftest import call, weather

plugin: Any = pytest.importorskip("vision_agents.plugins.openai")

KINDS = pytest.mark.parametrize("kind", [plugin.ChatCompletionsLLM, plugin.LLM])

PARIS = call("get_weather", '{"city": "Paris"}')


def with_weather(kind: Any, server: ChatServer) -> Any:
    openai: Any = pytest.importorskip("openai")
    llm = kind(model="m", client=openai.AsyncOpenAI(base_url=server.endpoint, api_key="none", max_retries=0))

    async def get_weather(city: str) -> str:
        """Gives the weather."""
        if city == "Atlantis":
            raise LookupError("no such city")
        return f"21 degrees in {city}"

    llm.register_function()(get_weather)
    return llm


@KINDS
async def test_turns_with_a_tool(kind: Any, server: ChatServer) -> None:
    llm = with_weather(kind, server)
    server.replies += [PARIS, "It is warm.", call("get_weather", '{"city": "Atlantis"}', "2"), "It is lost.", PARIS, ""]
    async with TestSession(llm=llm, instructions="Be short.") as session:
        result = await session.run("Hi")
        result.expect.next_event().is_function_call("get_weather", {"city": "Paris"})
        result.expect.next_event().is_function_call_output("21 degrees in Paris", is_error=False)
        assert result.expect.next_event().is_message("assistant").event().content == "It is warm."
        result.expect.no_more_events()
        later = await session.run("And there?")
        later.expect.contains_function_call_output({"error": "no such city"}, is_error=True)
        with mock_tools(llm, {"get_weather": lambda city: "cold"}):
            last = await session.run("And?")
    last.expect[1].is_function_call_output("cold")
    assert len(last.events) == 2
    first = server.requests[0]
    if kind is plugin.LLM:
        # Its history is at the provider.
        assert first["instructions"] == "Be short."
        assert server.said(server.requests[2]) == ["And there?"]
    else:
        assert first["messages"][0] == {"role": "system", "content": "Be short."}
        assert server.said(server.requests[2]) == ["Hi", "It is warm.", "And there?"]
    await llm.close()


@KINDS
async def test_sessions_have_their_own_history(kind: Any, server: ChatServer) -> None:
    llm = with_weather(kind, server)
    server.replies += ["a", "b", "c"]
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        await one.run("1")
        await other.run("2")
        await one.run("3")
    if kind is plugin.LLM:
        conversations = [request["conversation"] for request in server.requests]
        assert conversations[0] == conversations[2] != conversations[1]
    else:
        assert [server.said(request) for request in server.requests] == [["1"], ["2"], ["1", "a", "3"]]
    await llm.close()


@KINDS
async def test_errors_of_the_provider_are_raised(kind: Any, server: ChatServer) -> None:
    llm = with_weather(kind, server)
    server.replies += [429, PARIS, 429]
    openai: Any = pytest.importorskip("openai")
    for calls in ([], ["get_weather"]):
        # An error ends its session.
        async with TestSession(llm=llm) as session:
            with pytest.raises(openai.RateLimitError, match="no model today") as raised:
                await session.run("Hi")
        assert [event.name for event in raised.value.events if event.type == "function_call"] == calls
    await llm.close()


@KINDS
async def test_a_judge(kind: Any, server: ChatServer) -> None:
    llm = with_weather(kind, server)
    server.replies += ["PASS: it does", "FAIL: it is long", 429, 429]
    message = weather().expect[2].is_message()
    await message.judge(llm, intent="gives the weather")
    with pytest.raises(AssertionError, match="the judge rejects `is short`: it is long"):
        await message.judge(llm, intent="is short")
    with pytest.raises(JudgeError, match="no model today"):
        await message.judge(llm, intent="is short")
    assert [len(server.said(request)) for request in server.requests] == [1, 1, 1, 1]
    if kind is plugin.LLM:
        assert len({request["conversation"] for request in server.requests}) == 4
    await llm.close()


@KINDS
@pytest.mark.parametrize("testing", [ananke_test, import_module("vision_agents.testing")], ids=["ours", "theirs"])
async def test_the_same_test_with_the_testing_module_of_the_package(testing: Any, kind: Any, server: ChatServer) -> None:
    # There, a judge of the other kind has no conversation, and is never asked.
    llm, judging = with_weather(kind, server), with_weather(plugin.LLM, server)
    lost = call("get_weather", '{"city": "Atlantis"}', "2")
    server.replies += [PARIS, "It is warm.", lost, "It is lost.", PARIS, "It is cold."]
    judge = testing.LLMJudge(judging)
    async with testing.TestSession(llm=llm, instructions="Be short.") as session:
        warm = await session.simple_response("Paris?")
        failed = await session.simple_response("And Atlantis?")
        with session.mock_functions({"get_weather": lambda city: f"snow in {city}"}) as mocks:
            cold = await session.simple_response("And now?")
    warm.assert_function_called("get_weather", arguments={"city": "Paris"})
    warm.assert_function_output("get_weather", output="21 degrees in Paris", is_error=False)
    failed.assert_function_output("get_weather", output={"error": "no such city"}, is_error=True)
    cold.assert_function_output("get_weather", output="snow in Paris")
    mocks["get_weather"].assert_called_once_with(city="Paris")
    with pytest.raises(AssertionError):
        cold.assert_function_called("get_weather", arguments={"city": "Rome"})
    assert [response.output for response in (warm, failed, cold)] == ["It is warm.", "It is lost.", "It is cold."]
    server.replies += ['{"verdict": "pass", "reason": "it is"}', '{"verdict": "fail", "reason": "it is not"}']
    verdicts = [await judge.evaluate(cold.chat_messages[0], intent=f"It is {what}") for what in ("cold", "warm")]
    assert [(verdict.success, verdict.reason) for verdict in verdicts] == [(True, "it is"), (False, "it is not")]
    await llm.close()
    await judging.close()


async def test_a_realtime_llm_is_refused() -> None:
    with pytest.raises(TypeError, match="realtime"):
        await TestSession(llm=plugin.Realtime(api_key="none")).start()
