"""The interface of `vision_agents.testing`: the same tests with that module and with this package, which is imported instead.

Where Vision-Agents is not installed, they run with this package and a fake.
"""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY, AsyncMock

import pytest

import ananke_test
from ananke_test import AgentError, FunctionLLM, JudgeError, SyncTestSession, TestSession
from tests.conftest import call, scripted
from tests.fake_vision_agents import FakeLLM, LLMResponseDelta, LLMResponseFinal, OlderLLM, ReleasedLLM, install
from tests.real_vision_agents import IS_INSTALLED, real_kinds

REAL = real_kinds()

OURS: Any = ananke_test
THEIRS: Any = import_module("vision_agents.testing") if IS_INSTALLED else None

CASES = [(OURS, kind) for kind in (ReleasedLLM, OlderLLM, *REAL)] + [(THEIRS, kind) for kind in REAL]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}-{case[1].__name__}")
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, type[FakeLLM]]:
    """A module with the interface, and a kind of LLMs."""
    if request.param[1] not in REAL:
        install(monkeypatch)
    found: tuple[Any, type[FakeLLM]] = request.param
    return found


@pytest.fixture
def testing(case: tuple[Any, type[FakeLLM]]) -> Any:
    """The module."""
    return case[0]


@pytest.fixture
def kind(case: tuple[Any, type[FakeLLM]]) -> type[FakeLLM]:
    """The kind of LLMs."""
    return case[1]


def mock_functions(testing: Any, llm: Any, mocks: dict[str, Any]) -> Any:
    """The function, which is in a module of its own there."""
    module = testing if testing is OURS else import_module("vision_agents.testing._mock_tools")
    return module.mock_functions(llm, mocks)


LOOK = [("get_weather", {"location": "Tokyo", "days": 2})]
BOOK = [("book", {"seat": "7A", "insured": True})]


def concierge(kind: type[FakeLLM], *replies: Any) -> FakeLLM:
    """An agent with two functions."""
    llm = kind(*replies)

    @llm.register_function("get_weather")
    async def get_weather(location: str, days: int = 1) -> dict[str, Any]:
        if location == "Atlantis":
            raise LookupError("no such city")
        return {"degrees": 21, "location": location}

    @llm.register_function("book")
    async def book(seat: str, insured: bool = False) -> str:
        return f"booked {seat}"

    return llm


async def by_the_registry(llm: Any) -> None:
    await llm.function_registry.call_function("book", {"seat": "7A", "insured": True})


async def test_a_greeting(testing: Any, kind: type[FakeLLM]) -> None:
    judge = testing.LLMJudge(kind('{"verdict": "pass", "reason": "it greets"}', '{"verdict": "fail", "reason": "it is long"}'))
    async with testing.TestSession(llm=kind("Welcome!"), instructions="Greet briefly.") as session:
        response = await session.simple_response("Hi")
    assert isinstance(response, testing.TestResponse)
    assert (response.input, response.output) == ("Hi", "Welcome!")
    assert response.duration_ms > 0
    assert response.function_calls == []
    assert [(message.role, message.content, message.type) for message in response.chat_messages] == [
        ("assistant", "Welcome!", "message")
    ]
    verdict = await judge.evaluate(response.chat_messages[0], intent="A short greeting")
    assert verdict.success, verdict.reason
    verdict = await judge.evaluate(event=response.chat_messages[-1], intent="One word")
    assert verdict == testing.JudgeVerdict(success=False, reason="it is long")


@pytest.mark.parametrize("reply", [BOOK, by_the_registry], ids=["announced", "direct"])
async def test_events_of_a_turn(testing: Any, kind: type[FakeLLM], reply: Any) -> None:
    llm = concierge(kind, LOOK, reply, "Done.")
    async with testing.TestSession(llm, "Be short.") as session:
        assert session.llm is llm
        response = await session.simple_response(text="Book it if it is warm")
    assert [event.type for event in response.events] == [*["function_call", "function_call_output"] * 2, "message"]
    assert [event.name for event in response.function_calls] == ["get_weather", "book"]
    assert response.function_calls[1].arguments == {"seat": "7A", "insured": True}
    output = response.events[3]
    assert (output.name, output.output, output.is_error) == ("book", "booked 7A", False)
    assert output.execution_time_ms >= 0
    response.assert_function_called("book", arguments={"seat": "7A"})
    response.assert_function_output("book", output="booked 7A", is_error=False)


PASSING: list[Any] = [
    lambda response: response.assert_function_called(),
    lambda response: response.assert_function_called("get_weather"),
    lambda response: response.assert_function_called(name="book"),
    lambda response: response.assert_function_called(None, arguments={"seat": "7A"}),
    lambda response: response.assert_function_called(arguments={"days": 2}),
    lambda response: response.assert_function_called("get_weather", arguments={}),
    lambda response: response.assert_function_called("get_weather", arguments={"location": "Tokyo", "days": 2}),
    lambda response: response.assert_function_called("get_weather", arguments={"location": ANY, "days": pytest.approx(2.0)}),
    lambda response: response.assert_function_called("book", arguments={"insured": ANY}),
    lambda response: response.assert_function_output("book"),
    lambda response: response.assert_function_output(name="book", output="booked 7A"),
    lambda response: response.assert_function_output("get_weather", output={"location": "Tokyo", "degrees": 21}),
    lambda response: response.assert_function_output("get_weather", output={"location": "Tokyo", "degrees": ANY}),
    lambda response: response.assert_function_output("get_weather", is_error=False),
    lambda response: response.assert_function_output("get_weather", output={"error": "no such city"}, is_error=True),
]

FAILING: list[tuple[Any, str]] = [
    (lambda response: response.assert_function_called("pay"), "pay"),
    (lambda response: response.assert_function_called(""), "call"),
    (lambda response: response.assert_function_called("book", arguments={"seat": "8A"}), "8A"),
    (lambda response: response.assert_function_called("book", arguments={"row": None}), "row"),
    (lambda response: response.assert_function_called("book", arguments={"days": 2}), "days"),
    (lambda response: response.assert_function_called(arguments={"seat": "7A", "days": 2}), "days"),
    (lambda response: response.assert_function_output("pay"), "pay"),
    (lambda response: response.assert_function_output("book", output=None), "book"),
    (lambda response: response.assert_function_output("book", output="booked"), "booked"),
    (lambda response: response.assert_function_output("book", is_error=True), "book"),
    (lambda response: response.assert_function_output("get_weather", output={"degrees": 21}), "degrees"),
    (lambda response: response.assert_function_output("get_weather", output={"error": "no such city"}, is_error=False), "city"),
]


async def test_assertions(testing: Any, kind: type[FakeLLM]) -> None:
    llm = concierge(kind, [*LOOK, ("get_weather", {"location": "Atlantis"})], BOOK, "Done.")
    async with testing.TestSession(llm=llm) as session:
        response = await session.simple_response("Hi")
    for passing in PASSING:
        assert passing(response) is None
    for failing, words in FAILING:
        with pytest.raises(AssertionError, match=words):
            failing(response)


async def test_a_turn_without_calls(testing: Any, kind: type[FakeLLM]) -> None:
    async with testing.TestSession(llm=kind("Hello", "")) as session:
        response = await session.simple_response("Hi")
        for failing in (response.assert_function_called, lambda: response.assert_function_output("book")):
            with pytest.raises(AssertionError):
                failing()
        silent = await session.simple_response("Hi")
    assert (silent.output, silent.events, silent.chat_messages) == (None, [], [])


async def test_a_session_remembers(testing: Any, kind: type[FakeLLM]) -> None:
    llm = concierge(kind, "Noted.", LOOK, "Alex, it is warm.")
    async with testing.TestSession(llm=llm, instructions="Remember names.") as session:
        first = await session.simple_response("I am Alex")
        second = await session.simple_response("Weather?")
    assert (first.function_calls, second.output) == ([], "Alex, it is warm.")
    assert [message.content for message in first.chat_messages] == ["Noted."]
    later = [text for _, text in llm.asked[1][2]]
    assert list(dict.fromkeys(later)) == ["I am Alex", "Noted.", "Weather?"]
    assert [instructions for instructions, _, _ in llm.asked] == ["Remember names."] * 2


async def test_start_and_close(testing: Any, kind: type[FakeLLM]) -> None:
    session = testing.TestSession(kind("a", "b"))
    with pytest.raises(RuntimeError, match="not started"):
        await session.simple_response("Hi")
    for output in ("a", "b"):
        await session.start()
        await session.start()
        assert (await session.simple_response("Hi")).output == output
        await session.close()
        await session.close()
        with pytest.raises(RuntimeError, match="not started"):
            await session.simple_response("Hi")


async def waiting(seat: str, insured: bool) -> str:
    await asyncio.sleep(0)
    return f"waited for {seat}"


def in_the_loop(seat: str, insured: bool) -> bool:
    return asyncio.get_running_loop().is_running()


MOCKS: list[tuple[Any, Any]] = [
    (lambda seat, insured: f"mocked {seat}", "mocked 7A"),
    (lambda **arguments: arguments, {"seat": "7A", "insured": True}),
    (waiting, "waited for 7A"),
    (in_the_loop, True),
    (AsyncMock(return_value=5), 5),
    (["first", "second"], "first"),
    (lambda: None, TypeError),
    (LookupError("sold out"), LookupError),
    (LookupError, LookupError),
]


@pytest.mark.parametrize("reply", [BOOK, by_the_registry], ids=["announced", "direct"])
@pytest.mark.parametrize(("mock", "output"), MOCKS)
async def test_mocks(testing: Any, kind: type[FakeLLM], reply: Any, mock: Any, output: Any) -> None:
    async def caught(llm: Any) -> None:
        try:
            await by_the_registry(llm)
        except (LookupError, TypeError):
            return

    llm = concierge(kind, caught if reply is by_the_registry else reply, "Done.", BOOK, "Done.")
    async with testing.TestSession(llm=llm) as session:
        with session.mock_functions({"book": mock}) as mocked:
            response = await session.simple_response("Hi")
            after = mocked["book"]
        assert isinstance(after, AsyncMock)
        after.assert_called_once_with(seat="7A", insured=True)
        assert after.call_args.kwargs["seat"] == "7A"
        is_error = isinstance(output, type)
        response.assert_function_called("book", arguments={"seat": "7A"})
        response.assert_function_output("book", is_error=is_error)
        if not is_error:
            response.assert_function_output("book", output=output)
        real = await session.simple_response("Hi")
        real.assert_function_output("book", output="booked 7A")
        assert after.call_count == 1


async def test_blocks_of_mocks(testing: Any, kind: type[FakeLLM]) -> None:
    llm = concierge(kind, BOOK, "a", BOOK, "b", BOOK, "c")
    real = llm.function_registry.get_callable("book")
    async with testing.TestSession(llm=llm) as session:
        with mock_functions(testing, session.llm, {"book": lambda **_: "outer", "get_weather": lambda **_: {}}) as outer:
            with session.mock_functions(mocks={"book": lambda **_: "inner"}) as inner:
                (await session.simple_response("1")).assert_function_output("book", output="inner")
            (await session.simple_response("2")).assert_function_output("book", output="outer")
            with pytest.raises(ZeroDivisionError), session.mock_functions({"book": lambda **_: "inner"}):
                raise ZeroDivisionError
            (await session.simple_response("3")).assert_function_output("book", output="outer")
        assert (inner["book"].call_count, outer["book"].call_count) == (1, 2)
        outer["get_weather"].assert_not_called()
    with pytest.raises(KeyError, match="pay"), mock_functions(testing, llm, {"book": lambda: 1, "pay": lambda: 1}):
        pass
    assert llm.function_registry.get_callable("book") is real


@pytest.mark.parametrize(
    ("answer", "success"),
    [
        ('{"verdict": "pass", "reason": "fine"}', True),
        ('{"verdict": "PASS", "reason": "fine"}', True),
        ('```json\n{"verdict": "pass", "reason": "fine"}\n```', True),
        ('{"verdict": "pass"}', True),
        ('{"verdict": "fail", "reason": "not fine"}', False),
        ('{"verdict": "fail"}', False),
    ],
)
async def test_verdicts(testing: Any, kind: type[FakeLLM], answer: str, success: bool) -> None:
    verdict = await testing.LLMJudge(kind(answer)).evaluate(testing.ChatMessageEvent("assistant", "Hello"), "greets")
    assert isinstance(verdict, testing.JudgeVerdict)
    assert verdict.success is success
    assert verdict.reason


async def test_what_a_judge_is_not_asked(testing: Any, kind: type[FakeLLM]) -> None:
    llm = kind()
    judge = testing.LLMJudge(llm=llm)
    assert not (await judge.evaluate(testing.ChatMessageEvent(role="assistant", content=""), intent="greets")).success
    assert not (await judge.evaluate(testing.ChatMessageEvent("assistant", "Hello"), intent="")).success
    assert llm.asked == []


def test_judges_are_a_protocol(testing: Any, kind: type[FakeLLM]) -> None:
    class Own:
        async def evaluate(self, event: Any, intent: str) -> Any:
            return testing.JudgeVerdict(True, intent)

    assert isinstance(testing.LLMJudge(kind()), testing.Judge)
    assert isinstance(Own(), testing.Judge)
    assert not isinstance(object(), testing.Judge)


def test_a_response_that_is_built(testing: Any) -> None:
    events = [
        testing.ChatMessageEvent("assistant", "first"),
        testing.FunctionCallEvent("book", {"seat": "7A"}),
        testing.FunctionCallOutputEvent("book", {"id": 5}, execution_time_ms=1.0),
        testing.ChatMessageEvent(role="assistant", content="last"),
        testing.ChatMessageEvent("user", "thanks"),
    ]
    built = testing.TestResponse.build(events=events, user_input="Hi", start_time=time.monotonic() - 2)
    assert (built.input, built.output, built.events) == ("Hi", "last", events)
    assert (built.function_calls, len(built.chat_messages)) == ([events[1]], 3)
    assert 2000 <= built.duration_ms < 60_000
    built.assert_function_output("book", output={"id": 5})
    given = testing.TestResponse("Hi", "last", events, [events[1]], built.chat_messages, built.duration_ms)
    assert given == built
    assert given != testing.TestResponse("Ho", "last", events, [events[1]], built.chat_messages, built.duration_ms)
    assert "duration_ms=" in repr(given)


async def test_collected_responses(testing: Any, kind: type[FakeLLM]) -> None:
    module = import_module("vision_agents.core.llm.llm") if kind in REAL else None
    delta: Any = module.LLMResponseDelta if module is not None else LLMResponseDelta
    final: Any = module.LLMResponseFinal if module is not None else LLMResponseFinal

    async def response(*items: Any) -> AsyncIterator[Any]:
        for item in items:
            yield item

    deltas, last = await testing.collect_simple_response(response(delta(delta="a"), delta(delta="b"), final(text="ab")))
    assert ([item.delta for item in deltas], last.text) == (["a", "b"], "ab")
    with pytest.raises(ValueError, match="without"):
        await testing.collect_simple_response(it=response(delta(delta="a")))


def accepted(ours: Any, theirs: Any, where: str) -> None:
    """Checks that every call that one function accepts is accepted by the other one."""
    own, other = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    for (name, parameter), position in zip(other.items(), own, strict=False):
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            assert position == name, f"{where}: `{name}` is at another position"
    for name, parameter in other.items():
        assert name in own, f"{where}: there is no `{name}`"
        assert own[name].kind is parameter.kind, f"{where}: `{name}` is of another kind"
        if parameter.default is not inspect.Parameter.empty:
            assert own[name].default is not inspect.Parameter.empty, f"{where}: `{name}` is not optional"
    for name in own.keys() - other.keys():
        assert own[name].default is not inspect.Parameter.empty, f"{where}: `{name}` must be given"


@pytest.mark.skipif(not IS_INSTALLED, reason="Vision-Agents is not installed")
def test_every_public_name_is_here_with_its_parameters() -> None:
    names = [*THEIRS.__all__, "mock_functions"]
    assert len(names) > 10
    for name in names:
        assert name in OURS.__all__
        ours, theirs = getattr(OURS, name), getattr(THEIRS, name, None)
        if theirs is None:
            theirs = import_module("vision_agents.testing._mock_tools").mock_functions
        if name == "RunEvent":
            assert {kind.__name__ for kind in ours.__args__} == {kind.__name__ for kind in theirs.__args__}
            continue
        if name != "Judge":
            accepted(ours, theirs, name)
        assert inspect.iscoroutinefunction(ours) == inspect.iscoroutinefunction(theirs)
        assert getattr(ours, "__test__", None) == getattr(theirs, "__test__", None)
        if not inspect.isclass(theirs):
            continue
        for member, function in inspect.getmembers(theirs, inspect.isroutine):
            if not member.startswith("_"):
                accepted(getattr(ours, member), function, f"{name}.{member}")
                assert inspect.iscoroutinefunction(getattr(ours, member)) == inspect.iscoroutinefunction(function)
        fields = getattr(theirs, "__dataclass_fields__", {})
        assert list(fields) == list(getattr(ours, "__dataclass_fields__", {})), name


# What is different, and said in docs/python.md.


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> FakeLLM:
    """An agent with the fake."""
    install(monkeypatch)
    return concierge(ReleasedLLM)


async def test_a_failed_request_is_raised(agent: FakeLLM) -> None:
    agent.replies += [LOOK, ConnectionError("no model")]
    async with TestSession(llm=agent) as session:
        with pytest.raises(ConnectionError, match="no model"):
            await session.simple_response("Hi")


async def test_a_response_that_does_not_end_is_an_agent_error(agent: Any) -> None:
    async def simple_response(text: str, participant: Any = None) -> AsyncIterator[Any]:
        yield LLMResponseDelta("a")

    agent.simple_response = simple_response
    async with TestSession(llm=agent) as session:
        with pytest.raises(AgentError, match="without a final response"):
            await session.simple_response("Hi")


async def test_a_judge_without_a_verdict_is_an_error(agent: FakeLLM) -> None:
    agent.replies += ["Well.", "Hm.", ConnectionError("no judge"), ConnectionError("no judge")]
    judge = OURS.LLMJudge(agent)
    for words in ("verdict", "no judge"):
        with pytest.raises(JudgeError, match=words):
            await judge.evaluate(OURS.ChatMessageEvent("assistant", "Hello"), "greets")
    assert (agent._instructions, agent._conversation) == ("its own", None)


async def test_values_are_compared_as_json(agent: FakeLLM) -> None:
    @agent.register_function("pick")
    async def pick(seats: Any) -> Any:
        return SimpleNamespace(seats=seats) if seats == "all" else {"seats": (1, 2), 3: True}

    agent.replies += [[("pick", {"seats": (1, True)})], [("pick", {"seats": "all"})], "Done."]
    async with TestSession(llm=agent) as session:
        response = await session.simple_response("Hi")
    response.assert_function_called("pick", arguments={"seats": (1, True)})
    response.assert_function_output("pick", output={"seats": (1, 2), 3: True})
    response.assert_function_output("pick", output="<SimpleNamespace, which is not JSON>")
    with pytest.raises(AssertionError, match="seats"):
        response.assert_function_called("pick", arguments={"seats": [1, 1]})


async def test_a_response_is_a_run(agent: FakeLLM) -> None:
    agent.replies += [BOOK, "Done."]
    async with TestSession(llm=agent) as session:
        response = await session.simple_response("Hi")
        response.check("tools: { require: { name: book, args: { seat: 7A } } }")
    response.expect.next_event().is_function_call("book")
    with pytest.raises(AssertionError) as failed:
        response.assert_function_called("book", arguments={"seat": "8A"})
    assert str(failed.value).startswith('expected the argument `seat` of book to be "8A", found "7A"\n')
    assert '> 1  function call: book({"seat":"7A","insured":true})' in str(failed.value)
    with pytest.raises(AssertionError) as failed:
        response.assert_function_output("pay", output={"id": 5}, is_error=False)
    assert str(failed.value).startswith('expected the output {"id":5} of pay that is no error in 1 output, found none\n')


def test_other_agents_have_the_interface_too() -> None:
    llm = FunctionLLM(lambda messages, tools: "Done." if messages[-1]["role"] == "tool" else call("book", {"seat": "7A"}))

    @llm.register_function()
    def book(seat: str) -> str:
        return f"booked {seat}"

    with SyncTestSession(llm=llm) as session, session.mock_functions({"book": lambda seat: f"mocked {seat}"}) as mocks:
        response = session.simple_response("Hi")
    response.assert_function_output("book", output="mocked 7A")
    mocks["book"].assert_called_once_with(seat="7A")
    assert response.output == "Done."
    judge = OURS.LLMJudge(scripted("PASS: it is"))
    assert asyncio.run(judge.evaluate(response.chat_messages[0], intent="is short")) == OURS.JudgeVerdict(True, "it is")
