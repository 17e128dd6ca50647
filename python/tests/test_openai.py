"""Models behind client objects of the package `openai`."""

import pytest

openai = pytest.importorskip("openai")

from openai import AsyncOpenAI, OpenAI  # noqa: E402

from ananke_test import TestSession, mock_tools  # noqa: E402
from ananke_test.openai import OpenAILLM  # noqa: E402
from tests.chat_server import ChatServer  # noqa: E402
from tests.conftest import call, weather  # noqa: E402


@pytest.mark.parametrize("kind", [AsyncOpenAI, OpenAI])
async def test_a_turn_with_a_tool(kind: "type[AsyncOpenAI] | type[OpenAI]", server: ChatServer) -> None:
    client = kind(base_url=server.endpoint, api_key="none", max_retries=0)
    llm = OpenAILLM(client, "m", temperature=0)

    @llm.register_function(description="Gives the weather.")
    def get_weather(city: str) -> str:
        return f"21 degrees in {city}"

    server.replies += [call("get_weather", '{"city": "Paris"}'), "It is warm.", call("get_weather", {}), ""]
    async with TestSession(llm=llm, instructions="Be short.") as session:
        result = await session.run("Hi")
        result.expect.next_event().is_function_call("get_weather", {"city": "Paris"})
        result.expect.next_event().is_function_call_output("21 degrees in Paris")
        result.expect.next_event().is_message("assistant")
        result.expect.no_more_events()
        with mock_tools(llm, {"get_weather": lambda city: "cold"}):
            (await session.run("Hi")).expect.contains_function_call_output(is_error=True)
    assert server.requests[0]["temperature"] == 0
    assert server.requests[0]["messages"][0] == {"role": "system", "content": "Be short."}
    assert server.requests[0]["tools"][0]["function"]["name"] == "get_weather"
    if isinstance(client, OpenAI):
        client.close()
    else:
        await client.close()


async def test_errors_of_the_client_are_its_own(server: ChatServer) -> None:
    server.replies += [429]
    client = AsyncOpenAI(base_url=server.endpoint, api_key="none", max_retries=0)
    async with client, TestSession(llm=OpenAILLM(client, "m")) as session:
        with pytest.raises(openai.RateLimitError, match="no model today"):
            await session.run("Hi")


async def test_a_judge(server: ChatServer) -> None:
    server.replies += ["FAIL: it is long"]
    async with AsyncOpenAI(base_url=server.endpoint, api_key="none") as client:
        message = weather().expect[2].is_message()
        with pytest.raises(AssertionError, match="the judge rejects `is short`: it is long"):
            await message.judge(OpenAILLM(client, "m"), intent="is short")
