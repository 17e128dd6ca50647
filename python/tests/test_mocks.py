"""Tools that are replaced."""

from collections.abc import Callable
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest

from ananke_test import FunctionLLM, Target, TestSession, mock_tools
from tests.chat_server import ChatServer
from tests.conftest import call


def weather_llm() -> FunctionLLM:
    def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        return str(messages[-1]["content"]) if messages[-1]["role"] == "tool" else call("get_weather", {"city": "Paris"})

    llm = FunctionLLM(model)

    @llm.register_function()
    def get_weather(city: str) -> str:
        return f"real {city}"

    @llm.register_function()
    def other() -> str:
        return "other"

    return llm


async def answer(session: TestSession) -> Any:
    result = await session.run("go")
    return result.expect.next_event(type="function_call_output").event().output


async def waiting(city: str) -> str:
    return f"waited {city}"


@pytest.mark.parametrize(
    ("mock", "output"),
    [
        (lambda city: f"mocked {city}", "mocked Paris"),
        (waiting, "waited Paris"),
        (Mock(return_value={"degrees": 1}), {"degrees": 1}),
        (MagicMock(side_effect=lambda city: city), "Paris"),
        (AsyncMock(return_value=None), None),
    ],
)
async def test_functions_and_mock_objects(mock: Callable[..., Any], output: Any) -> None:
    llm = weather_llm()
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": mock}) as mocks:
            assert await answer(session) == output
            mocks["get_weather"].assert_called_once_with(city="Paris")
            assert await answer(session) == output
            assert mocks["get_weather"].call_count == 2
        assert await answer(session) == "real Paris"


async def test_an_exception_of_a_mock_is_the_output() -> None:
    llm = weather_llm()

    def down(city: str) -> None:
        raise RuntimeError("down")

    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": down}):
            result = await session.run("go")
    result.expect.contains_function_call_output({"error": "down"}, is_error=True)


async def test_mocks_nest() -> None:
    llm = weather_llm()
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"get_weather": lambda city: "outer"}):
            with mock_tools(llm, {"get_weather": lambda city: "inner"}):
                assert await answer(session) == "inner"
            assert await answer(session) == "outer"
            with pytest.raises(ZeroDivisionError), mock_tools(llm, {"get_weather": lambda city: "inner"}):
                raise ZeroDivisionError
            assert await answer(session) == "outer"
        assert await answer(session) == "real Paris"


async def test_names_are_checked_before_anything_is_replaced() -> None:
    llm = weather_llm()
    mocks: dict[str, Callable[..., Any]] = {"get_weather": lambda city: "mocked", "nothing": lambda: 1}
    async with TestSession(llm=llm) as session:
        with (
            pytest.raises(KeyError, match="there is no tool `nothing`; the tools are `get_weather`, `other`"),
            mock_tools(llm, mocks),
        ):
            pass
        assert await answer(session) == "real Paris"


def test_what_is_not_a_function() -> None:
    with pytest.raises(TypeError, match="not a function"), mock_tools(weather_llm(), {"get_weather": 5}):  # type: ignore[dict-item] # pyright: ignore[reportArgumentType]
        pass


async def test_a_mock_with_an_argument_that_the_tool_lacks_is_not_called() -> None:
    replies = iter([call("f", {"b": 1}), "ok"])
    llm = FunctionLLM(lambda messages, tools: next(replies))

    @llm.register_function()
    def f(a: int = 1) -> None: ...

    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"f": lambda **arguments: arguments}) as mocks:
            result = await session.run("go")
            mocks["f"].assert_not_called()
    result.expect.contains_function_call_output(is_error=True)


async def test_tools_of_a_target(server: ChatServer) -> None:
    declared = {"name": "get_weather", "parameters": {"type": "object"}, "mock": {"result": "of the config"}}
    target = Target(type="openai", endpoint=server.endpoint, model="m", client_tools=[declared])
    async with TestSession(llm=target) as session:
        for kind in ("config", "mock", "config", "nested"):
            server.replies += [call("get_weather", {"city": "Paris"}), "ok"]
            if kind == "config":
                assert await answer(session) == "of the config"
                continue
            with mock_tools(target, {"get_weather": lambda city: f"mocked {city}"}) as mocks:
                if kind == "mock":
                    assert await answer(session) == "mocked Paris"
                    mocks["get_weather"].assert_called_once_with(city="Paris")
                    continue
                with mock_tools(target, {"get_weather": lambda city: "inner"}):
                    assert await answer(session) == "inner"
                server.replies += [call("get_weather", {"city": "Rome"}), "ok"]
                assert await answer(session) == "mocked Rome"
    with pytest.raises(KeyError, match="nothing"), mock_tools(target, {"get_weather": Mock(), "nothing": Mock()}):
        pass


async def test_a_session_that_begins_while_tools_are_replaced(server: ChatServer) -> None:
    declared = {"name": "get_weather", "parameters": {"type": "object"}}
    target = Target(type="openai", endpoint=server.endpoint, model="m", client_tools=[declared])
    server.replies += [call("get_weather", {}), "ok"]
    with mock_tools(target, {"get_weather": lambda: "mocked"}):
        async with TestSession(llm=target) as session:
            assert await answer(session) == "mocked"


async def test_functions_of_a_target_take_precedence(server: ChatServer) -> None:
    declared = {"name": "get_weather", "parameters": {"type": "object"}, "mock": {"result": "of the config"}}
    target = Target(type="openai", endpoint=server.endpoint, model="m", client_tools=[declared])

    @target.register_function()
    def get_weather(city: str) -> str:
        """Gives the weather."""
        return f"of Python: {city}"

    server.replies += [call("get_weather", {"city": "Paris"}), "ok", call("get_weather", {"city": "Paris"}), "ok"]
    async with TestSession(llm=target) as session:
        assert await answer(session) == "of Python: Paris"
        with mock_tools(target, {"get_weather": lambda city: "mocked"}):
            assert await answer(session) == "mocked"
    tools = server.requests[0]["tools"]
    assert [tool["function"]["description"] for tool in tools] == ["Gives the weather."]
