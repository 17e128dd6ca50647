"""Talks to the desk that `ananke mock` serves, with an agent of the OpenAI Agents SDK: agent.py URL.

Prints what is not as it should be, and ends with 1 if there is something.
"""

import asyncio
import sys

from agents import Agent, HostedMCPTool, MCPToolApprovalRequest, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
model = OpenAIResponsesModel(model="desk", openai_client=AsyncOpenAI(base_url=sys.argv[1], api_key="none", max_retries=0))
asked: list[tuple[str, str]] = []


@function_tool
def take_photo(flash: bool) -> str:
    """Takes a photo."""
    asked.append(("take_photo", str(flash)))
    return "taken"


def decide(approve: bool):
    def decided(request: MCPToolApprovalRequest) -> dict:
        asked.append((request.data.name, request.data.arguments))
        return {"approve": approve}

    return decided


def desk(*tools) -> Agent:
    return Agent(name="desk", instructions="You are a travel desk.", tools=list(tools), model=model)


async def said(agent: Agent, words, streams: bool, **options):
    """The result of a run."""
    if not streams:
        return await Runner.run(agent, words, **options)
    result = Runner.run_streamed(agent, words, **options)
    async for _event in result.stream_events():
        pass
    return result


async def tool(streams: bool) -> None:
    """A round of a tool, and a second turn in each of the two forms of history."""
    agent = desk(take_photo)
    first = await said(agent, "Show me with the camera", streams)
    assert (first.final_output, asked) == ("What a picture.", [("take_photo", "False")]), (first.final_output, asked)
    question = {"role": "user", "content": "And what came first?"}
    second = await said(agent, [*first.to_input_list(), question], streams)
    assert second.final_output == "Something else came first.", second.final_output
    third = await said(agent, "And what came first?", streams, previous_response_id=first.last_response_id)
    assert third.final_output == "Something else came first.", third.final_output


async def own_calls(streams: bool) -> None:
    """Calls that the desk executes itself."""
    result = await said(desk(), "What is the weather like?", streams)
    assert result.final_output == "It is clear in Rome, and unknown in Oslo. ☀", result.final_output
    calls = [item.raw_item.arguments for item in result.new_items if item.type == "tool_call_item"]
    assert calls == ['{"city":"Rome"}', '{"city":"Oslo"}'], calls
    usage = result.context_wrapper.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (20, 4, 24), usage


async def approval(streams: bool) -> None:
    """A call that waits for an approval of the client."""
    server = {"type": "mcp", "server_label": "agent", "server_url": "http://127.0.0.1:9", "require_approval": "always"}
    for approve, words in ((True, "Order O-7 is deleted."), (False, "Order O-7 is kept.")):
        asked.clear()
        agent = desk(HostedMCPTool(tool_config=server, on_approval_request=decide(approve)))
        result = await said(agent, "Delete order O-7", streams)
        assert (result.final_output, asked) == (words, [("delete_order", '{"order":"O-7"}')]), (result.final_output, asked)


async def main() -> int:
    failed = 0
    for scene in (tool, own_calls, approval):
        for streams in (False, True):
            asked.clear()
            name = f"{scene.__name__}, {'streamed' if streams else 'whole'}"
            try:
                await scene(streams)
                print(f"ok   {name}")
            except Exception as error:  # noqa: BLE001
                failed += 1
                print(f"FAIL {name}: {error!r}")
    return 1 if failed else 0


sys.exit(asyncio.run(main()))
