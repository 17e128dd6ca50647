"""Talks to `ananke mock` with the official client of OpenAI: talk.py URL.

Prints what is not as it should be, and ends with 1 if there is something.
"""

import json
import sys

from openai import InternalServerError, OpenAI

client = OpenAI(base_url=f"{sys.argv[1]}/v1", api_key="none", max_retries=0)
PHOTO = {"type": "function", "function": {"name": "take_photo", "parameters": {"type": "object", "properties": {}}}}
WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}
RAIN = "It is clear in Rome, and unknown in Oslo. ☀"


def user(text: str) -> dict:
    return {"role": "user", "content": text}


def whole_answer() -> None:
    answer = client.chat.completions.create(model="desk", messages=[user("What is the weather like?")])
    assert answer.choices[0].message.content == RAIN, answer
    assert answer.choices[0].finish_reason == "stop", answer
    assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (20, 24), answer.usage


def streamed_answer() -> None:
    stream = client.chat.completions.create(
        model="desk", messages=[user("What is the weather like?")], stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == RAIN, text
    assert chunks[-1].usage.completion_tokens == 4, chunks[-1]


def tools_that_the_agent_would_execute() -> None:
    """They are the client's if it declares them: one call after the other, as the agent makes them."""
    messages = [user("What is the weather like?")]
    cities = []
    for _ in range(2):
        message = client.chat.completions.create(model="desk", messages=messages, tools=[WEATHER]).choices[0].message
        (call,) = message.tool_calls
        cities.append(json.loads(call.function.arguments)["city"])
        messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "clear"}]
    last = client.chat.completions.create(model="desk", messages=messages, tools=[WEATHER]).choices[0]
    assert (cities, last.message.content, last.finish_reason) == (["Rome", "Oslo"], RAIN, "stop"), (cities, last)


def tools_of_the_client() -> None:
    messages = [user("Show me with the camera")]
    with client.chat.completions.stream(model="desk", messages=messages, tools=[PHOTO]) as stream:
        message = stream.get_final_completion().choices[0].message
    (call,) = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("take_photo", {"flash": False}), call
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "taken"}]
    answer = client.chat.completions.create(model="desk", messages=messages, tools=[PHOTO])
    assert answer.choices[0].message.content == "What a picture.", answer


def several_turns() -> None:
    messages = [user("Any offer?"), {"role": "assistant", "content": "mock gets an offer."}, user("And the weather?")]
    assert client.chat.completions.create(model="desk", messages=messages).choices[0].message.content == RAIN


def errors() -> None:
    try:
        client.chat.completions.create(model="desk", messages=[user("Fail, please")])
    except InternalServerError as error:
        assert "the desk is closed" in str(error), error
    else:
        raise AssertionError("no error")


SCENES = [whole_answer, streamed_answer, tools_that_the_agent_would_execute, tools_of_the_client, several_turns, errors]
failed = 0
for scene in SCENES:
    try:
        scene()
        print(f"ok   {scene.__name__}")
    except Exception as error:  # noqa: BLE001
        failed += 1
        print(f"FAIL {scene.__name__}: {error!r}")
sys.exit(1 if failed else 0)
