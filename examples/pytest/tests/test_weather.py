"""The agent in this process, and the one of the config."""

import pytest
from weather_desk import INSTRUCTIONS, weather_desk

from ananke_test import FunctionLLM, SyncTestSession, TestSession, mock_tools


async def test_the_agent_asks_the_tool() -> None:
    async with TestSession(llm=weather_desk(), instructions=INSTRUCTIONS) as session:
        result = await session.run("How warm is it in Paris?")

    result.expect.next_event().is_function_call(name="temperature", arguments={"city": "Paris"})
    result.expect.next_event().is_function_call_output(output={"degrees": 21})
    message = result.expect.next_event().is_message(role="assistant")
    result.expect.no_more_events()

    # A model of its own in a real project.
    judge = FunctionLLM(lambda messages, tools: "PASS: it names the degrees")
    await message.judge(judge, intent="says how warm it is")


async def test_an_unknown_city_is_an_error_of_the_tool() -> None:
    llm = weather_desk()
    async with TestSession(llm=llm, instructions=INSTRUCTIONS) as session:
        result = await session.run("And in Atlantis?")
        result.expect.contains_function_call_output({"error": "there is no city Atlantis"}, is_error=True)

        with mock_tools(llm, {"temperature": lambda city: {"degrees": 4}}) as mocks:
            result = await session.run("And in Atlantis?")
            mocks["temperature"].assert_called_once_with(city="Atlantis")
        result.expect.contains_function_call_output({"degrees": 4})


async def test_the_conversation_goes_on() -> None:
    async with TestSession(llm=weather_desk(), instructions=INSTRUCTIONS) as session:
        result = await session.run("How warm is it in Paris?")
        result.check("tools: { require: [{ name: temperature, count: 1, every: { args: { city: Paris } } }] }")

        result = await session.run("Is that much?")
        result.check("tools: { forbid: temperature }\ntext: Which city?")

        result = await session.run("It was in Paris.")
        result.check("tools: { require: [{ name: temperature, every: { args: { city: Paris } } }] }")


@pytest.mark.parametrize("question", ["How warm is it?", "Hello"])
def test_no_city_no_call(question: str) -> None:
    with SyncTestSession(llm=weather_desk(), instructions=INSTRUCTIONS) as session:
        session.run(question).check("tools: { forbid: temperature }\ntext: Which city?")


def test_the_agent_of_the_config(ananke_session: SyncTestSession) -> None:
    result = ananke_session.run("How warm is it in Paris?")
    result.check("tools: { require: temperature }")
