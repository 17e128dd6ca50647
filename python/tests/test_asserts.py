"""Assertions on events, and what they say."""

from collections.abc import Callable
from typing import Any

import pytest

from ananke_test import ChatMessageEvent, FunctionCallEvent, FunctionCallOutputEvent, RunResult
from tests.conftest import weather

LIST = """
events:
  1  function call: get_weather({"city":"Paris","days":1})
  2  function call output: get_weather → {"degrees":21}
  3  message (assistant): It is 21 degrees in Paris."""


def marked(index: int) -> str:
    lines = LIST.splitlines()
    lines[index + 2] = ">" + lines[index + 2][1:]
    return "\n".join(lines)


def fails(assertion: Callable[[], Any]) -> str:
    with pytest.raises(AssertionError) as failed:
        assertion()
    return str(failed.value)


def test_events_in_their_order() -> None:
    expect = weather().expect
    expect.next_event().is_function_call("get_weather", {"city": "Paris"})
    expect.next_event().is_function_call_output({"degrees": 21.0}, False)
    expect.next_event().is_message("assistant")
    expect.no_more_events()


def test_one_cursor_for_each_result() -> None:
    result = weather()
    assert result.expect is result.expect
    assert result.expect.next_event(type="message").event().content == "It is 21 degrees in Paris."
    result.expect.no_more_events()
    assert fails(result.expect.next_event) == f"expected another event, but none is left\n{LIST}"


def test_index_slice_and_search_leave_the_cursor() -> None:
    expect = weather().expect
    assert expect[-1].is_message().event().role == "assistant"
    expect[0].is_function_call()
    expect[:].contains_function_call_output({"degrees": 21})
    expect[1:2].contains_function_call_output()
    expect.contains_message("assistant")
    assert expect.skip_next(2) is expect
    expect.next_event().is_message(role=None)


def test_a_typed_search_that_finds_nothing_leaves_the_cursor_at_the_end() -> None:
    result = weather()
    result.expect.skip_next()
    found = fails(lambda: result.expect.next_event(type="function_call"))
    assert found == f"expected another function call, but none is left\n{LIST}"
    result.expect.no_more_events()


@pytest.mark.parametrize(
    ("assertion", "message", "mark"),
    [
        (lambda expect: expect.next_event().is_message(), "expected a message, found a call to get_weather", 0),
        (
            lambda expect: expect[0].is_function_call("get_time"),
            "expected a call to get_time, found a call to get_weather",
            0,
        ),
        (
            lambda expect: expect[0].is_function_call(arguments={"city": "Rome"}),
            'expected the argument `city` of get_weather to be "Rome", found "Paris"',
            0,
        ),
        (
            lambda expect: expect[0].is_function_call(arguments={"unit": None}),
            "expected the argument `unit` of get_weather to be null, it is missing",
            0,
        ),
        (
            lambda expect: expect[0].is_function_call(arguments={"days": True}),
            "expected the argument `days` of get_weather to be true, found 1",
            0,
        ),
        (
            lambda expect: expect[1].is_function_call_output(None),
            'expected the output null, found {"degrees":21}',
            1,
        ),
        (
            lambda expect: expect[1].is_function_call_output(is_error=True),
            'expected an error, found no error: {"degrees":21}',
            1,
        ),
        (
            lambda expect: expect[2].is_message("user"),
            "expected a message of the user, found a message of the assistant `It is 21 degrees in Paris.`",
            2,
        ),
        (
            lambda expect: expect[2].is_function_call_output(),
            "expected a function call output, found a message of the assistant `It is 21 degrees in Paris.`",
            2,
        ),
    ],
)
def test_what_is_wrong_is_marked(assertion: Callable[[Any], Any], message: str, mark: int) -> None:
    found = fails(lambda: assertion(weather().expect))
    assert found == f"event {mark + 1} of 3: {message}\n{marked(mark)}"


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        (lambda expect: expect.skip_next(4), "expected 4 more events to skip, but 3 are left"),
        (lambda expect: expect[3], "there is no event at index 3: the run has 3 events"),
        (lambda expect: expect[-4], "there is no event at index -4: the run has 3 events"),
        (lambda expect: expect[:2].contains_message(), "expected a message in 2 events, found none"),
        (
            lambda expect: expect.contains_function_call("get_weather", {"city": "Rome"}),
            'expected a call to get_weather with {"city":"Rome"} in 3 events, found none',
        ),
        (
            lambda expect: expect.contains_function_call_output(1, True),
            "expected a function call output 1 that is an error in 3 events, found none",
        ),
    ],
)
def test_a_search_that_finds_nothing_marks_nothing(assertion: Callable[[Any], Any], message: str) -> None:
    assert fails(lambda: assertion(weather().expect)) == f"{message}\n{LIST}"


def test_an_event_that_is_left_is_marked() -> None:
    expect = weather().expect
    expect.skip_next(2)
    message = "expected no more events, but found a message of the assistant `It is 21 degrees in Paris.`"
    assert fails(expect.no_more_events) == f"{message}\n{marked(2)}"


def test_a_result_without_events() -> None:
    result = RunResult([])
    result.expect.no_more_events()
    assert fails(result.expect.next_event) == "expected another event, but none is left\n\nevents: none"


def test_an_unknown_type_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="there is no type of events 'call': the types are message, function_call"):
        weather().expect.next_event(type="call")  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]


def test_arguments_match_partly_at_the_first_level_and_exactly_below() -> None:
    result = RunResult([FunctionCallEvent("f", {"a": {"b": 1, "c": [1, True]}, "d": None})])
    result.expect[0].is_function_call(arguments={"a": {"c": [1.0, True], "b": 1}})
    result.expect[0].is_function_call(arguments={"d": None})
    fails(lambda: result.expect[0].is_function_call(arguments={"a": {"b": 1}}))
    fails(lambda: result.expect[0].is_function_call(arguments={"a": {"b": 1, "c": [1, 1]}}))


def test_none_is_an_output() -> None:
    result = RunResult([FunctionCallOutputEvent("f", None)])
    result.expect[0].is_function_call_output(None)
    result.expect[0].is_function_call_output(output=None, is_error=False)
    result.expect.contains_function_call_output(None)
    fails(lambda: result.expect[0].is_function_call_output(0))
    fails(lambda: result.expect[0].is_function_call_output(False))


def test_harmful_characters_are_escaped_and_long_texts_truncated() -> None:
    result = RunResult([ChatMessageEvent("assistant", "\x1b[31mred\u202e\n" + "x" * 500)])
    found = fails(lambda: result.expect.next_event().is_function_call())
    assert "\x1b" not in found
    assert "\u202e" not in found
    assert "\\u{1b}[31mred\\u{202e} xxx" in found
    assert all(len(line) < 260 for line in found.splitlines())


def test_events_are_values() -> None:
    assert weather().events == weather().events
    assert [event.type for event in weather().events] == ["function_call", "function_call_output", "message"]
    assert FunctionCallOutputEvent("f", 1).is_error is False
