"""Agents that are functions of one turn."""

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from ananke_test import (
    AgentError,
    FunctionCallEvent,
    FunctionCallOutputEvent,
    LateEventWarning,
    PendingAnswer,
    RunResult,
    SyncTestSession,
    TestSession,
    Turn,
    mock_tools,
    tool,
)


@tool
def seats(row: int, kind: str = "aisle") -> dict[str, Any]:
    """Finds seats."""
    if row < 0:
        raise LookupError("no such row")
    return {"row": row, "kind": kind}


@tool("pay")
async def paid(amount: int) -> str:
    await asyncio.sleep(0.02)
    return f"paid {amount}"


def words(result: RunResult) -> list[str]:
    """The events of a run, each in a few words."""
    made: list[str] = []
    for event in result.events:
        if isinstance(event, FunctionCallEvent):
            made.append(f"{event.name}({', '.join(f'{name}={value}' for name, value in event.arguments.items())})")
        elif isinstance(event, FunctionCallOutputEvent):
            made.append(f"{'error' if event.is_error else 'ok'} {event.output}")
        else:
            made.append(event.content)
    return made


def plain(turn: Turn) -> str:
    return f"{turn.call('look', {'at': turn.input}, lambda at: at.upper())} {seats(1)['kind']}"


async def asynchronous(turn: Turn) -> str:
    return f"{await turn.call('look', {'at': turn.input}, lambda at: at.upper())} {seats(1)['kind']}"


def generator(turn: Turn) -> Iterator[Any]:
    yield turn.call("look", {"at": turn.input}, lambda at: at.upper())
    yield " "
    yield from ()
    yield seats(1)["kind"]


async def async_generator(turn: Turn) -> AsyncIterator[Any]:
    yield await turn.call("look", {"at": turn.input}, lambda at: at.upper())
    yield f" {seats(1)['kind']}"


class Callable_:  # noqa: N801 a callable object
    async def __call__(self, turn: Turn) -> str:
        return await asynchronous(turn)


KINDS: list[Any] = [plain, asynchronous, generator, async_generator, Callable_(), lambda turn: asynchronous(turn)]


@pytest.mark.parametrize("agent", KINDS, ids=["plain", "async", "generator", "async generator", "object", "lambda"])
async def test_every_kind_of_function(agent: Any) -> None:
    async with TestSession(agent=agent) as session:
        result = await session.run("here")
        with mock_tools(agent, {"look": lambda at: f"mocked {at}", "seats": lambda row, kind="": {"kind": "window"}}) as mocks:
            mocked = await session.run("there")
    calls = ["look(at=here)", "ok HERE", "seats(row=1)", "ok {'row': 1, 'kind': 'aisle'}"]
    assert [word for word in words(result) if word in calls] == calls
    # A generator says the first half before the second call.
    assert "".join(word for word in words(result) if word not in calls) == "HERE aisle"
    assert words(mocked)[-1].endswith("window")
    mocks["look"].assert_called_once_with(at="there")
    mocks["seats"].assert_called_once_with(row=1)
    mocked.expect.contains_function_call_output("mocked there")


async def test_plain_turns_of_a_session_have_one_thread_and_a_context_each() -> None:
    threads: list[threading.Thread] = []
    mark = contextvars.ContextVar("mark", default="none")

    def agent(turn: Turn) -> str:
        threads.append(threading.current_thread())
        before = mark.get()
        mark.set("of a turn")
        return before

    async with TestSession(agent=agent) as session, TestSession(agent=agent) as other:
        assert words(await session.run("Hi")) == ["none"]
        mark.set("of the test")
        assert words(await session.run("Hi")) == ["of the test"]
        assert words(await other.run("Hi")) == ["of the test"]
        assert threads[0] is threads[1]
        assert threads[0] is not threads[2]
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def test_plain_tests_have_the_same() -> None:
    with SyncTestSession(agent=plain) as session:
        assert words(session.run("here"))[-1] == "HERE aisle"


async def test_rules_look_back_and_times_and_tokens_are_shown() -> None:
    async def agent(turn: Turn) -> AsyncIterator[str]:
        if turn.input == "log in":
            await turn.call("login", {}, lambda: "token")
            return
        await paid(5)
        turn.usage(input_tokens=10, output_tokens=3)
        turn.usage(input_tokens=1, output_tokens=1)
        yield "Pa"
        yield "id."

    async with TestSession(agent=agent) as session:
        await session.run("log in")
        result = await session.run("pay")
    result.check("tools: { require: [{ name: pay, after: login }] }")
    assert result.findings("whenever: [{ call: pay, not_preceded_by: { call: login } }]")
    result.check("{ timing: { max_tool_ms: 5000, max_first_token_ms: 5000, max_idle_ms: 5000 }, usage: { max_total_tokens: 15 } }")
    found = result.findings("{ timing: { max_tool_ms: 15, max_first_token_ms: 15 }, usage: { max_total_tokens: 14 } }")
    assert [finding["status"] for finding in found] == ["failed"] * 3
    call = result.expect[1].is_function_call_output("paid 5").event()
    assert isinstance(call.execution_time_ms, float)
    assert call.execution_time_ms >= 19


async def test_what_is_not_reported_is_not_shown() -> None:
    async with TestSession(agent=lambda turn: "Hello") as session:
        result = await session.run("Hi")
    found = result.findings("{ timing: { max_first_token_ms: 60000, max_duration_ms: 60000 }, usage: { max_total_tokens: 9 } }")
    assert [(finding["type"], finding["status"]) for finding in found] == [
        ("timing.max_first_token_ms", "not_shown"),
        ("usage.max_total_tokens", "not_shown"),
    ]


async def test_messages_have_the_calls_and_results_of_earlier_turns() -> None:
    seen: list[list[dict[str, Any]]] = []

    async def agent(turn: Turn) -> str:
        seen.append(turn.messages)
        turn.memory["count"] = turn.memory.get("count", 0) + 1
        await asyncio.gather(turn.call("a", {"n": 1}, lambda n: {"n": n}), turn.call("b", {}, lambda: "text"))
        return str(turn.memory["count"])

    async with TestSession(agent=agent) as session, TestSession(agent=agent) as other:
        assert words(await session.run("one"))[-1] == "1"
        assert words(await session.run("two"))[-1] == "2"
        assert words(await other.run("three"))[-1] == "1"
    assert seen[0] == [{"role": "user", "content": "one"}]
    assert seen[2] == [{"role": "user", "content": "three"}]
    user, calls, *outputs, said, second = seen[1]
    assert (user["content"], said["content"], second["content"]) == ("one", "1", "two")
    assert [call["function"] for call in calls["tool_calls"]] == [
        {"name": "a", "arguments": '{"n": 1}'},
        {"name": "b", "arguments": "{}"},
    ]
    assert [(output["tool_call_id"], output["content"]) for output in outputs] == [
        (calls["tool_calls"][0]["id"], '{"n": 1}'),
        (calls["tool_calls"][1]["id"], "text"),
    ]


async def test_chat_messages_and_events_are_what_an_agent_gives() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"seen": true}'},
        {"role": "assistant", "content": "Seen."},
    ]

    def yields(turn: Turn) -> Iterator[Any]:
        yield {"role": "assistant", "content": "Let me see."}
        yield FunctionCallEvent("look", {"at": 1}, "c1")
        yield FunctionCallOutputEvent("look", {"seen": True}, False, "c1")
        yield "See"
        yield "n."

    expected = ["Let me see.", "look(at=1)", "ok {'seen': True}", "Seen."]
    for agent in (lambda turn: messages, yields):
        async with TestSession(agent=agent) as session:
            result = await session.run("Hi")
        assert words(result) == expected
    result.check("tools: { require: [{ name: look, count: 1, args: { at: 1 } }] }")


@pytest.mark.parametrize(
    "wrong", [5, ["text"], {"role": "system", "content": "x"}, {"role": "assistant"}, b"bytes", {"content": 3}]
)
async def test_what_an_agent_cannot_give_says_what_it_can(wrong: Any) -> None:
    def yields(turn: Turn) -> Iterator[Any]:
        yield wrong

    for agent in (lambda turn: wrong, yields):
        async with TestSession(agent=agent) as session:
            with pytest.raises(TypeError, match=r"the agent|chat message|message"):
                await session.run("Hi")


async def test_nothing_is_no_message() -> None:
    nothing: list[Any] = [None, "", []]
    for given in nothing:
        async with TestSession(agent=lambda turn, given=given: given) as session:
            assert (await session.run("Hi")).events == []


async def test_an_interrupt_and_its_answers() -> None:
    def agent(turn: Turn) -> str | None:
        if turn.input is None:
            answered = [f"{answer.id}: {'cancelled' if answer.cancelled else answer.payload}" for answer in turn.answers]
            return ", ".join(sorted(answered))
        turn.interrupt(id="one", reason="approval", message="Pay?")
        turn.interrupt()
        return None

    async with TestSession(agent=agent) as session:
        result = await session.run("Pay")
        result.check("outcome: interrupted")
        first, second = result.interrupts
        assert (first.id, first.reason, first.message) == ("one", "approval", "Pay?")
        with pytest.raises(ValueError, match="waits for an answer to its interrupt `one`"):
            await session.run("Hello?")
        with pytest.raises(ValueError, match="fits 2 of what the agent waits for"):
            await session.resume(PendingAnswer(True))
        with pytest.raises(ValueError, match="no answer for `interrupt-1-2`"):
            await session.resume(PendingAnswer(True, id="one"))
        answers = [PendingAnswer({"approved": True}, id="one"), PendingAnswer(id=second.id, cancelled=True)]
        result = await session.resume(answers)
        assert words(result) == ["interrupt-1-2: cancelled, one: {'approved': True}"]
        with pytest.raises(ValueError, match="fits 0 of what the agent waits for: nothing"):
            await session.resume(PendingAnswer(True))


async def test_an_error_of_a_tool_is_an_event_and_goes_on_to_the_agent() -> None:
    def agent(turn: Turn) -> str:
        try:
            seats(row=-1)
        except LookupError as error:
            return f"Sorry: {error}"
        return ""

    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    assert words(result) == ["seats(row=-1)", "error {'error': 'no such row'}", "Sorry: no such row"]


async def test_an_error_of_the_agent_is_raised_with_the_events_before_it() -> None:
    def agent(turn: Turn) -> str:
        seats(3)
        if turn.input == "assert":
            raise AssertionError("in the agent")
        raise ConnectionError("no model")

    for text, kind in (("raise", ConnectionError), ("assert", AgentError)):
        async with TestSession(agent=agent) as session:
            with pytest.raises(kind, match=r"no model|in the agent") as raised:
                await session.run(text)
            assert [event.type for event in raised.value.events] == ["function_call", "function_call_output"]  # type: ignore[attr-defined]
            with pytest.raises(AgentError, match="the session is over"):
                await session.run("again")


async def test_a_client_of_another_loop_is_explained() -> None:
    async def agent(turn: Turn) -> str:
        try:
            raise RuntimeError("Event loop is closed")
        except RuntimeError as error:
            raise ConnectionError("Connection error.") from error

    async with TestSession(agent=agent) as session:
        with pytest.raises(ConnectionError) as raised:
            await session.run("Hi")
    assert "asyncio_default_test_loop_scope" in str(vars(raised.value)["__notes__"])


async def test_two_sessions_of_one_agent_at_once() -> None:
    both, inputs = asyncio.Event(), list[str | None]()

    async def agent(turn: Turn) -> str:
        inputs.append(turn.input)
        if len(inputs) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 20)
        return f"{seats(int(turn.input or 0))['row']} {await paid(7)}"

    async with TestSession(agent=agent) as one, TestSession(agent=agent) as two:
        first, second = await asyncio.gather(one.run("1"), two.run("2"))
    for result, row in ((first, 1), (second, 2)):
        assert words(result) == [
            f"seats(row={row})",
            f"ok {{'row': {row}, 'kind': 'aisle'}}",
            "pay(amount=7)",
            "ok paid 7",
            f"{row} paid 7",
        ]


def test_a_tool_outside_of_a_session_is_the_function_itself() -> None:
    assert seats(2, "window") == {"row": 2, "kind": "window"}
    assert (seats.__name__, seats.__doc__) == ("seats", "Finds seats.")
    assert inspect.iscoroutinefunction(paid)
    assert asyncio.run(paid(3)) == "paid 3"
    with pytest.raises(TypeError, match="needs one"):
        tool(lambda: 1)


async def test_arguments_of_tools_have_names() -> None:
    @tool
    def many(first: int, *rest: int, last: int = 0, **more: int) -> int:
        return first

    def agent(turn: Turn) -> None:
        many(1, 2, 3, last=4, other=5)
        seats(1, kind="window")
        with pytest.raises(TypeError):
            seats(1, "window", 3)  # type: ignore[call-arg]

    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    assert words(result)[0] == "many(first=1, rest=[2, 3], last=4, other=5)"
    assert words(result)[2] == "seats(row=1, kind=window)"
    result.expect[-1].is_function_call_output(is_error=True)
    assert result.findings("tools: { forbid_calls: [{ name: seats, is_error: true }] }")


async def test_calls_belong_to_the_turn_of_their_context() -> None:
    def in_pool(row: int) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(seats, row).result()

    async def agent(turn: Turn) -> str:
        await asyncio.to_thread(seats, 1)
        await asyncio.create_task(paid(1))
        # A pool knows no turn: the only one that runs is meant.
        await asyncio.to_thread(in_pool, 2)
        return "done"

    async with TestSession(agent=agent) as session:
        assert words(await session.run("Hi"))[::2] == ["seats(row=1)", "pay(amount=1)", "seats(row=2)", "done"]

    started = threading.Barrier(2)

    def unclear(turn: Turn) -> str:
        started.wait(10)
        context: Callable[..., Any] = contextvars.copy_context().run
        with ThreadPoolExecutor(1) as pool:
            pool.submit(context, seats, 1).result()
            error = pool.submit(seats, 2).exception()
        started.wait(10)
        return str(error)

    async with TestSession(agent=unclear) as one, TestSession(agent=unclear) as two:
        for result in await asyncio.gather(one.run("Hi"), two.run("Hi")):
            assert "`seats` is called in a thread that knows no turn, and 2 turns run" in words(result)[-1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_thread_of_an_earlier_turn_has_no_calls_in_a_later_one() -> None:
    released = threading.Event()
    threads: list[threading.Thread] = []

    def later() -> None:
        released.wait(20)
        seats(1)

    def leaves(turn: Turn) -> str:
        threads.append(threading.Thread(target=later, name="later"))
        threads[0].start()
        return "gone"

    def waits(turn: Turn) -> str:
        released.set()
        threads[0].join(20)
        return "nothing"

    async with TestSession(agent=leaves) as session:
        assert words(await session.run("Hi")) == ["gone"]
    async with TestSession(agent=waits) as session:
        result = await session.run("Hi")
    assert words(result) == ["nothing"]
    # Nothing says that the call is not one of this turn.
    for rules in ("tools: { forbid: [seats] }", "tools: { require: [seats] }"):
        with pytest.raises(AssertionError, match="the thread `later`, which knows no turn and may still do the work of an earlier"):
            result.check(rules)
    result.check("tools: { forbid: [pay] }")


async def test_workers_of_a_pool_that_lives_on_have_the_calls_of_the_turn() -> None:
    with ThreadPoolExecutor(1) as pool:

        def agent(turn: Turn) -> str:
            return str(pool.submit(seats, 1).result()["row"])

        async with TestSession(agent=agent) as session:
            for _ in range(3):
                assert words(await session.run("Hi"))[::2] == ["seats(row=1)", "1"]

        held, began = threading.Event(), threading.Event()

        def busy() -> None:
            began.set()
            held.wait(20)
            seats(2)

        def leaves(turn: Turn) -> str:
            late.append(pool.submit(busy))
            began.wait(20)
            return "gone"

        def waits(turn: Turn) -> str:
            held.set()
            return str(late[0].exception(20))

        late: list[Future[None]] = []
        async with TestSession(agent=leaves) as one, TestSession(agent=waits) as other:
            await one.run("Hi")
            assert "`seats` is called in the thread `ThreadPoolExecutor-" in words(await other.run("Hi"))[-1]


async def test_calls_inside_a_call_are_those_of_a_subagent() -> None:
    @tool
    def research(topic: str) -> Any:
        return seats(4)

    async with TestSession(agent=lambda turn: str(research("rows"))) as session:
        result = await session.run("Hi")
    result.check("tools: { require: [seats, research] }")
    result.check("tools: { subagents: exclude, forbid: [seats] }")


async def test_results_that_are_not_json_are_not_shown() -> None:
    @dataclass
    class Seat:
        row: int

    @tool
    def objects() -> Any:
        return object()

    def agent(turn: Turn) -> str:
        turn.call("data", {"seat": Seat(1)}, lambda seat: [seat])
        objects()
        return "done"

    async with TestSession(agent=agent) as session:
        result = await session.run("Hi")
    result.expect[0].is_function_call("data", {"seat": {"row": 1}})
    result.expect[1].is_function_call_output([{"row": 1}])
    (found,) = result.findings("whenever: [{ result: objects, match: row, not_followed_by: { says: done } }]")
    assert found["status"] == "not_shown"
    # The value is another one than `null`, which JSON has.
    (found,) = result.findings("tools: { require: [{ name: objects, result: null }] }")
    assert found["status"] == "not_shown"


@pytest.mark.parametrize("ends", [SystemExit, KeyboardInterrupt])
def test_an_agent_that_ends_the_program_is_an_error(ends: type[BaseException]) -> None:
    def at_once(_: Turn) -> str:
        raise ends

    async def later(_: Turn) -> str:
        await asyncio.sleep(0)
        raise ends

    words = f"the agent ended the program: {ends.__name__}"
    for agent in (at_once, later):
        with SyncTestSession(agent=agent) as session, pytest.raises(RuntimeError, match=words):
            session.run("Hi")


async def test_mocks_end_also_after_an_exception() -> None:
    async with TestSession(agent=plain) as session:
        with suppress(RuntimeError), mock_tools(plain, {"seats": lambda **_: {"kind": "mocked"}}):
            assert words(await session.run("a"))[-1] == "A mocked"
            raise RuntimeError("the test")
        assert words(await session.run("b"))[-1] == "B aisle"


async def test_a_turn_that_takes_too_long_ends_the_session_and_not_the_test() -> None:
    cancelled = asyncio.Event()
    released = threading.Event()
    blocked: list[threading.Thread] = []

    async def slow(turn: Turn) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def blocks(turn: Turn) -> str:
        if turn.input == "Begin":
            return "begun"
        blocked.append(threading.current_thread())
        released.wait(60)
        return "too late"

    async with TestSession(agent=slow, timeout=0.1) as session:
        with pytest.raises(AgentError, match="timeout after 100 ms"):
            await session.run("Hi")
        await asyncio.wait_for(cancelled.wait(), 10)
        with pytest.raises(AgentError, match="the session is over"):
            await session.run("Hi")
    async with TestSession(agent=blocks, timeout=0.5) as session:
        assert words(await session.run("Begin")) == ["begun"]
        with pytest.raises(AgentError, match=r"(?s)timeout after 500 ms.*thread `ananke agent` still runs"):
            await session.run("Hi")
        with pytest.raises(AgentError, match="the session is over"):
            await session.run("Hi")
    assert blocked[0].is_alive()
    async with TestSession(agent=plain) as session:
        assert words(await session.run("next"))[-1] == "NEXT aisle"
    released.set()
    blocked[0].join(20)
    assert not blocked[0].is_alive()


async def test_what_outlives_its_turn_is_a_warning() -> None:
    tasks: list[asyncio.Task[Any]] = []
    proceed = asyncio.Event()

    async def late() -> None:
        await proceed.wait()
        seats(9)

    async def agent(turn: Turn) -> str:
        if not tasks:
            tasks.append(asyncio.create_task(late()))
        else:
            proceed.set()
            await tasks[0]
        return "done"

    async with TestSession(agent=agent) as session:
        await session.run("Hi")
        with pytest.warns(LateEventWarning, match="of turn 1 came after the end of the turn"):
            result = await session.run("Again")
    assert words(result) == ["done"]


def test_the_process_ends_although_a_thread_goes_on(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(
        test_slow="""
        import time, pytest
        from ananke_test import AgentError, SyncTestSession

        def test_slow():
            with SyncTestSession(agent=lambda turn: time.sleep(600), timeout=0.1) as session:
                with pytest.raises(AgentError, match="timeout"):
                    session.run("Hi")
        """
    )
    began = time.monotonic()
    pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=120).assert_outcomes(passed=1)
    assert time.monotonic() - began < 60


async def test_what_is_no_agent_says_what_one_is() -> None:
    for wrong, why in (
        (lambda: "x", "a `turn` alone"),
        (lambda turn, other: "x", "a `turn` alone"),
        (5, "a function of one `turn`"),
    ):
        with pytest.raises(TypeError, match=why):
            await TestSession(agent=wrong).start()
    with pytest.raises(TypeError, match="leave out `instructions`"):
        await TestSession(agent=plain, instructions="Be kind").start()
    with pytest.raises(TypeError, match="`agent` or an `llm`, not both"):
        TestSession(plain, agent=plain)
    with pytest.raises(TypeError, match=r"`llm=FunctionLLM\(function\)`, a function of one turn `agent=function`"):
        await TestSession(llm=plain).start()


def test_a_thousand_turns_take_no_long_time() -> None:
    with SyncTestSession(agent=lambda turn: "Hi") as session:
        began = time.monotonic()
        for _ in range(200):
            session.run("Hi")
        assert time.monotonic() - began < 30
