"""The pytest plugin, in runs of their own."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import ananke_test

PLUGIN = "ananke_test.pytest_plugin"

CONFIG = """
version: "1.4"
target:
  type: scripted
  rules:
    - when: { user: "bad" }
      do: [{ say: "no" }]
    - do: [{ say: "hello" }]
targets:
  other: { type: scripted, rules: [{ do: [{ say: "other" }] }] }
quarantine:
  - { test: "a.test.yaml::known", owner: payments, expires: 2099-01-01, reason: "flaky bank" }
  - { test: "a.test.yaml::fixed", owner: payments, expires: 2099-01-01 }
"""

TESTS = """
version: "1.4"
tests:
  - name: good
    tags: [smoke, skip]
    turns: [{ user: "hi", assert: { text: hello } }]
  - name: wrong
    turns: [{ user: "bad", assert: { text: hello } }]
  - name: later
    skip: "not now"
    turns: [{ user: "hi", assert: { text: hello } }]
  - name: known
    turns: [{ user: "bad", assert: { text: hello } }]
  - name: fixed
    turns: [{ user: "hi", assert: { text: hello } }]
  - name: rows
    cases: [{ x: hi }, { x: hi, id: second }]
    turns: [{ user: "${x}", assert: { text: hello } }]
"""

CASES = '{"id": "case1", "input": "hi", "assert": {"type": "contains", "value": "hello"}}\n'


class Runner:
    """Runs pytest as a program, in a directory of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        self.path = pytester.path
        is_installed = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
        self._arguments = ["-p", "no:asyncio"] + ([] if is_installed else ["-p", PLUGIN])

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *arguments: str) -> pytest.RunResult:
        return self._pytester.runpytest_subprocess(*self._arguments, *arguments, timeout=60)

    def start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "pytest", *self._arguments]
        # Ctrl-C is ignored in what a shell starts in the background.
        return subprocess.Popen(
            command,
            cwd=self.path,
            stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )


@pytest.fixture
def runner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    packages = str(Path(ananke_test.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [packages, os.environ.get("PYTHONPATH")])))
    return Runner(pytester)


@pytest.fixture
def project(runner: Runner) -> Runner:
    runner.write("ananke.config.yaml", CONFIG)
    runner.write("a.test.yaml", TESTS)
    return runner


def test_a_project(project: Runner) -> None:
    ran = project.run("-rA")
    ran.assert_outcomes(passed=3, failed=1, skipped=1, xfailed=1, xpassed=1)
    assert ran.ret == 1
    out = ran.stdout.str()
    assert "a.test.yaml .FsxX.." in out
    assert "nothing the agent said in this turn contains `hello`" in out
    assert "user:    bad" in out
    assert "agent:   no" in out
    assert "Traceback" not in out
    assert "_pytest_items" not in out
    ran.stdout.fnmatch_lines(
        [
            "PASSED a.test.yaml::good",
            "PASSED a.test.yaml::rows[[]1[]]",
            "PASSED a.test.yaml::rows[[]second[]]",
            "SKIPPED [[]1[]] a.test.yaml:*: not now",
            "XFAIL a.test.yaml::known - quarantined until 2099-01-01 (payments): flaky bank",
            "XPASS a.test.yaml::fixed - quarantined until 2099-01-01 (payments)",
            "FAILED a.test.yaml::wrong - nothing the agent said in this turn contains `hel*",
        ]
    )


def test_selections(project: Runner) -> None:
    project.run("-k", "good or rows").assert_outcomes(passed=3, deselected=4)
    project.run("-m", "smoke", "--strict-markers").assert_outcomes(passed=1, deselected=6)
    project.run("a.test.yaml::good").assert_outcomes(passed=1)
    project.run("a.test.yaml::rows[second]").assert_outcomes(passed=1)
    assert project.run("a.test.yaml::nothing").ret == pytest.ExitCode.USAGE_ERROR


def test_last_failed(project: Runner) -> None:
    project.run()
    ran = project.run("--lf")
    ran.assert_outcomes(failed=1)


NAMES = [
    "plain",
    "rows[1]",
    "open [bracket",
    "open [bracket]",
    "[whole]",
    "two [a] and [b]",
    "shop::pay",
    "shop::refund",
    "cart::pay",
    "shop::pay twice",
    "a::b::c",
    "a::[x]::c",
    "::first",
    "last::",
    "call::()",
    "a/b.test.yaml",
    "Überweisung 💶 [ä::ö]",
    "ends -2",
    "] closed [",
]


def named(runner: Runner, failing: int) -> list[str]:
    """A project whose tests have these names; every second one fails, beginning with the first or the second. The ids of those."""
    tests = [
        {"name": name, "turns": [{"user": "hi", "assert": {"text": "never" if number % 2 == failing else "hello"}}]}
        for number, name in enumerate(NAMES)
    ]
    rows = {
        "name": "cities [by row]",
        "cases": [{"x": "hi"}, {"x": "bad", "id": "no::such [city]"}, {"x": "hi", "id": "ß/[1]"}],
        "turns": [{"user": "${x}", "assert": {"text": "hello"}}],
    }
    own = {"name": "with its own id", "id": "own::[id]", "turns": [{"user": "bad", "assert": {"text": "hello"}}]}
    runner.write("ananke.config.yaml", CONFIG.split("quarantine")[0] + 'specs: ["**/*.test.yaml", "*.jsonl"]\n')
    runner.write("ä [1]/a.test.yaml", json.dumps({"version": "1.4", "tests": [*tests, rows, own]}))
    case = {"input": "bad", "assert": {"type": "contains", "value": "hello"}}
    runner.write("c.jsonl", "".join(json.dumps({"id": f"{shop}::case [1]", **case}) + "\n" for shop in ("one", "two")))
    # For pytest, two of them are the same: the second one gets a number.
    of_pytest = [name if name != "open [bracket]" else f"{name}-2" for name in NAMES]
    names = [*of_pytest[failing::2], "cities [by row][no::such [city]]", "own::[id]"]
    return [*(f"ä [1]/a.test.yaml::{name}" for name in names), "c.jsonl::one::case [1]", "c.jsonl::two::case [1]"]


def cached(runner: Runner) -> list[str]:
    """The ids that pytest has kept as failed."""
    return sorted(json.loads((runner.path / ".pytest_cache/v/cache/lastfailed").read_text(encoding="utf-8")))


def listed(runner: Runner, *arguments: str) -> list[str]:
    """The ids of the tests that a selection consists of."""
    return [line for line in runner.run("--collect-only", "-q", *arguments).outlines if "::" in line]


@pytest.mark.parametrize(("failing", "workers"), [(0, []), (1, []), (1, ["-n", "2"])], ids=["even", "odd", "workers"])
def test_failures_of_all_names_are_remembered(runner: Runner, failing: int, workers: list[str]) -> None:
    if workers:
        pytest.importorskip("xdist")
    ids = sorted(named(runner, failing))
    runner.run(*workers).assert_outcomes(failed=len(ids), passed=len(NAMES) + 6 - len(ids))
    assert cached(runner) == ids
    assert sorted(listed(runner, "--lf")) == ids
    runner.run("--lf", *workers).assert_outcomes(failed=len(ids))
    assert cached(runner) == ids
    # Others fail now: what is fixed is forgotten, and nothing else.
    kept = [one for one in ids if one in named(runner, 1 - failing)]
    runner.run("--lf", *workers).assert_outcomes(failed=len(kept), passed=len(ids) - len(kept))
    assert cached(runner) == kept


def test_a_failure_is_the_next_step_or_the_first_test(runner: Runner) -> None:
    named(runner, 1)
    (runner.path / "c.jsonl").unlink()
    runner.run("--stepwise").assert_outcomes(passed=1, failed=1)
    runner.run("--stepwise").assert_outcomes(failed=1, deselected=1)
    assert listed(runner, "--ff")[0] == "ä [1]/a.test.yaml::rows[1]"


def test_an_id_that_pytest_prints_selects_its_test(runner: Runner) -> None:
    named(runner, 0)
    # pytest takes no path with a bracket on its command line.
    (runner.path / "ä [1]").rename(runner.path / "ä")
    ids = listed(runner)
    assert len(ids) == len(set(ids)) == len(NAMES) + 6
    assert sorted(listed(runner, *reversed(ids))) == sorted(ids)
    for one in ids[::6]:
        assert listed(runner, one) == [one]
    assert listed(runner, "--deselect", "ä/a.test.yaml::shop::pay twice") == [one for one in ids if "pay twice" not in one]


def test_a_name_is_one_keyword(runner: Runner) -> None:
    named(runner, 0)
    runner.run("-k", "shop::pay").assert_outcomes(passed=1, failed=1, deselected=len(NAMES) + 4)


def test_a_path_that_pytest_does_not_find_again(runner: Runner) -> None:
    runner.write("ananke.config.yaml", CONFIG.split("quarantine")[0])
    runner.write("a::b/a.test.yaml", 'version: "1.4"\nname: one\nturns: [{ user: "hi", assert: { text: hello } }]\n')
    ran = runner.run("-v")
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines(["a::b/a.test.yaml::one PASSED*", "*AnankeWarning: pytest ends a path at `::`, so `--lf` forgets*"])


def test_collect_only(project: Runner) -> None:
    project.write("c.jsonl", CASES)
    ran = project.run("--collect-only", "-q", "a.test.yaml", "c.jsonl")
    ran.stdout.fnmatch_lines(
        [
            "a.test.yaml::good",
            "a.test.yaml::wrong",
            "a.test.yaml::later",
            "a.test.yaml::known",
            "a.test.yaml::fixed",
            "a.test.yaml::rows[[]1[]]",
            "a.test.yaml::rows[[]second[]]",
            "c.jsonl::case1",
        ]
    )


COUNTING = """
version: "1.4"
target: { type: command, cmd: [python3, agent.py] }
"""

AGENT = """
import json, os, sys

with open("asked", "a") as asked:
    asked.write(f"{os.getppid()}\\n")
for line in sys.stdin:
    run = json.loads(line)
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    said = {"type": "TEXT_MESSAGE_CHUNK", "messageId": run["runId"], "role": "assistant", "delta": "ok"}
    for event in [{"type": "RUN_STARTED", **ids}, said, {"type": "RUN_FINISHED", **ids}]:
        print(json.dumps(event), flush=True)
"""


def counting(runner: Runner, count: int, expected: str = "ok") -> None:
    runner.write("ananke.config.yaml", COUNTING)
    runner.write("agent.py", AGENT)
    for number in range(count):
        text = f'version: "1.4"\nname: n{number}\nturns: [{{ user: "hi", assert: {{ text: "{expected}" }} }}]\n'
        runner.write(f"t{number}.test.yaml", text)


def asked(runner: Runner) -> list[str]:
    path = runner.path / "asked"
    return path.read_text().split() if path.exists() else []


def test_nothing_is_asked_while_tests_are_collected(runner: Runner) -> None:
    counting(runner, 3)
    runner.run("--collect-only").stdout.fnmatch_lines(["*3 tests collected*"])
    assert asked(runner) == []


def test_one_program_for_all_tests(runner: Runner) -> None:
    counting(runner, 8)
    runner.run().assert_outcomes(passed=8)
    assert len(asked(runner)) == 8
    assert len(set(asked(runner))) == 1


def test_the_first_failure_ends_the_run(runner: Runner) -> None:
    counting(runner, 5, expected="something else")
    runner.run("-x").assert_outcomes(failed=1)
    assert len(asked(runner)) == 1
    runner.run("--maxfail=2").assert_outcomes(failed=2)
    assert len(asked(runner)) == 3


def test_several_workers(runner: Runner) -> None:
    pytest.importorskip("xdist")
    counting(runner, 6)
    runner.write("wrong.test.yaml", 'version: "1.4"\nname: wrong\nturns: [{ user: "hi", assert: { text: "never" } }]\n')
    ran = runner.run("-n", "2", "--junitxml", "junit.xml")
    ran.assert_outcomes(passed=6, failed=1)
    assert len(set(asked(runner))) == 2
    assert "FAILED wrong.test.yaml::wrong - nothing the agent said" in ran.stdout.str()
    assert "Traceback" not in ran.stdout.str()


def test_junit(project: Runner) -> None:
    project.run("--junitxml", "junit.xml")
    cases = {case.get("name"): case for case in ET.parse(project.path / "junit.xml").getroot().iter("testcase")}
    failure = cases["wrong"].find("failure")
    assert failure is not None
    message = failure.get("message") or ""
    assert message.startswith("nothing the agent said in this turn contains `hello`")
    assert "user:    bad" in (failure.text or "")
    skipped = cases["later"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "not now"
    assert cases["known"].find("skipped") is not None


def test_a_case_file_and_what_the_config_does_not_list(runner: Runner) -> None:
    runner.write("ananke.config.yaml", CONFIG + 'specs: ["specs/*.test.yaml", "specs/*.jsonl"]\n')
    runner.write("specs/c.jsonl", CASES)
    runner.write("specs/data.jsonl.txt", CASES)
    runner.write("other.test.yaml", TESTS)
    runner.write("notes.yaml", "a: 1\n")
    runner.run().assert_outcomes(passed=1)
    ran = runner.run("other.test.yaml")
    ran.assert_outcomes(passed=4, failed=2, skipped=1)


def test_each_config_governs_its_directory(runner: Runner) -> None:
    one = 'version: "1.4"\nname: one\nturns: [{ user: "hi", assert: { text: hello } }]\n'
    runner.write("a/ananke.config.yaml", CONFIG.split("quarantine")[0])
    runner.write("a/one.test.yaml", one)
    runner.write("b/ananke.config.yaml", CONFIG.split("quarantine")[0].replace("hello", "hello b"))
    runner.write("b/two.test.yaml", one.replace("hello", "hello b"))
    runner.write("c/three.test.yaml", one)
    runner.run().assert_outcomes(passed=2)


def test_targets(project: Runner) -> None:
    ran = project.run("--ananke-target", "other", "-k", "good")
    ran.assert_outcomes(failed=1, deselected=6)
    ran = project.run("--ananke-target", "othr")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*--ananke-target: there is no target `othr`*", "help: did you mean `other`?"])


def test_record_and_replay(runner: Runner) -> None:
    counting(runner, 2)
    runner.run("--ananke-record", "recordings").assert_outcomes(passed=2)
    assert list((runner.path / "recordings").iterdir())
    runner.run("--ananke-replay", "recordings").assert_outcomes(passed=2)
    assert len(asked(runner)) == 2
    assert runner.run("--ananke-record", "a", "--ananke-replay", "recordings").ret == pytest.ExitCode.USAGE_ERROR
    ran = runner.run("--ananke-replay", "nothing")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*there is no directory `nothing`*"])
    for recording in (runner.path / "recordings").rglob("*.jsonl"):
        recording.write_text(recording.read_text().replace("{", "{ ", 1))
    ran = runner.run("--ananke-replay", "recordings", "-k", "t0")
    ran.stdout.fnmatch_lines(["t0.test.yaml:*", "*t0.test.yaml:*: AnankeWarning: *was changed after it was recorded*"])
    runner.write("file", "")
    ran = runner.run("--ananke-record", "file")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*--ananke-record: `file` is not a directory*"])
    assert len(asked(runner)) == 2


def test_a_mistake_in_a_test_file(project: Runner) -> None:
    project.write("b.test.yaml", TESTS + "turnz: 1\n")
    ran = project.run()
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(["*ERROR collecting b.test.yaml*", "error[[]unknown-key[]]: unknown key `turnz`", "*= help:*"])
    assert "Traceback" not in ran.stdout.str()
    assert "_pytest_project" not in ran.stdout.str()
    ran = project.run("--continue-on-collection-errors")
    ran.assert_outcomes(passed=3, failed=1, skipped=1, xfailed=1, xpassed=1, errors=1)


def test_a_mistake_in_a_file_of_data(runner: Runner) -> None:
    runner.write("ananke.config.yaml", CONFIG.split("quarantine")[0])
    runner.write("a.test.yaml", 'version: "1.4"\nname: a\ncases: nothing.csv\nturns: [{ user: "${x}" }]\n')
    ran = runner.run()
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(["*ERROR collecting a.test.yaml*", "*nothing.csv*"])


def test_a_mistake_in_the_config(project: Runner) -> None:
    project.write("ananke.config.yaml", CONFIG + "specz: []\n")
    ran = project.run()
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(["*unknown key `specz`*", "*= help: did you mean `specs`?*"])
    assert "Traceback" not in ran.stdout.str()


def test_mistakes_of_one_project_leave_the_others(runner: Runner) -> None:
    good = 'version: "1.4"\nname: good\nturns: [{ user: "hi", assert: { text: hello } }]\n'
    config = CONFIG.split("quarantine")[0]
    for name, text in {"a": config, "b": config, "c": config + "specz: []\n"}.items():
        runner.write(f"{name}/ananke.config.yaml", text)
        runner.write(f"{name}/one.test.yaml", good)
        runner.write(f"{name}/two.test.yaml", good)
    runner.write("b/one.test.yaml", good + "turnz: 1\n")
    ran = runner.run("--continue-on-collection-errors")
    ran.assert_outcomes(passed=3, errors=3)
    ran.stdout.fnmatch_lines(
        [
            "*ERROR collecting b/one.test.yaml*",
            "error[[]unknown-key[]]: unknown key `turnz`",
            "*ERROR collecting c/one.test.yaml*",
            "error[[]unknown-key[]]: unknown key `specz`",
            "*ERROR collecting c/two.test.yaml*",
            "nothing can be collected, for the reason above: */c/ananke.config.yaml",
        ]
    )
    assert runner.run().ret == pytest.ExitCode.INTERRUPTED


def test_warnings_have_their_place(runner: Runner) -> None:
    runner.write("ananke.config.yaml", CONFIG.split("quarantine")[0])
    runner.write("a.test.yaml", 'version: "1.4"\nname: nothing\nturns: [{ user: "hi" }]\n')
    ran = runner.run()
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines(["*a.test.yaml:2: AnankeWarning: the test asserts nothing*"])


def test_an_agent_that_cannot_be_reached(runner: Runner) -> None:
    target = 'version: "1.4"\ntarget: { type: agui, endpoint: "http://127.0.0.1:1/agent" }\n'
    runner.write("ananke.config.yaml", target)
    runner.write("a.test.yaml", 'version: "1.4"\nname: a\nturns: [{ user: "hi", assert: { text: hello } }]\n')
    ran = runner.run()
    ran.assert_outcomes(failed=1)
    assert "FAILED a.test.yaml::a - " in ran.stdout.str()
    assert "Traceback" not in ran.stdout.str()


def test_setup_that_fails(runner: Runner) -> None:
    runner.write("ananke.config.yaml", CONFIG.split("quarantine")[0] + 'setup: [{ cmd: [bash, -c, "exit 3"] }]\n')
    runner.write("a.test.yaml", TESTS)
    ran = runner.run("-k", "good or wrong")
    ran.assert_outcomes(failed=2, deselected=5)
    assert "Traceback" not in ran.stdout.str()


def test_the_fixture(project: Runner) -> None:
    project.write(
        "test_talk.py",
        "import asyncio, functools\n"
        "def in_a_loop(function):\n"
        "    @functools.wraps(function)\n"
        "    def test(*args, **kwargs):\n"
        "        asyncio.run(function(*args, **kwargs))\n"
        "    return test\n"
        "def test_plain(ananke_session):\n"
        "    ananke_session.run('hi').check('text: hello')\n"
        "@in_a_loop\n"
        "async def test_async(ananke_session):\n"
        "    result = await ananke_session.run('hi')\n"
        "    result.expect.next_event().is_message('assistant')\n"
        "    result.expect.no_more_events()\n"
        "def test_wrong(ananke_session):\n"
        "    result = ananke_session.run('bad')\n"
        "    result.expect.next_event().is_function_call('pay')\n",
    )
    ran = project.run("test_talk.py")
    ran.assert_outcomes(passed=2, failed=1)
    out = ran.stdout.str()
    ran.stdout.fnmatch_lines(
        [
            "E  *AssertionError: event 1 of 1: expected a call to pay, found a message of the assistant `no`",
            "E  *> 1  message (assistant): no",
            "test_talk.py:16: AssertionError",
        ]
    )
    assert "_asserts.py" not in out
    project.run("test_talk.py", "--ananke-target", "other").assert_outcomes(passed=1, failed=2)


LEAKING = """
import json, os, sys

for line in sys.stdin:
    run = json.loads(line)
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    token = os.environ["SHOP_TOKEN"]
    call = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "pay", "delta": json.dumps({"with": token})}
    result = {"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "c1", "content": f"paid with {token}"}
    said = {"type": "TEXT_MESSAGE_CHUNK", "messageId": run["runId"], "role": "assistant", "delta": f"the token is {token}"}
    for event in [{"type": "RUN_STARTED", **ids}, call, result, said, {"type": "RUN_FINISHED", **ids}]:
        print(json.dumps(event), flush=True)
"""


def test_reports_of_yaml_tests_are_masked(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "one-token-of-the-shop")
    runner.write("ananke.config.yaml", COUNTING + "redact: [ENV.SHOP_TOKEN]\n")
    runner.write("agent.py", LEAKING)
    rules = '{ text: { equals: "${ENV.SHOP_TOKEN}" }, tools: { forbid: pay } }'
    test = f'turns: [{{ user: "pay with ${{ENV.SHOP_TOKEN}}", assert: {rules} }}]'
    runner.write("a.test.yaml", f'version: "1.4"\nname: leaks\n{test}\n')
    runner.write(
        "test_talk.py",
        "import pytest\n"
        "def test_findings(ananke_session):\n"
        "    result = ananke_session.run('hi')\n"
        "    assert result.events[-1].content == 'the token is one-token-of-the-shop'\n"
        "    assert 'said: the token is ***' in str(result.findings('text: hello'))\n",
    )
    ran = runner.run("-v", "--junitxml", "junit.xml")
    ran.assert_outcomes(failed=1, passed=1)
    ran.stdout.fnmatch_lines(["*pay with ***", "*agent:   the token is ***"], consecutive=False)
    assert "one-token" not in ran.stdout.str()
    assert "one-token" not in (runner.path / "junit.xml").read_text()


def test_the_fixture_without_a_config(runner: Runner) -> None:
    runner.write("test_talk.py", "def test_plain(ananke_session): ...\n")
    ran = runner.run()
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*the fixture `ananke_session` needs an `ananke.config.yaml`*"])


MISTAKES = """
import pytest
from ananke_test import FunctionLLM, SyncTestSession, Target, TestSession, mock_tools

LLM = FunctionLLM(lambda messages, tools: "hello")

@LLM.register_function()
def pay(amount: int): ...

def test_a_reply_that_is_none():
    with SyncTestSession(FunctionLLM(lambda messages, tools: None)) as session:
        session.run("hi")
def test_a_model_of_messages_alone():
    FunctionLLM(lambda messages: "hello")
def test_something_else_than_an_llm():
    with SyncTestSession("gpt-6"): ...
def test_an_unknown_target():
    with SyncTestSession(Target("othr")): ...
def test_a_misspelled_key():
    with SyncTestSession(Target(type="agui", endpont="http://127.0.0.1:1")): ...
def test_an_unknown_tool():
    with mock_tools(LLM, {"pya": lambda: 1}): ...
def test_a_mock_that_is_a_value():
    with mock_tools(LLM, {"pay": {"paid": True}}): ...
def test_a_tool_that_is_a_value():
    LLM.register_function(3)
def test_an_input_that_is_a_mapping():
    with SyncTestSession(LLM) as session:
        session.run({"text": "hi"})
def test_a_session_that_is_not_started():
    SyncTestSession(LLM).run("hi")
def test_a_session_that_was_closed():
    with SyncTestSession(LLM) as session: ...
    session.run("hi")
def test_an_async_session_in_a_plain_function():
    with TestSession(LLM): ...
def test_a_misspelled_rule():
    with SyncTestSession(LLM) as session:
        session.run("hi").check("tols: { forbid: pay }")
def test_rules_that_are_a_list():
    with SyncTestSession(LLM) as session:
        session.run("hi").check(["tools"])
def test_a_judge_without_verdict():
    with SyncTestSession(LLM) as session:
        result = session.run("hi")
    result.expect.next_event().is_message().judge_sync(FunctionLLM(lambda messages, tools: "well"), intent="greets")
def test_a_turn_after_an_error():
    with SyncTestSession(Target(type="agui", endpoint="http://127.0.0.1:1/agent")) as session:
        with pytest.raises(RuntimeError):
            session.run("hi")
        session.run("hi")
"""

IN_WORDS = [
    "TypeError: the model replied with None: a reply is a text, or a message with `content`",
    "TypeError: the model is a function of messages and tools (`def model(messages, tools)`), and <function",
    "TypeError: a session with 'gpt-6' is not possible: an LLM is a FunctionLLM, a Target,",
    "ValueError: error[unknown-name]: there is no target `othr`",
    "ValueError: target:1:2: error[unknown-key]: unknown key `endpont`",
    "KeyError: 'there is no tool `pya`; the tools are `pay`'",
    "TypeError: the mock of `pay` is {'paid': True}, not a function: for a fixed result, give `lambda **arguments: {'paid': True}`",
    "TypeError: a tool is a function, this is 3",
    "TypeError: the input of the user is a text (str), this is {'text': 'hi'}",
    "RuntimeError: the session is not started: use `with SyncTestSession(…) as session`, or `session.start()`",
    "RuntimeError: the session is not started: it was closed. Use it inside the block that starts it",
    "TypeError: a TestSession is for async tests: use `async with`, or in a plain function `with SyncTestSession(…)`",
    "ValueError: assert:1:1: error[unknown-key]: unknown key `tols`",
    "TypeError: the rules are a text of YAML or a mapping, this is ['tools']: `tools: { forbid: pay }`",
    "ananke_test.JudgeError: judge error: the judge `judge` answered with no verdict: well",
    "ananke_test.AgentError: the session is over, since a turn did not end as it should",
]


def test_mistakes_in_python_are_explained_without_frames_of_the_package(project: Runner) -> None:
    project.write("test_talk.py", MISTAKES)
    ran = project.run("test_talk.py")
    ran.assert_outcomes(failed=len(IN_WORDS))
    out = ran.stdout.str()
    for words in IN_WORDS:
        assert f"  {words}" in out
    for name in ("ananke_test/", "contextlib", "concurrent", "asyncio", "another exception"):
        assert name not in out


def test_a_project_without_a_config_is_not_disturbed(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANANKE_PROGRAM", "/nothing/ananke")
    runner.write("a.test.yaml", TESTS)
    runner.write("b.jsonl", CASES)
    runner.write("test_it.py", "import sys\ndef test_it():\n    assert 'ananke_test._connection' not in sys.modules\n")
    ran = runner.run("-W", "error", "--strict-markers")
    ran.assert_outcomes(passed=1)


def test_a_program_that_is_missing(project: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANANKE_PROGRAM", "/nothing/ananke")
    ran = project.run()
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(
        ["*the program `ananke` cannot be started: ANANKE_PROGRAM names `/nothing/ananke`, which is not a file*"]
    )
    assert "Traceback" not in ran.stdout.str()
    project.write("test_it.py", "def test_it(): ...\ndef test_talk(ananke_session): ...\n")
    ran = project.run("--continue-on-collection-errors")
    ran.assert_outcomes(passed=1, errors=2)
    assert "another exception" not in ran.stdout.str()


def test_a_named_file_without_a_config(runner: Runner) -> None:
    runner.write("a.test.yaml", TESTS)
    ran = runner.run("a.test.yaml")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stdout.fnmatch_lines(["*a.test.yaml:1: AnankeWarning: the file is not collected: there is no `ananke.config.yaml`*"])


def test_python_tests_between_tests_of_ananke(project: Runner) -> None:
    project.write("b/test_between.py", "def test_between(): ...\n")
    project.write("c/z.test.yaml", TESTS)
    ran: Any = project.run("-p", "no:cacheprovider")
    ran.assert_outcomes(passed=8, failed=3, skipped=2, xfailed=1, xpassed=1)


def test_an_unknown_target_of_a_config_below(runner: Runner) -> None:
    pytest.importorskip("xdist")
    runner.write("below/ananke.config.yaml", CONFIG.split("quarantine")[0])
    runner.write("below/a.test.yaml", TESTS)
    ran = runner.run("-n", "2", "--ananke-target", "othr")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*--ananke-target: there is no target `othr`*"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_ends_the_run_at_once(runner: Runner) -> None:
    counting(runner, 3)
    runner.write("agent.py", "import sys, time\nopen('asked', 'w').write('x')\ntime.sleep(600)\n")
    process = runner.start()
    deadline = time.monotonic() + 60
    while not (runner.path / "asked").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert time.monotonic() - started < 30
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert b"KeyboardInterrupt" in out
