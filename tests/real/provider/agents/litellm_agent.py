"""A loop with LiteLLM by openai or anthropic."""

import json

import litellm
import tried

MODELS = {"openai": "openai/gpt-5", "anthropic": "anthropic/claude-sonnet-5"}
PARAMETERS = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
TOOL = {"type": "function", "function": {"name": "charge_card", "description": "Charges the card of the user.", "parameters": PARAMETERS}}


async def conversation(model: str, *, streams: bool) -> tuple[str, int | None]:
    messages = [{"role": "system", "content": tried.SYSTEM}, {"role": "user", "content": tried.USER}]
    tokens = 0
    while True:
        answer = await litellm.acompletion(model=model, messages=messages, tools=[TOOL], stream=streams)
        if streams:
            answer = litellm.stream_chunk_builder([chunk async for chunk in answer], messages=messages)
        message = answer.choices[0].message
        tokens += answer.usage.completion_tokens
        messages.append(message)
        if not message.tool_calls:
            # It estimates the tokens of a stream.
            return message.content, None if streams else tokens
        for call in message.tool_calls:
            result = tried.charge(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


async def whole(wire: str) -> tuple[str, int | None]:
    return await conversation(MODELS[wire], streams=False)


async def streamed(wire: str) -> tuple[str, int | None]:
    return await conversation(MODELS[wire], streams=True)


tried.main(whole, streamed)
