"""Functions of LLM objects of Vision-Agents: their calls are seen where they run, announced by events or not."""

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import wraps
from importlib import import_module
from typing import Any
from unittest.mock import AsyncMock

import pytest

from ananke_test import LateEventWarning, RunResult, SyncTestSession, TestSession, mock_functions, mock_tools, tool
from tests.fake_vision_agents import FakeLLM, OlderLLM, ReleasedLLM, install
from tests.real_vision_agents import real_kinds

REAL = real_kinds()

FAKES = [ReleasedLLM, OlderLLM]

Reply = Callable[[Any], Awaitable[Any]]


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


def entries(llm: Any) -> dict[str, Any]:
    registry = llm.function_registry
    found: dict[str, Any] = getattr(registry, "functions", None) or registry._functions
    return found


def is_as_before(llm: Any) -> bool:
    """Whether nothing of a session is left in an LLM."""
    functions = [entry.function for entry in entries(llm).values()]
    changed = [function for function in functions if "RegisteredFunction" in repr(vars(function))]
    return not changed and "send" not in vars(llm.events) and "register" not in vars(llm.function_registry)


async def by_the_registry(llm: Any) -> None:
    await llm.function_registry.call_function("get_weather", {"city": "Paris"})


async def by_the_callable(llm: Any) -> None:
    await llm.function_registry.get_callable("get_weather")(city="Paris")


async def by_position(llm: Any) -> None:
    await llm.function_registry.get_callable("get_weather")("Paris")


async def by_the_entry(llm: Any) -> None:
    await entries(llm)["get_weather"].function(city="Paris")


async def in_a_task(llm: Any) -> None:
    await asyncio.create_task(by_the_registry(llm))


async def in_a_thread(llm: Any) -> None:
    await asyncio.to_thread(lambda: asyncio.run(by_the_registry(llm)))


async def in_a_thread_without_its_context(llm: Any) -> None:
    await asyncio.get_running_loop().run_in_executor(None, lambda: asyncio.run(by_the_registry(llm)))


def events(llm: Any, number: str | None, arguments: dict[str, Any], result: Any) -> tuple[Any, Any]:
    """The events about a call."""
    kinds = import_module("vision_agents.core.llm.events")
    begin = kinds.ToolStartEvent(tool_name="get_weather", arguments=arguments, tool_call_id=number)
    end = kinds.ToolEndEvent(
        tool_name="get_weather", success=True, result=result, error=None, tool_call_id=number, execution_time_ms=1.0
    )
    return begin, end


@pytest.mark.parametrize(
    "reply",
    [
        by_the_registry,
        by_the_callable,
        by_position,
        by_the_entry,
        in_a_task,
        in_a_thread,
        in_a_thread_without_its_context,
    ],
)
async def test_a_call_without_events_is_seen(kind: type[FakeLLM], reply: Reply) -> None:
    llm = with_weather(kind, reply, "It is warm.")
    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    result.expect.next_event().is_function_call("get_weather", {"city": "Paris"})
    result.expect.next_event().is_function_call_output("real Paris", is_error=False)
    result.expect.next_event().is_message("assistant")
    result.expect.no_more_events()
    with pytest.raises(AssertionError, match="get_weather"):
        result.check("tools: { forbid: get_weather }")
    assert is_as_before(llm)


async def test_an_exception_of_a_call_without_events(kind: type[FakeLLM]) -> None:
    async def lost(llm: Any) -> None:
        with pytest.raises(LookupError):
            await llm.function_registry.call_function("get_weather", {"city": "Atlantis"})
        await llm.function_registry.call_function("get_weather", {"city": "Atlantis"})

    llm = with_weather(kind, lost)
    async with TestSession(llm=llm) as session:
        with pytest.raises(LookupError, match="no such city") as raised:
            await session.run("Hi")
        assert is_as_before(llm)
    seen = RunResult(raised.value.events)  # type: ignore[attr-defined]
    seen.check("tools: { require: { name: get_weather, count: 2 } }")
    seen.expect[1].is_function_call_output({"error": "no such city"}, is_error=True)


@pytest.mark.parametrize("number", ["7", None])
@pytest.mark.parametrize("order", ["after", "around"])
async def test_a_call_that_is_announced_and_runs_is_one_call(kind: type[FakeLLM], order: str, number: str | None) -> None:
    async def reply(llm: Any) -> None:
        begin, end = events(llm, number, {"city": "Paris"}, "real Paris")
        if order == "around":
            llm.events.send(begin)
        await by_the_registry(llm)
        if order == "around":
            llm.events.send(end)
        if order == "after":
            llm.events.send(begin)
            llm.events.send(end)

    llm = with_weather(kind, reply, "a")
    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    assert [event.type for event in result.events] == ["function_call", "function_call_output", "message"]
    result.check("tools: { require: { name: get_weather, args: { city: Paris }, count: 1 } }")
    result.expect[1].is_function_call_output("real Paris", is_error=False)
    if number is not None and order != "after":
        assert result.expect[0].is_function_call().event().tool_call_id == number


async def test_each_run_of_one_announced_call_counts(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        begin, end = events(llm, "7", {"city": "Paris"}, "real Paris")
        llm.events.send(begin)
        await by_the_registry(llm)
        await by_the_registry(llm)
        llm.events.send(end)

    async with TestSession(llm=with_weather(kind, reply, "a")) as session:
        result = await session.run("Hi")
    result.check("tools: { require: { name: get_weather, count: 2 } }")


async def test_a_run_after_the_end_of_an_announced_call_is_another_one(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        for event in events(llm, "7", {"city": "Paris"}, "of the provider"):
            llm.events.send(event)
        await by_the_registry(llm)

    async with TestSession(llm=with_weather(kind, reply, "a")) as session:
        result = await session.run("Hi")
    assert [event.output for event in result.events if event.type == "function_call_output"] == ["of the provider", "real Paris"]
    result.check("tools: { require: { name: get_weather, count: 2 } }")


async def test_a_call_that_runs_with_other_arguments_than_announced_is_another_one(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        begin, end = events(llm, "7", {"city": "Rome"}, "real Rome")
        llm.events.send(begin)
        await by_the_registry(llm)
        llm.events.send(end)

    async with TestSession(llm=with_weather(kind, reply, "a")) as session:
        result = await session.run("Hi")
    cities = [event.arguments["city"] for event in result.events if event.type == "function_call"]
    assert cities == ["Rome", "Paris"]


async def test_what_ran_counts_and_not_what_an_event_says(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        begin, end = events(llm, "7", {"city": "Atlantis"}, "fine")
        llm.events.send(begin)
        with pytest.raises(LookupError):
            await llm.function_registry.call_function("get_weather", {"city": "Atlantis"})
        llm.events.send(end)

    async with TestSession(llm=with_weather(kind, reply, "a")) as session:
        result = await session.run("Hi")
    result.expect[1].is_function_call_output({"error": "no such city"}, is_error=True)
    assert len(result.events) == 3


async def test_the_same_call_at_once_announced_and_not(kind: type[FakeLLM]) -> None:
    call = ("get_weather", {"city": "Paris"})

    async def both(llm: Any) -> None:
        await asyncio.gather(by_the_registry(llm), by_the_registry(llm))

    async with TestSession(llm=with_weather(kind, both, [call, call], both, "a")) as session:
        result = await session.run("Hi")
    result.check("tools: { require: { name: get_weather, count: 6 } }")
    outputs = [event for event in result.events if event.type == "function_call_output"]
    assert [event.output for event in outputs] == ["real Paris"] * 6


async def test_a_call_inside_a_call(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, [("plan", {})], "a")

    @llm.register_function("plan")
    async def plan() -> str:
        return str(await llm.function_registry.call_function("get_weather", {"city": "Paris"}))

    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    result.check("tools: { require: [plan, get_weather] }")
    assert result.findings("tools: { forbid: get_weather }")
    assert result.findings({"tools": {"forbid": "get_weather", "subagents": "exclude"}}) == []


async def test_mocks_of_calls_without_events(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, by_the_registry, "a", by_the_registry, "b", by_the_registry, "c")
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": lambda city: f"mocked {city}"}) as mocks:
            (await session.run("Hi")).expect[1].is_function_call_output("mocked Paris")
        mocks["get_weather"].assert_called_once_with(city="Paris")
        with session.mock_functions({"get_weather": LookupError("closed")}) as functions:  # type: ignore[dict-item] # pyright: ignore[reportArgumentType]
            with pytest.raises(LookupError, match="closed") as raised:
                await session.run("Hi")
            functions["get_weather"].assert_awaited_once_with(city="Paris")
    RunResult(raised.value.events).expect[1].is_function_call_output({"error": "closed"}, is_error=True)  # type: ignore[attr-defined]
    assert is_as_before(llm)


async def test_a_mock_that_calls_what_a_turn_has_kept_is_one_call(kind: type[FakeLLM]) -> None:
    kept: list[Any] = []

    async def keep(llm: Any) -> None:
        kept.append(llm.function_registry.get_callable("get_weather"))

    llm = with_weather(kind, keep, "a", by_the_registry, "b")
    async with TestSession(llm=llm) as session:
        await session.run("Hi")
        with mock_functions(llm, {"get_weather": kept[0]}) as mocks:
            entries(llm)["get_weather"].function = mocks["get_weather"]
            result = await session.run("Hi")
    mocks["get_weather"].assert_awaited_once_with(city="Paris")
    assert [event.type for event in result.events] == ["function_call", "function_call_output", "message"]
    result.expect[1].is_function_call_output("real Paris")


async def test_a_function_that_is_replaced_during_a_block_is_seen(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, by_the_registry, "a", by_the_registry, "b")
    async with TestSession(llm=llm) as session:
        real = entries(llm)["get_weather"].function
        with mock_tools(llm, {"get_weather": lambda city: "ours"}):
            ours = entries(llm)["get_weather"].function
            entries(llm)["get_weather"].function = AsyncMock(return_value="theirs")
            (await session.run("Hi")).expect[1].is_function_call_output("theirs")
            entries(llm)["get_weather"].function = ours
            (await session.run("Hi")).expect[1].is_function_call_output("ours")
        assert entries(llm)["get_weather"].function is real


async def test_a_function_that_wraps_one_during_a_block_is_seen(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, by_the_registry, "a")
    entry = entries(llm)["get_weather"]
    real = entry.function
    with mock_tools(llm, {"get_weather": lambda city: "ours"}):
        ours = entry.function

        @wraps(ours)
        async def theirs(city: str) -> str:
            return f"theirs and {await ours(city=city)}"

        entry.function = theirs
        async with TestSession(llm=llm) as session:
            result = await session.run("Hi")
        assert entry.function is theirs
        entry.function = ours
    assert entry.function is real
    result.expect[1].is_function_call_output("theirs and ours")
    assert len(result.events) == 3


async def test_mocks_that_begin_and_end_during_a_turn(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        with ExitStack() as later:
            with mock_tools(llm, {"get_weather": lambda city: "first"}):
                later.enter_context(mock_tools(llm, {"get_weather": lambda city: "second"}))
                await by_the_registry(llm)
            await by_the_registry(llm)
        await by_the_registry(llm)

    llm = with_weather(kind, reply, "a")
    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    outputs = [event.output for event in result.events if event.type == "function_call_output"]
    assert outputs == ["second", "second", "real Paris"]
    assert is_as_before(llm)


async def test_a_function_that_is_registered_during_a_turn(kind: type[FakeLLM]) -> None:
    async def reply(llm: Any) -> None:
        async def find(row: int) -> list[str]:
            return [f"{row}A"]

        llm.register_function("find")(find)
        await llm.function_registry.call_function("find", {"row": 7})

    llm = with_weather(kind, reply, "a")
    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    result.check("tools: { require: { name: find, args: { row: 7 } } }")
    assert is_as_before(llm)
    assert await entries(llm)["find"].function(row=8) == ["8A"]


async def test_a_tool_that_is_registered_is_one_call(kind: type[FakeLLM]) -> None:
    llm = kind([("find", {"row": 7})], by_find, "a", by_find, "b")

    async def find(row: int) -> str:
        return f"{row}A"

    llm.register_function("find")(tool(find))
    async with TestSession(llm=llm) as session:
        (await session.run("Hi")).check("tools: { require: { name: find, args: { row: 7 }, count: 2 } }")
        with mock_tools(llm, {"find": lambda row: "none"}):
            result = await session.run("Hi")
    result.expect[1].is_function_call_output("none")
    assert len(result.events) == 3


async def by_find(llm: Any) -> None:
    await llm.function_registry.call_function("find", {"row": 7})


async def test_sessions_of_two_llms_at_once(kind: type[FakeLLM]) -> None:
    waiting: list[str] = []
    both = asyncio.Event()

    def reply(city: str) -> Reply:
        async def of(llm: Any) -> None:
            waiting.append(city)
            if len(waiting) == 2:
                both.set()
            await both.wait()
            await llm.function_registry.call_function("get_weather", {"city": city})

        return of

    one, other = with_weather(kind, reply("Paris"), "a"), with_weather(kind, reply("Rome"), "b")
    async with TestSession(llm=one) as first, TestSession(llm=other) as second:
        results = await asyncio.gather(first.run("Hi"), second.run("Hi"))
    for result, city in zip(results, ("Paris", "Rome"), strict=True):
        assert [event.type for event in result.events] == ["function_call", "function_call_output", "message"]
        result.expect[0].is_function_call(arguments={"city": city})
    assert is_as_before(one)
    assert is_as_before(other)


async def test_an_llm_that_asks_another_one(kind: type[FakeLLM]) -> None:
    expert = with_weather(kind, by_the_registry, "warm")
    llm = with_weather(kind, [("ask", {})], by_the_registry, "a")
    inner: list[RunResult] = []

    @llm.register_function("ask")
    async def ask() -> str:
        async with TestSession(llm=expert) as session:
            inner.append(await session.run("Hi"))
        await by_the_registry(llm)
        return "asked"

    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    inner[0].check("tools: { require: { name: get_weather, count: 1 } }")
    result.check("tools: { require: [{ name: get_weather, count: 2 }, { name: ask, count: 1 }] }")


async def test_sessions_of_one_llm_at_once(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, by_the_registry, "a", by_the_registry, by_the_registry, "b")
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        results = await asyncio.gather(one.run("1"), other.run("2"))
    # Either may be the first.
    assert sorted(len(result.events) for result in results) == [3, 5]
    assert is_as_before(llm)


async def test_one_llm_in_two_event_loops(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def first(llm: Any) -> None:
        begun.set()
        await ended.wait()
        await by_the_registry(llm)

    # The second one is asked in a loop of its own, meanwhile.
    llm.replies += [first, by_the_registry, "b", "a"]
    with SyncTestSession(llm=llm) as other:
        async with TestSession(llm=llm) as one:
            running = asyncio.create_task(one.run("1"))
            await begun.wait()
            second = await asyncio.to_thread(other.run, "2")
            ended.set()
            result = await running
    assert len(second.events) == len(result.events) == 3
    assert is_as_before(llm)


async def test_a_call_that_may_be_one_of_two_turns_is_not_shown(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def first(llm: Any) -> None:
        begun.set()
        await ended.wait()

    llm.replies += [first, in_a_thread_without_its_context, "b", "a"]
    with SyncTestSession(llm=llm) as other:
        async with TestSession(llm=llm) as one:
            running = asyncio.create_task(one.run("1"))
            await begun.wait()
            results = [await asyncio.to_thread(other.run, "2")]
            ended.set()
            results.append(await running)
    for result in results:
        with pytest.raises(AssertionError, match="of one of several turns"):
            result.check("tools: { forbid: get_weather }")


async def test_calls_outside_of_turns_are_no_events(kind: type[FakeLLM]) -> None:
    llm = with_weather(kind, "a", by_the_registry, "b")
    async with TestSession(llm=llm) as session:
        await by_the_registry(llm)
        first = await session.run("Hi")
        await by_the_registry(llm)
        second = await session.run("Hi")
    assert (len(first.events), len(second.events)) == (1, 3)


async def test_a_call_that_a_turn_has_left_behind_is_a_warning(kind: type[FakeLLM]) -> None:
    left: list[asyncio.Task[None]] = []
    second = asyncio.Event()

    async def later(llm: Any) -> None:
        await second.wait()
        await by_the_registry(llm)

    async def begin(llm: Any) -> None:
        left.append(asyncio.create_task(later(llm)))

    async def wait(llm: Any) -> None:
        second.set()
        await left[0]

    llm = with_weather(kind, begin, "a", wait, "b")
    async with TestSession(llm=llm) as session:
        await session.run("Hi")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = await session.run("Hi")
    assert len(result.events) == 1
    assert any(issubclass(warning.category, LateEventWarning) for warning in caught)


async def test_a_cancelled_run_leaves_nothing(kind: type[FakeLLM]) -> None:
    begun = asyncio.Event()
    llm = with_weather(kind, [("wait", {})])

    @llm.register_function("wait")
    async def wait() -> None:
        begun.set()
        await asyncio.sleep(60)

    async with TestSession(llm=llm) as session:
        running = asyncio.create_task(session.run("Hi"))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    for _ in range(200):
        if is_as_before(llm):
            break
        await asyncio.sleep(0.01)
    assert is_as_before(llm)


async def test_a_registry_of_an_unknown_kind_is_an_error(kind: type[FakeLLM]) -> None:
    llm = kind("a")
    llm.function_registry = object()
    async with TestSession(llm=llm) as session:
        with pytest.raises(TypeError, match="in an unknown way"):
            await session.run("Hi")
    assert "send" not in vars(llm.events)
