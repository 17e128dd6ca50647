"""Sessions with models that are functions."""

import asyncio
import contextvars
import enum
import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from ananke_test import AgentError, FunctionLLM, PendingAnswer, SyncTestSession, Target, TestSession
from tests.conftest import call, scripted


def adder(*replies: Any) -> FunctionLLM:
    llm = scripted(*replies)

    @llm.register_function()
    def add(a: int, b: int = 0) -> int:
        """Adds two numbers."""
        return a + b

    return llm


async def test_a_turn_with_a_call() -> None:
    seen: list[Any] = []
    replies = iter([{"content": "Let me see.", **call("add", {"a": 1, "b": 2})}, "It is 3."])

    def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        seen.append((messages, tools))
        return next(replies)

    llm = FunctionLLM(model)

    @llm.register_function(description="Adds.")
    async def add(a: int, b: int) -> int:
        return a + b

    async with TestSession(llm=llm, instructions="You add.") as session:
        result = await session.run("1 + 2?")
    expect = result.expect
    expect.next_event().is_message().event()
    assert expect.next_event().is_function_call("add", {"a": 1, "b": 2}).event().tool_call_id == "1"
    output = expect.next_event().is_function_call_output(3, False).event()
    assert output.execution_time_ms is not None
    assert expect.next_event().is_message("assistant").event().content == "It is 3."
    expect.no_more_events()
    assert result.user_input == "1 + 2?"
    (first, tools), (second, _) = seen
    assert first == [{"role": "system", "content": "You add."}, {"role": "user", "content": "1 + 2?"}]
    assert tools[0]["function"]["description"] == "Adds."
    assert tools[0]["function"]["parameters"]["required"] == ["a", "b"]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool"]
    assert json.loads(second[2]["tool_calls"][0]["function"]["arguments"]) == {"a": 1, "b": 2}
    assert second[3] == {"role": "tool", "tool_call_id": "1", "content": "3"}


async def test_each_session_has_its_own_history() -> None:
    lengths: list[int] = []

    def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        lengths.append(len(messages))
        return "yes"

    llm = FunctionLLM(model)
    async with TestSession(llm=llm) as one, TestSession(llm=llm) as other:
        await one.run("a")
        await one.run("b")
        await other.run("c")
    assert lengths == [2, 4, 2]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("subtract", {}, "there is no tool `subtract`"),
        ("add", "[1", "the arguments of `add` are not a JSON object"),
        ("add", [1], "the arguments of `add` are not a JSON object"),
        ("add", {"b": 1}, "`add` needs the argument `a`"),
        ("add", {"a": 1, "c": 1}, "`add` has no argument `c`: it takes `a`, `b`"),
        ("add", {"a": "x"}, 'can only concatenate str (not "int") to str'),
    ],
)
async def test_calls_that_cannot_be_executed(name: str, arguments: Any, error: str) -> None:
    async with TestSession(llm=adder(call(name, arguments), "Sorry.")) as session:
        result = await session.run("go")
    output = result.expect.next_event(type="function_call_output").event()
    assert output.is_error
    assert error in output.output["error"]
    result.expect.next_event().is_message()


async def test_a_result_that_is_not_json_is_an_error_of_the_call() -> None:
    llm = scripted(call("f", {}), "ok")
    llm.register_function(name="f")(lambda: {1, 2})
    async with TestSession(llm=llm) as session:
        result = await session.run("go")
    output = result.expect.next_event(type="function_call_output").event()
    assert "the result of `f` is not JSON" in output.output["error"]


async def test_calls_of_one_reply_run_at_once_and_the_loop_goes_on() -> None:
    waiting = threading.Barrier(3)
    reply = {"tool_calls": [call("f", {}, str(number))["tool_calls"][0] for number in range(2)]}
    llm = scripted(reply, "done")

    @llm.register_function()
    def f() -> str:
        waiting.wait(20)
        return "met"

    async with TestSession(llm=llm) as session:
        run = asyncio.create_task(session.run("go"))
        await asyncio.to_thread(waiting.wait, 20)
        result = await run
    assert [event.output for event in result.events if event.type == "function_call_output"] == ["met", "met"]


async def test_outputs_come_in_the_order_in_which_calls_finish() -> None:
    first = asyncio.Event()
    reply = {"tool_calls": [call("slow", {}, "a")["tool_calls"][0], call("quick", {}, "b")["tool_calls"][0]]}
    llm = scripted(reply, "done")

    @llm.register_function()
    async def slow() -> str:
        await first.wait()
        await asyncio.sleep(0.05)
        return "slow"

    @llm.register_function()
    async def quick() -> str:
        first.set()
        return "quick"

    async with TestSession(llm=llm) as session:
        result = await session.run("go")
    assert [event.output for event in result.events if event.type == "function_call_output"] == ["quick", "slow"]


variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_functions_have_the_context_of_the_run(kind: str) -> None:
    seen: list[str] = []

    def plain(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        seen.append(variable.get())
        return "ok"

    async def waiting(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        return plain(messages, tools)

    async with TestSession(llm=FunctionLLM(plain if kind == "plain" else waiting)) as session:
        variable.set("first")
        await session.run("go")
        variable.set("second")
        await session.run("go")
    assert seen == ["first", "second"]


@pytest.mark.parametrize("reply", [None, 5, {}, {"content": None}, {"content": 3}, {"tool_calls": "x"}, {"tool_calls": [{}]}])
async def test_what_is_not_a_reply(reply: Any) -> None:
    async with TestSession(llm=scripted(reply)) as session:
        with pytest.raises(TypeError, match="a reply is a text"):
            await session.run("go")


async def test_empty_text_is_no_event() -> None:
    async with TestSession(llm=scripted("", {"content": ""})) as session:
        (await session.run("go")).expect.no_more_events()
        (await session.run("go")).expect.no_more_events()


async def test_errors_of_the_model_are_raised_as_they_are() -> None:
    error = ConnectionError("no model")

    def model(messages: Any, tools: Any) -> str:
        raise error

    async with TestSession(llm=FunctionLLM(model)) as session:
        with pytest.raises(ConnectionError) as raised:
            await session.run("go")
    assert raised.value is error


async def test_an_assertion_in_a_model_is_no_assertion_of_the_test() -> None:
    def model(messages: Any, tools: Any) -> str:
        raise AssertionError("wrong")

    async with TestSession(llm=FunctionLLM(model)) as session:
        with pytest.raises(AgentError, match="wrong") as raised:
            await session.run("go")
        assert isinstance(raised.value.__cause__, AssertionError)
        with pytest.raises(AgentError, match="the session is over"):
            await session.run("again")


async def test_a_model_without_a_reply_left() -> None:
    async with TestSession(llm=scripted()) as session:
        with pytest.raises(RuntimeError, match="no further item"):
            await session.run("go")


async def test_fail_in_a_tool_ends_the_test() -> None:
    llm = scripted(call("f", {}), "ok")

    @llm.register_function()
    def f() -> None:
        pytest.fail("never call this")

    async with TestSession(llm=llm) as session:
        with pytest.raises(pytest.fail.Exception, match="never call this"):
            await session.run("go")


async def test_rounds_are_limited() -> None:
    llm = FunctionLLM(lambda messages, tools: call("add", {"a": 1}, str(len(messages))))
    llm.register_function(name="add")(lambda a: a)
    async with TestSession(llm=llm) as session:
        with pytest.raises(AgentError, match="after 25 rounds"):
            await session.run("go")


async def test_start_and_close() -> None:
    session = TestSession(scripted("a", "b"), "Be short.")
    with pytest.raises(RuntimeError, match="not started"):
        await session.run("go")
    await session.start()
    await session.start()
    await session.run("go")
    await session.close()
    await session.close()
    with pytest.raises(RuntimeError, match="not started"):
        await session.run("go")


async def test_runs_at_once_follow_each_other() -> None:
    def model(messages: list[dict[str, Any]], tools: Any) -> str:
        return str([message["content"] for message in messages if message["role"] == "user"])

    async with TestSession(llm=FunctionLLM(model)) as session:
        one, two = await asyncio.gather(session.run("a"), session.run("b"))
    assert one.expect.next_event(type="message").event().content == "['a']"
    assert two.expect.next_event(type="message").event().content == "['a', 'b']"


async def test_a_cancelled_run_can_be_closed_at_once() -> None:
    started = asyncio.Event()
    ended = asyncio.Event()

    async def model(messages: Any, tools: Any) -> str:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return "never"

    async with TestSession(llm=FunctionLLM(model)) as session:
        run = asyncio.create_task(session.run("go"))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        with pytest.raises(AgentError, match="cancelled"):
            await session.run("again")
    await asyncio.wait_for(ended.wait(), 20)


async def test_many_sessions_that_wait_for_each_other() -> None:
    everyone = asyncio.Event()
    count = 0

    async def model(messages: Any, tools: Any) -> str:
        nonlocal count
        count += 1
        if count == 20:
            everyone.set()
        await everyone.wait()
        return "here"

    async def talk() -> None:
        async with TestSession(llm=FunctionLLM(model)) as session:
            (await session.run("go")).expect.contains_message()

    await asyncio.gather(*(talk() for _ in range(20)))


async def test_from_agent() -> None:
    llm = scripted("ok")
    text = SimpleNamespace(full_reference="All of it.")
    assert TestSession.from_agent(SimpleNamespace(llm=llm, instructions=text)).instructions == "All of it."
    session = TestSession.from_agent(SimpleNamespace(llm=llm, instructions="Some."))
    assert (session.llm, session.instructions) == (llm, "Some.")
    assert TestSession.from_agent(SimpleNamespace(llm=llm)).instructions == "You are a helpful assistant."


async def test_what_is_not_an_llm() -> None:
    with pytest.raises(TypeError, match="an LLM is a FunctionLLM"):
        await TestSession(llm=object()).start()


def test_the_form_for_plain_functions() -> None:
    with SyncTestSession(llm=adder(call("add", {"a": 1}), "1"), instructions="Add.") as session:
        result = session.run("1 + 0?")
        result.expect.contains_function_call_output(1)
        result.expect.contains_message().judge_sync(scripted("PASS: right"), intent="gives the sum")
    with pytest.raises(RuntimeError, match="not started"):
        session.run("go")


@pytest.mark.parametrize("name", ["ANANKE_TESTING_VERBOSE", "VISION_AGENTS_EVALS_VERBOSE"])
async def test_events_are_printed_on_demand(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(name, "1")
    async with TestSession(llm=scripted("Hello \x1b[1m")) as session:
        result = await session.run("Hi")
        await result.expect.contains_message().judge(scripted("PASS: polite"), intent="greets")
    said = capsys.readouterr().out
    assert said == ("user: Hi\nevents:\n  1  message (assistant): Hello \\u{1b}[1m\njudge: PASS: polite  (intent: greets)\n")


class Unit(enum.Enum):
    """A unit."""

    CELSIUS = "c"
    FAHRENHEIT = "f"


async def test_schemas_of_parameters() -> None:
    llm = FunctionLLM(lambda messages, tools: "ok")

    @llm.register_function(name="all", description="Takes all.")
    def every(
        text: str,
        number: int,
        share: float,
        yes: bool,
        names: list[str],
        keys: dict[str, int],
        unit: Unit,
        maybe: str | None = None,
        anything: Any = None,
    ) -> None:
        """Something else."""

    assert every is not None
    parameters = llm.tools["all"].parameters
    assert llm.tools["all"].description == "Takes all."
    assert parameters["required"] == ["text", "number", "share", "yes", "names", "keys", "unit"]
    assert parameters["properties"] == {
        "text": {"type": "string"},
        "number": {"type": "integer"},
        "share": {"type": "number"},
        "yes": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "keys": {"type": "object"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "maybe": {"type": ["string", "null"]},
        "anything": {},
    }


async def test_enums_arrive_as_members() -> None:
    llm = scripted(call("f", {"unit": "c"}), call("f", {"unit": "k"}, "2"), "ok")
    got: list[Unit] = []
    llm.register_function(name="f")(lambda unit: got.append(unit))

    @llm.register_function()
    def f(unit: Unit) -> None:
        got.append(unit)

    async with TestSession(llm=llm) as session:
        result = await session.run("go")
    assert got == [Unit.CELSIUS]
    result.expect.contains_function_call_output({"error": "`unit` of `f` is one of `c`, `f`"}, True)


def test_registered_functions_stay_as_they_are() -> None:
    llm = FunctionLLM(lambda messages, tools: "ok")

    def documented(a: int) -> int:
        """Doubles."""
        return 2 * a

    assert llm.register_function()(documented) is documented
    assert llm.register_function(documented) is documented
    assert llm.tools["documented"].description == "Doubles."
    with pytest.raises(TypeError, match="needs one"):
        llm.register_function()(lambda: 1)


async def test_interrupts_are_answered() -> None:
    target = Target(
        type="scripted",
        rules=[
            {
                "when": {"user": "pay"},
                "do": [{"interrupt": {"id": "i1", "reason": "confirmation", "message": "Really?"}}],
            },
            {"do": [{"say": "Paid."}]},
        ],
    )
    async with TestSession(llm=target) as session:
        result = await session.run("pay")
        (interrupt,) = result.interrupts
        assert (interrupt.id, interrupt.reason, interrupt.message) == ("i1", "confirmation", "Really?")
        with pytest.raises(AssertionError, match="waiting for an answer to the interrupt `i1`: Really"):
            result.expect.contains_function_call("pay")
        result = await session.resume(PendingAnswer({"approved": True}))
        assert result.interrupts == []
