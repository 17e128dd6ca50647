"""Rules of YAML tests on runs."""

import pytest

from ananke_test import ChatMessageEvent, JudgeError, RunResult, TestSession
from tests.conftest import scripted, weather


def test_rules_that_pass() -> None:
    assert weather().findings("tools: { require: get_weather }\ntext: Paris") == []
    weather().check({"tools": {"require": "get_weather"}, "text": "Paris"})


def test_findings_have_the_keys_of_the_report() -> None:
    (finding,) = weather().findings("tools: { forbid: get_weather }")
    assert finding["type"] == "tools.forbid"
    assert finding["message"] == "`get_weather` was called, which is forbidden"
    assert finding["expected"] == "no call to `get_weather`"
    assert finding["status"] == "failed"
    assert len(finding["seen"]) == 1


def test_a_check_lists_findings_and_events() -> None:
    with pytest.raises(AssertionError) as failed:
        weather().check("tools: { forbid: get_weather }\ntext: Rome")
    text = str(failed.value)
    assert text.startswith("`get_weather` was called, which is forbidden\n  seen call: get_weather({")
    assert "contains `Rome`" in text
    assert text.endswith("\n  3  message (assistant): It is 21 degrees in Paris.")


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            "tools: { require: [{ name: get_weather, count: 2 }] }",
            "`get_weather` was called once in this turn, expected exactly 2 times",
        ),
        (
            "tools: { require: [{ name: get_weather, args: { city: Rome } }] }",
            '`get_weather` was called with `city` "Paris", expected "Rome"',
        ),
        ("text: Rome", "nothing the agent said in this turn contains `Rome`"),
        ("whenever: [{ call: get_weather, followed_by: { says: sorry } }]", "without a message matching `sorry` after it"),
    ],
)
def test_a_finding_says_what_is_expected_once_and_has_no_numbers_of_its_own(rules: str, words: str) -> None:
    with pytest.raises(AssertionError) as failed:
        weather().check(rules)
    sentence, *_ = str(failed.value).split("\n\nevents:\n")
    assert words in sentence
    assert sentence.count("expected") <= 1
    assert "#" not in sentence


def test_own_words_stand_before_the_finding() -> None:
    with pytest.raises(AssertionError, match=r"^look it up\n  seen `book` was not called in this turn\n"):
        weather().check("tools: { require: [{ name: book, message: look it up }] }")


def test_a_mistake_has_a_place_and_help() -> None:
    with pytest.raises(ValueError, match=r"unknown key `forbd`\nhelp: did you mean `forbid`\?"):
        weather().check("tools: { forbd: x }")
    with pytest.raises(ValueError, match="error"):
        weather().findings("tools: [")


async def test_rules_apply_after_the_end_of_the_session() -> None:
    async with TestSession(llm=scripted("Hello")) as session:
        result = await session.run("Hi")
    result.check("text: Hello\ntools: { allow_only: [] }")
    with pytest.raises(AssertionError, match="Bye"):
        result.check("text: Bye")


def test_what_is_not_shown_is_a_finding() -> None:
    made = RunResult([ChatMessageEvent("assistant", "Hello")])
    findings = made.findings("state: [{ path: cart, equals: 1 }]")
    assert findings
    with pytest.raises(AssertionError):
        made.check("state: [{ path: cart, equals: 1 }]")


def test_a_judge_that_does_not_exist() -> None:
    with pytest.raises((ValueError, JudgeError)):
        weather().check("judge: [{ agent: missing, criteria: 'polite' }]")
