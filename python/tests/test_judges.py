"""Judges."""

import asyncio
from typing import Any

import pytest

from ananke_test import ChatMessageAssert, ChatMessageEvent, FunctionLLM, JudgeError, RunResult, Target, TestSession
from tests.chat_server import ChatServer
from tests.conftest import scripted, weather


def message() -> ChatMessageAssert:
    return weather().expect.next_event(type="message")


@pytest.mark.parametrize(
    "answer",
    [
        "PASS: it does",
        "It is fine.\nPASS: it does",
        '{"passed": true, "reason": "it does"}',
        '{"verdict": "PASS", "reason": "it does"}',
    ],
)
async def test_verdicts_that_pass(answer: str) -> None:
    asked = message()
    assert await asked.judge(scripted(answer), intent="gives the weather") is not None


@pytest.mark.parametrize("answer", ["FAIL: it does not", '{"passed": false, "reason": "it does not"}'])
async def test_verdicts_that_fail(answer: str) -> None:
    with pytest.raises(AssertionError) as failed:
        await message().judge(scripted(answer), intent="is short")
    text = str(failed.value)
    assert text.startswith("event 3 of 3: the judge rejects `is short`: it does not\n")
    assert "> 3  message (assistant): It is 21 degrees in Paris." in text


async def test_an_unreadable_answer_is_asked_once_more() -> None:
    await message().judge(scripted("Well…", "PASS: now"), intent="x")
    with pytest.raises(JudgeError):
        await message().judge(scripted("Well…", "Hmm…"), intent="x")


@pytest.mark.parametrize("answer", ['{"passed": true, "verdict": "fail", "reason": "x"}', '{"passed": true, "reason": 5}'])
async def test_unclear_verdicts(answer: str) -> None:
    with pytest.raises(JudgeError):
        await message().judge(scripted(answer, answer), intent="x")


async def test_an_error_of_the_judge() -> None:
    error = ConnectionError("no judge")

    def model(messages: Any, tools: Any) -> str:
        raise error

    with pytest.raises(JudgeError, match="no judge") as raised:
        await message().judge(FunctionLLM(model), intent="x")
    assert raised.value.__cause__ is error


async def test_what_needs_no_question() -> None:
    judge = scripted()
    with pytest.raises(ValueError, match="intent is empty"):
        await message().judge(judge, intent=" ")
    empty = RunResult([ChatMessageEvent("assistant", " ")])
    with pytest.raises(AssertionError, match="the message is empty"):
        await empty.expect.next_event(type="message").judge(judge, intent="x")


async def test_the_agent_is_not_its_own_judge() -> None:
    llm = scripted("Hello")
    async with TestSession(llm=llm) as session:
        result = await session.run("Hi")
    with pytest.raises(ValueError, match="cannot judge itself"):
        await result.expect.next_event(type="message").judge(llm, intent="x")


async def test_the_question_has_the_message_and_the_input() -> None:
    seen: list[Any] = []

    def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        seen.append(messages)
        return "PASS: ok"

    await message().judge(FunctionLLM(model), intent="gives the weather")
    text = str(seen[0])
    assert len(seen) == 1
    assert "gives the weather" in text
    assert "It is 21 degrees in Paris." in text
    assert "How warm is it?" in text


async def test_judges_at_once_do_not_get_mixed_up() -> None:
    together = asyncio.Event()
    count = 0

    def judge(name: str) -> FunctionLLM:
        async def model(messages: Any, tools: Any) -> str:
            nonlocal count
            count += 1
            if count == 2:
                together.set()
            await together.wait()
            return f"FAIL: {name}"

        return FunctionLLM(model)

    asked = message()
    results = await asyncio.gather(
        asked.judge(judge("one"), intent="x"), asked.judge(judge("two"), intent="x"), return_exceptions=True
    )
    assert [str(result).split("\n")[0][-3:] for result in results] == ["one", "two"]


async def test_a_target_as_judge(server: ChatServer) -> None:
    judge = Target(type="openai", endpoint=server.endpoint, model="m")
    server.replies += ["PASS: yes", "FAIL: no"]
    await message().judge(judge, intent="x")
    with pytest.raises(AssertionError, match="the judge rejects `x`: no"):
        await message().judge(judge, intent="x")
    server.replies += [500, 500, 500, 500]
    with pytest.raises(JudgeError):
        await message().judge(judge, intent="x")


def test_a_judge_in_a_plain_function() -> None:
    message().judge_sync(scripted("PASS: yes"), intent="x")
    with pytest.raises(AssertionError, match="the judge rejects"):
        message().judge_sync(scripted("FAIL: no"), intent="x")
