"""YAML tests of agents of this process, and recordings of sessions, in runs of pytest of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from ananke_test import Turn, _registered_agents, register_agent
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
    result = shop.run("-v", *options)
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(
        ["*::remembers PASSED*", "*::pays FAILED*", "*::breaks FAILED*", "*::own object 1 PASSED*", "*::own object 2 PASSED*"]
    )
    result.stdout.fnmatch_lines(
        [
            "*`pay` was called, which is forbidden*",
            "*call     pay({}) *paid*",
            "*agent error: KeyError: 'the database'*",
            "traceback of the agent:",
            '*conftest.py", line *, in shop',
            "KeyError: 'the database'",
            "*no agent `nobody` is registered, those of this process are `shop`, `fresh`: call `ananke_test.register_agent(*",
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
        (lambda: register_agent("shop", 5), "a session with 5"),
        (lambda: register_agent("shop"), "given as `agent`, or as the `factory`"),
        (lambda: register_agent("shop", agent, factory=lambda: agent), "given as `agent`, or as the `factory`"),
        (lambda: register_agent("", agent), "is a text"),
    ):
        with pytest.raises(TypeError, match=why):
            wrong()
    register_agent("shop", agent)
    with pytest.raises(ValueError, match="there is an agent `shop` already"):
        register_agent("shop", agent)
