"""LLM objects of Vision-Agents, with a fake of their interface."""

from types import SimpleNamespace
from typing import Any

import pytest

from ananke_test import JudgeError, TestSession, mock_tools
from tests.conftest import weather
from tests.fake_vision_agents import FakeLLM, OlderLLM, Realtime, ReleasedLLM, install

KINDS = pytest.mark.parametrize("kind", [ReleasedLLM, OlderLLM])


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def with_weather(kind: type[FakeLLM], *replies: Any) -> FakeLLM:
    llm = kind(*replies)

    @llm.register_function("get_weather")
    async def get_weather(city: str) -> str:
        if city == "Atlantis":
            raise LookupError("no such city")
        return f"real {city}"

    return llm


@KINDS
async def test_events_and_history(kind: type[FakeLLM]) -> None:
    calls = [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Atlantis"})]
    llm = with_weather(kind, calls, "It is warm.", "")
    async with TestSession(llm=llm, instructions="Be short.") as session:
        result = await session.run("Hi")
        result.expect.next_event().is_function_call("get_weather", {"city": "Paris"})
        result.expect.next_event(type="function_call_output")
        result.expect.contains_function_call_output("real Paris", is_error=False)
        result.expect.contains_function_call_output({"error": "no such city"}, is_error=True)
        assert result.expect[-1].is_message("assistant").event().content == "It is warm."
        (await session.run("And?")).expect.no_more_events()
    result.check("tools: { require: { name: get_weather, count: 2 } }")
    (instructions, participant, said), (_, _, later) = llm.asked
    assert instructions == "Be short."
    assert participant.user_id == "test-user"
    assert said == [("user", "Hi")]
    assert later == [("user", "Hi"), ("assistant", "It is warm."), ("user", "And?")]
    assert (llm._instructions, llm._conversation, llm.events.handlers) == ("its own", None, [])


@KINDS
async def test_functions_are_replaced(kind: type[FakeLLM]) -> None:
    calls = [("get_weather", {"city": "Paris"})]
    llm = with_weather(kind, calls, "a", calls, "b")
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": lambda city: f"mocked {city}"}) as mocks:
            (await session.run("Hi")).expect.contains_function_call_output("mocked Paris")
            mocks["get_weather"].assert_called_once_with(city="Paris")
        (await session.run("Hi")).expect.contains_function_call_output("real Paris")
    with pytest.raises(KeyError, match="the tools are `get_weather`"), mock_tools(llm, {"nothing": lambda: 1}):
        pass


@KINDS
async def test_a_failed_request_is_not_an_empty_turn(kind: type[FakeLLM]) -> None:
    async with TestSession(llm=kind(ConnectionError("no model"))) as session:
        with pytest.raises(ConnectionError, match="no model"):
            await session.run("Hi")


async def test_sessions_of_one_llm_have_their_own_history() -> None:
    llm = ReleasedLLM("a", "b", "c")
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        await one.run("1")
        await other.run("2")
        await one.run("3")
    assert [len(said) for _, _, said in llm.asked] == [1, 1, 3]


async def test_a_realtime_llm_is_refused() -> None:
    with pytest.raises(TypeError, match="realtime"):
        await TestSession(llm=Realtime()).start()


async def test_from_agent() -> None:
    llm = ReleasedLLM("a")
    agent = SimpleNamespace(llm=llm, instructions=SimpleNamespace(full_reference="All of it."))
    async with TestSession.from_agent(agent) as session:
        await session.run("Hi")
    assert llm.asked[0][0] == "All of it."


@KINDS
async def test_an_llm_as_judge(kind: type[FakeLLM]) -> None:
    judge = kind("PASS: fine", "FAIL: long", ConnectionError("no judge"))
    message = weather().expect[2].is_message()
    await message.judge(judge, intent="gives the weather")
    with pytest.raises(AssertionError, match="the judge rejects `is short`: long"):
        await message.judge(judge, intent="is short")
    with pytest.raises(JudgeError, match="no judge"):
        await message.judge(judge, intent="is short")
    assert (judge._instructions, judge._conversation) == ("its own", None)
    assert {len(said) for _, _, said in judge.asked} == {1}
