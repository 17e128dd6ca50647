"""An entry point behind the runtime of Bedrock AgentCore, on the port that the first argument names."""

import sys
from collections import defaultdict
from collections.abc import AsyncIterator

from bedrock_agentcore.runtime import BedrockAgentCoreApp

import script

app = BedrockAgentCoreApp()
conversations: dict[str, list[tuple[str, str]]] = defaultdict(list)


@app.entrypoint
async def shop(payload: dict, context: object) -> object:
    """One request and its answer: a text, or a stream of events if the payload wants one."""
    messages = conversations[context.session_id]
    messages.append(("user", payload["prompt"]))
    if payload.get("stream"):
        return events(messages)
    calls, text = [], ""
    async for event in events(messages):
        if isinstance(event, str):
            text += event
        else:
            calls.append(event)
    return {"result": text, "events": calls}


async def events(messages: list[tuple[str, str]]) -> AsyncIterator[object]:
    step = script.next_step(messages)
    if isinstance(step, dict):
        yield {"type": "tool", "name": "get_weather", "input": step}
        try:
            result = {"output": script.get_weather(**step)}
        except LookupError as error:
            result = {"failure": str(error)}
        yield {"type": "tool_result", "name": "get_weather", **result}
        messages.append(("tool", str(result)))
        step = script.next_step(messages)
    for piece in (step[:6], step[6:]):
        yield piece


app.run(port=int(sys.argv[1]), host="127.0.0.1")
