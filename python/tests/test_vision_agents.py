"""LLM objects of Vision-Agents: with a fake of their interface, and with the package itself where it is installed."""

import asyncio
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from ananke_test import AgentError, JudgeError, TestSession, mock_tools
from tests.conftest import weather
from tests.fake_vision_agents import FakeLLM, OlderLLM, Realtime, ReleasedLLM, Unreported, install
from tests.real_vision_agents import real_agent, real_kinds

REAL = real_kinds()

FAKES = [ReleasedLLM, OlderLLM]


@pytest.fixture(params=[*FAKES, *REAL], ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[FakeLLM]:
    """A kind of LLMs."""
    if request.param in FAKES:
        install(monkeypatch)
    found: type[FakeLLM] = request.param
    return found


def with_weather(kind: type[FakeLLM], *replies: Any) -> FakeLLM:
    llm = kind(*replies)

    @llm.register_function("get_weather")
    async def get_weather(city: str) -> str:
        if city == "Atlantis":
            raise LookupError("no such city")
        return f"real {city}"

    return llm


def registered(llm: FakeLLM, name: str) -> Any:
    """The function that the registry of an LLM has now."""
    registry: Any = llm.function_registry
    functions: Any = getattr(registry, "functions", None) or registry._functions
    return functions[name].function


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
    assert (llm._instructions, llm._conversation, llm.handlers()) == ("its own", None, [])


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


async def test_mocks_that_end_in_the_order_in_which_they_began_leave_nothing(kind: type[FakeLLM]) -> None:
    calls = [("get_weather", {"city": "Paris"})]
    llm = with_weather(kind, calls, "a", calls, "b")
    real = registered(llm, "get_weather")
    first = mock_tools(llm, {"get_weather": lambda city: "first"})
    second = mock_tools(llm, {"get_weather": lambda city: "second"})
    async with TestSession(llm=llm) as session:
        with ExitStack() as later:
            with first:
                later.enter_context(second)
            (await session.run("Hi")).expect.contains_function_call_output("second")
        assert registered(llm, "get_weather") is real
        (await session.run("Hi")).expect.contains_function_call_output("real Paris")


async def in_a_coroutine(city: str) -> str:
    return "mocked"


def failing(city: str) -> str:
    raise LookupError("no weather today")


@pytest.mark.parametrize(
    ("mock", "output"),
    [
        (in_a_coroutine, "mocked"),
        (Mock(return_value="mocked"), "mocked"),
        (AsyncMock(return_value="mocked"), "mocked"),
        (failing, {"error": "no weather today"}),
        (Mock(side_effect=LookupError("no weather today")), {"error": "no weather today"}),
    ],
    ids=["async", "Mock", "AsyncMock", "raises", "Mock that raises"],
)
async def test_kinds_of_mocks(kind: type[FakeLLM], mock: Any, output: Any) -> None:
    llm = with_weather(kind, [("get_weather", {"city": "Paris"})], "a")
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": mock}):
            result = await session.run("Hi")
    result.expect[1].is_function_call_output(output, is_error=isinstance(output, dict))


@pytest.mark.parametrize("is_mocked", [False, True])
async def test_an_error_inside_a_function_leaves_the_llm_as_it_was(kind: type[FakeLLM], is_mocked: bool) -> None:
    llm = with_weather(kind, [("get_weather", {"city": "Atlantis"})], "Sorry.", ConnectionError("no model"))
    real = registered(llm, "get_weather")
    async with TestSession(llm=llm, instructions="Be short.") as session:
        with mock_tools(llm, {"get_weather": failing} if is_mocked else {}):
            result = await session.run("Hi")
            assert (registered(llm, "get_weather") is real) is not is_mocked
            with pytest.raises(ConnectionError, match="no model"):
                await session.run("And?")
        assert registered(llm, "get_weather") is real
    error = "no weather today" if is_mocked else "no such city"
    result.expect.contains_function_call_output({"error": error}, is_error=True)
    assert (llm._instructions, llm._conversation, llm.handlers()) == ("its own", None, [])


@pytest.mark.parametrize("reply", [ConnectionError("no model"), Unreported(ConnectionError("no model"))])
async def test_a_failed_request_is_not_an_empty_turn(kind: type[FakeLLM], reply: Any) -> None:
    calls = [("get_weather", {"city": "Paris"})]
    async with TestSession(llm=with_weather(kind, reply, calls, reply)) as session:
        with pytest.raises(ConnectionError, match="no model"):
            await session.run("Hi")


async def test_an_error_that_is_an_assertion_is_not_one_of_the_test(kind: type[FakeLLM]) -> None:
    async with TestSession(llm=kind(AssertionError("in the plugin"))) as session:
        with pytest.raises(AgentError, match="the LLM failed: in the plugin") as raised:
            await session.run("Hi")
    assert isinstance(raised.value.__cause__, AssertionError)


async def test_sessions_of_one_llm_have_their_own_history(kind: type[FakeLLM]) -> None:
    llm = kind("a", "b", "c")
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        await one.run("1")
        await other.run("2")
        await one.run("3")
    assert [len(said) for _, _, said in llm.asked] == [1, 1, 3]


async def test_runs_with_one_llm_follow_each_other(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, [("get_weather", {"city": "Paris"})], "a", [("get_weather", {"city": "Rome"})], "b")
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        for result in await asyncio.gather(one.run("1"), other.run("2")):
            assert len(result.events) == 3
            result.expect[1].is_function_call_output(f"real {result.events[0].arguments['city']}")  # type: ignore[union-attr]
    assert [len(said) for _, _, said in llm.asked] == [1, 1]


async def test_a_history_of_the_plugin_is_that_of_a_session(kind: type[FakeLLM]) -> None:
    seen: list[Any] = []

    llm: Any = kind("a", "b", "c", "PASS: fine")
    llm.openai_conversation = "its own"
    respond = llm.simple_response

    def simple_response(*args: Any, **arguments: Any) -> Any:
        seen.append(llm.openai_conversation)
        llm.openai_conversation = llm.openai_conversation or len(seen)
        return respond(*args, **arguments)

    llm.simple_response = simple_response
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        await one.run("1")
        await other.run("2")
        await one.run("3")
    await weather().expect[2].is_message().judge(llm, intent="gives the weather")
    assert seen == [None, None, 1, None]
    assert llm.openai_conversation == "its own"


async def test_an_llm_that_asks_itself_is_refused(kind: type[FakeLLM]) -> None:
    llm = kind([("ask", {})], "a")

    @llm.register_function("ask")
    async def ask() -> None:
        async with TestSession(llm=llm) as inner:
            await inner.run("Hi")

    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    output = result.expect[1].is_function_call_output(is_error=True).event().output
    assert "the LLM is asked by one of its own functions" in output["error"]


async def test_a_realtime_llm_is_refused() -> None:
    with pytest.raises(TypeError, match="realtime"):
        await TestSession(llm=Realtime()).start()


async def test_from_agent(kind: type[FakeLLM]) -> None:
    llm = kind([("get_weather", {"city": "Paris"})], "a")

    @llm.register_function("get_weather")
    async def get_weather(city: str) -> int:
        return 21

    if kind in REAL:
        agent = real_agent(llm, "All of it.")
    else:
        agent = SimpleNamespace(llm=llm, instructions=SimpleNamespace(full_reference="All of it."))
    async with TestSession.from_agent(agent) as session:
        result = await session.run("Hi")
    assert llm.asked[0][0] == "All of it."
    result.expect.contains_function_call_output(21)


async def test_an_llm_as_judge(kind: type[FakeLLM]) -> None:
    # After an error, it is asked once more.
    failed = [ConnectionError("no judge")] * 2 + [Unreported(ConnectionError("no judge"))] * 2
    judge = kind("PASS: fine", "FAIL: long", *failed)
    message = weather().expect[2].is_message()
    await message.judge(judge, intent="gives the weather")
    with pytest.raises(AssertionError, match="the judge rejects `is short`: long"):
        await message.judge(judge, intent="is short")
    for _ in range(2):
        with pytest.raises(JudgeError, match="no judge"):
            await message.judge(judge, intent="is short")
    assert (judge._instructions, judge._conversation, judge.handlers()) == ("its own", None, [])
    assert {len(said) for _, _, said in judge.asked} == {1}
