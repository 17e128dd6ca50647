import pytest
from ananke_test import SyncTestSession, TestSession, mock_tools
from desk import agent


async def test_three_turns():
    async with TestSession(llm=agent) as session:
        result = await session.run("What is the weather in Rome?")
        result.expect.next_event().is_function_call(name="get_weather", arguments={"city": "Rome"})
        result.expect.next_event().is_function_call_output(output={"city": "Rome", "sky": "clear"})
        result.expect.next_event().is_message(role="assistant")
        result.expect.no_more_events()
        tomorrow = await session.run("And tomorrow?")
        tomorrow.check({"text": "It will rain.", "tools": {"forbid": "get_weather"}})
        city = await session.run("And which city was that?")
        city.check({"text": "Rome", "tools": {"forbid": "get_weather"}})


def test_three_turns_by_rules():
    with SyncTestSession(llm=agent) as session:
        session.run("What is the weather in Rome?").check("""
            tools: { require: [{ name: get_weather, count: 1, args: { city: Rome } }] }
            text: It is clear in Rome.
        """)
        session.run("And tomorrow?").check("text: It will rain.")
        session.run("And which city was that?").check("text: Rome")


def test_the_weather_service_is_down():
    def down(city):
        raise RuntimeError(f"no weather of {city}")

    with mock_tools(agent, {"get_weather": down}) as mocks, SyncTestSession(llm=agent) as session:
        with pytest.raises(RuntimeError, match="no weather of Rome"):
            session.run("What is the weather in Rome?")
    mocks["get_weather"].assert_called_once_with(city="Rome")
