"""YAML tests of agents of this process, and recordings of sessions, in runs of pytest of their own."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import AsyncMock

import pytest

from ananke_test import (
    FunctionCallEvent,
    FunctionCallOutputEvent,
    FunctionLLM,
    Interrupt,
    PendingAnswer,
    Target,
    Turn,
    _active_mocks,
    _registered_agents,
    register_agent,
)
from ananke_test._registered_agents import unknown_agent
from ananke_test._replayed_mocks import ReplayedMocks
from tests.test_pytest_plugin import Runner, runner

__all__ = ["runner"]

CONFIG = """
version: "1.4"
target: shop
targets:
  shop: { type: external, agent: shop }
  fresh: { type: external, agent: fresh }
  nobody: { type: external, agent: nobody }
"""

TESTS = """
version: "1.4"
tests:
  - name: remembers
    turns:
      - { user: "I am Ada", assert: { tools: { require: [save] } } }
      - { user: "Who am I?", assert: { text: { contains: "Ada" }, tools: { forbid: [save] } } }
  - name: pays
    turns: [{ user: "pay", assert: { tools: { forbid: [pay] } } }]
  - name: breaks
    turns: [{ user: "break" }]
  - name: own object 1
    target: fresh
    turns: [{ user: "Hi", assert: { text: "1" } }]
  - name: own object 2
    target: fresh
    turns: [{ user: "Hi", assert: { text: "1" } }]
  - name: unknown
    target: nobody
    turns: [{ user: "Hi" }]
"""

AGENT = """
from ananke_test import register_agent, tool

@tool
async def save(name):
    return f"saved {name}"

@tool
def pay():
    return "paid"

async def shop(turn):
    print("asked", turn.input)
    if turn.input == "break":
        raise KeyError("the database")
    if turn.input == "pay":
        return f"It is {await pay()}."
    if turn.input.startswith("I am"):
        return await save(turn.input.split()[-1])
    assert [message["role"] for message in turn.messages] == ["user", "assistant", "tool", "assistant", "user"]
    return "You are " + turn.messages[0]["content"].split()[-1]

class Counts:
    def __init__(self):
        self.count = 0

    def __call__(self, turn):
        self.count += 1
        return str(self.count)

register_agent("shop", shop)
register_agent("fresh", factory=Counts)
"""

SESSIONS = """
import pytest
from ananke_test import FunctionLLM, SyncTestSession, tool

@tool
def add(a, b):
    return a + b

def agent(turn):
    print("asked", turn.input)
    return f"It is {add(1, 2)}. {turn.messages[0]['content']}"

def test_two_turns():
    with SyncTestSession(agent=agent) as session:
        session.run("first").check("tools: { require: [add] }")
        session.run("second").check('text: { contains: "It is 3. first" }')

@pytest.mark.parametrize("number", [1, 2])
def test_two_sessions(number):
    with SyncTestSession(agent=agent) as one, SyncTestSession(agent=agent) as other:
        other.run(f"other {number}").check(f'text: {{ contains: "other {number}" }}')
        one.run(f"one {number}").check(f'text: {{ contains: "one {number}" }}')

def test_a_model():
    llm = FunctionLLM(lambda messages, tools: print("asked") or "Hello")
    with SyncTestSession(llm) as session:
        session.run("Hi").check("text: Hello")
"""


@pytest.fixture
def shop(runner: Runner) -> Runner:
    """A project with such tests."""
    runner.write("ananke.config.yaml", CONFIG)
    runner.write("a.test.yaml", TESTS)
    runner.write("conftest.py", AGENT)
    return runner


@pytest.mark.parametrize("options", [(), ("--maxfail", "9")], ids=["at once", "one by one"])
def test_yaml_tests_run_agents_of_this_process(shop: Runner, options: tuple[str, ...]) -> None:
    result = shop.run("-rA", *options)
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(
        ["PASSED *::remembers", "PASSED *::own object 1", "PASSED *::own object 2", "FAILED *::pays*", "FAILED *::breaks*"]
    )
    result.stdout.fnmatch_lines(
        [
            "*`pay` was called, which is forbidden*",
            "*call     pay({}) *paid*",
            "*agent error: KeyError: 'the database'*",
            "traceback of the agent:",
            '*conftest.py", line *, in shop',
            "KeyError: 'the database'",
            "*no agent `nobody` is registered. Those of this process are `shop`, `fresh`: call `ananke_test.register_agent(*",
        ]
    )
    # The frames of the agent alone.
    result.stdout.no_fnmatch_line("*_agent_function.py*")


def test_yaml_tests_are_recorded_and_replayed_without_the_agent(shop: Runner) -> None:
    shop.run("-s", "--ananke-record", "recorded").assert_outcomes(passed=3, failed=3)
    result = shop.run("-s", "--ananke-replay", "recorded")
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.no_fnmatch_line("*asked*")


def test_sessions_are_recorded_and_replayed_without_the_agent(runner: Runner) -> None:
    runner.write("test_s.py", SESSIONS)
    recorded = runner.run("-s", "--ananke-record", "recorded")
    recorded.assert_outcomes(passed=4)
    recorded.stdout.fnmatch_lines(["*asked second*"])
    result = runner.run("-s", "--ananke-replay", "recorded")
    result.assert_outcomes(passed=4)
    result.stdout.no_fnmatch_line("*asked*")
    assert len(list((runner.path / "recorded" / "test_s.py").iterdir())) == 6

    # The recording is judged again: a rule that is new to it can fail.
    runner.write("test_s.py", SESSIONS.replace("It is 3. first", "It is 4. first"))
    runner.run("--ananke-replay", "recorded").assert_outcomes(passed=3, failed=1)
    runner.write("test_s.py", SESSIONS.replace('run("first")', 'run("another")'))
    result = runner.run("--ananke-replay", "recorded")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*another*"])


def test_a_session_without_a_recording_says_what_to_do(runner: Runner) -> None:
    runner.write("test_s.py", SESSIONS)
    (runner.path / "recorded").mkdir()
    result = runner.run("--ananke-replay", "recorded", "-k", "two_turns")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no recording of `test_s.py::test_two_turns` in*record the session first*"])


@pytest.fixture
def no_agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_registered_agents, "_registered", {})
    return iter(())


@pytest.mark.usefixtures("no_agents")
def test_what_is_registered_is_checked() -> None:
    def agent(turn: Turn) -> str:
        return "Hello"

    wrong: Any
    for wrong, why in (
        (lambda: register_agent("shop", 5), "the agent `shop` is 5: an agent of YAML tests is a function of one `turn`"),
        (lambda: register_agent("shop", None), "the agent `shop` is None"),
        (
            lambda: register_agent("shop", lambda: "Hi"),
            "the agent `shop`: an agent is a function .* cannot be called with",
        ),
        (lambda: register_agent("shop", FunctionLLM(lambda messages, tools: "Hi")), "is a FunctionLLM, a model that ananke asks"),
        (
            lambda: register_agent("shop", Target()),
            "is a Target, which is no agent of this process: name the target with",
        ),
        (lambda: register_agent("shop"), "given as `agent`, or as the `factory`"),
        (lambda: register_agent("shop", agent, factory=lambda: agent), "given as `agent`, or as the `factory`"),
        (lambda: register_agent("", agent), "is a text"),
    ):
        with pytest.raises(TypeError, match=why):
            wrong()
    register_agent("shop", agent)
    with pytest.raises(ValueError, match=r"there is an agent `shop` already, which .*test_registered_agents\.py:\d+ registered"):
        register_agent("shop", agent)


@pytest.mark.usefixtures("no_agents")
def test_an_unknown_name_has_a_near_one() -> None:
    assert unknown_agent("shop").startswith("no agent is registered, so there is no `shop`: call ")
    register_agent("shop", lambda turn: "Hi")
    register_agent("bank", lambda turn: "Hi")
    assert unknown_agent("shopp").startswith(
        "no agent `shopp` is registered. Did you mean `shop`? Those of this process are `shop`, `bank`: call "
    )
    assert unknown_agent("x").startswith("no agent `x` is registered. Those of")


ERRORS = """
import sys, time
from ananke_test import register_agent

def slow(turn):
    time.sleep(20)

def leave(turn):
    sys.exit(3)

register_agent("slow", slow)
register_agent("leave", leave)
register_agent("nothing", factory=lambda: None)
"""

TESTS_OF_ERRORS = """
version: "1.4"
tests:
  - { name: slow, target: slow, timeout_ms: 200, turns: [{ user: "Hi", assert: { text: x } }] }
  - { name: leave, target: leave, turns: [{ user: "Hi", assert: { text: x } }] }
  - { name: nothing, target: nothing, turns: [{ user: "Hi", assert: { text: x } }] }
"""


def test_tracebacks_have_the_frames_of_the_agent_alone(runner: Runner) -> None:
    names = ("slow", "leave", "nothing")
    targets = "".join(f"  {name}: {{ type: external, agent: {name} }}\n" for name in names)
    runner.write("ananke.config.yaml", f'version: "1.4"\ntarget: slow\ntargets:\n{targets}')
    runner.write("a.test.yaml", TESTS_OF_ERRORS)
    runner.write("conftest.py", ERRORS)
    result = runner.run()
    result.assert_outcomes(failed=3)
    result.stdout.no_fnmatch_line("*CancelledError*")
    result.stdout.no_fnmatch_line("*ananke_test/_*.py*")
    result.stdout.fnmatch_lines(["*! timeout*", '*conftest.py", line 9, in leave', "SystemExit: 3"])
    result.stdout.fnmatch_lines(["*agent error: TypeError: the agent `nothing` is None: an agent of YAML tests is a function*"])


MOCKS = """
import asyncio
from unittest.mock import AsyncMock, Mock, create_autospec

import pytest
from ananke_test import AgentError, PendingAnswer, SyncTestSession, TestSession, mock_tools, tool

@tool
def pay(amount, note="none"):
    raise RuntimeError("real money")

def agent(turn):
    if turn.input is None:
        return str(pay(5)) if turn.answers[0].payload is True else "denied"
    if turn.input == "fail":
        pay(1)
        raise LookupError("no account")
    if turn.input == "ask":
        turn.report_call("c9", "pay", {"amount": 5})
        turn.interrupt("i1", "approval", "may I?", "c9")
        return None
    if turn.input == "odd":
        return turn.call("look", {"at": object()}, lambda at: "seen")
    return f"{pay(int(turn.input))} {pay(amount=2, note='two')}" if turn.input != "0" else "nothing"

def ran(amount, note="none"):
    print("the mock ran")
    return amount

@pytest.mark.parametrize("given", [
    ran, Mock(side_effect=[1, 2, 3, 4]), AsyncMock(return_value=3), create_autospec(ran, return_value=4), Mock(wraps=ran)
])
def test_counts(given):
    with SyncTestSession(agent=agent) as session, mock_tools(agent, {"pay": given}) as mocks:
        session.run("0")
        mocks["pay"].assert_not_called()
        session.run("1")
        assert mocks["pay"].call_count == mocks["pay"].await_count == 2
        mocks["pay"].assert_any_call(amount=1)
        mocks["pay"].assert_called_with(amount=2, note="two")
        if given is not ran:
            assert given.call_count == 2
        with mock_tools(agent, {"pay": ran}) as inner:
            session.run("3")
        assert (inner["pay"].call_count, mocks["pay"].call_count) == (2, 2)

def test_a_call_before_a_failure():
    async def fails():
        async with TestSession(agent=agent) as session:
            with mock_tools(agent, {"pay": ran}) as mocks, pytest.raises((LookupError, AgentError)):
                await session.run("fail")
        mocks["pay"].assert_called_once_with(amount=1)
    asyncio.run(fails())

@pytest.mark.parametrize("answer", [True, False])
def test_a_call_that_waits(answer):
    with SyncTestSession(agent=agent) as session, mock_tools(agent, {"pay": ran}) as mocks:
        session.run("ask")
        mocks["pay"].assert_not_called()
        session.resume(PendingAnswer(answer))
        assert mocks["pay"].call_count == answer

def test_arguments_that_are_not_json(request):
    with SyncTestSession(agent=agent) as session, mock_tools(agent, {"look": lambda at: "mocked"}) as mocks:
        session.run("odd")
        session.run("odd")
    assert mocks["look"].call_count == 2
    if request.config.getoption("--ananke-replay"):
        for read in (lambda: mocks["look"].call_args, lambda: mocks["look"].assert_called_once_with(at=1)):
            with pytest.raises(RuntimeError, match="`look` whose arguments are not a JSON object"):
                read()
"""


def test_mocks_have_the_recorded_calls_in_a_replay(runner: Runner) -> None:
    runner.write("test_s.py", MOCKS)
    recorded = runner.run("-s", "--ananke-record", "recorded")
    recorded.assert_outcomes(passed=9)
    recorded.stdout.fnmatch_lines(["*the mock ran*"])
    result = runner.run("-s", "--ananke-replay", "recorded")
    result.assert_outcomes(passed=9)
    result.stdout.no_fnmatch_line("*the mock ran*")


@pytest.mark.parametrize(
    ("reason", "answer", "count"),
    [
        ("approval", PendingAnswer({"approved": True}), 1),
        ("approval", PendingAnswer({"approved": False}), 0),
        ("result", PendingAnswer("done by the client"), 0),
        ("question", PendingAnswer("Yes"), 1),
        ("question", PendingAnswer(cancelled=True), 0),
    ],
)
async def test_a_call_that_waited_is_counted_when_it_was_executed(reason: str, answer: PendingAnswer, count: int) -> None:
    agent = object()
    mocks = {"pay": AsyncMock()}
    replayed = ReplayedMocks(agent)
    _active_mocks.begin(agent, mocks)
    try:
        await replayed.take([FunctionCallEvent("pay", {"amount": 5}, "c1")], [Interrupt("i1", reason, None, "c1")])
        assert mocks["pay"].call_count == 0
        replayed.answer({"i1": answer})
        await replayed.take([FunctionCallOutputEvent("pay", "ended", False, "c1")])
        assert mocks["pay"].call_count == count
    finally:
        _active_mocks.end(mocks)


def test_a_replay_that_uses_less_than_was_recorded_is_a_warning(runner: Runner) -> None:
    runner.write("test_s.py", SESSIONS)
    runner.run("--ananke-record", "recorded").assert_outcomes(passed=4)
    fewer = SESSIONS.replace("""        session.run("second").check('text: { contains: "It is 3. first" }')\n""", "")
    runner.write("test_s.py", fewer)
    result = runner.run("--ananke-replay", "recorded", "-k", "two_turns")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*RecordingWarning: the recording `*` holds 1 request that the test no longer sends*"])
