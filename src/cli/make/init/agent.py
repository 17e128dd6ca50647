"""The way from ananke to your agent: each run is a line on stdin, and its events are lines on stdout.

Replace `answer` with your agent, and report each of its tool calls with `call`.
"""

import asyncio
import inspect
import json
import os
import sys
import traceback
import uuid

# Stdout is for events alone: what anything else prints goes to stderr.
EVENTS, sys.stdout = sys.stdout, sys.stderr

# Clients of asynchronous frameworks belong to the loop that they were first used in: all turns have this one.
LOOP = asyncio.new_event_loop()

# Import your agent here, and make its clients: that is no time of a test, and they live as long as this program.


def get_weather(city: str) -> dict:
    """A tool of the agent."""
    return {"city": city, "sky": "clear"}


def answer(messages: list, call, request: dict) -> str:
    """The agent's answer to `messages`: what the user and the agent said so far, each with a `role` and a `content`.

    It may be `async`. `request["messages"]` has the calls and their results as well; `request["threadId"]` is the conversation's id.
    """
    weather = call("get_weather", {"city": "Rome"}, get_weather)
    return f"It is {weather['sky']} in {weather['city']}."


def texts(messages: list) -> list:
    """What the user and the agent said: a history that frameworks take, without calls, results and other roles."""
    said = []
    for message in messages:
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        if message["role"] == "user" or (message["role"] == "assistant" and content):
            said.append({"role": message["role"], "content": content})
    return said


def emit(kind: str, **event) -> None:
    print(json.dumps({"type": kind, **event}), file=EVENTS, flush=True)


def call(tool: str, args: dict, function):
    """Calls a tool, and reports the call and its result."""
    call_id = str(uuid.uuid4())
    emit("TOOL_CALL_START", toolCallId=call_id, toolCallName=tool)
    emit("TOOL_CALL_ARGS", toolCallId=call_id, delta=json.dumps(args))
    emit("TOOL_CALL_END", toolCallId=call_id)
    result = function(**args)
    emit("TOOL_CALL_RESULT", messageId=str(uuid.uuid4()), toolCallId=call_id, content=json.dumps(result))
    return result


def described(error: Exception) -> str:
    """The error with its type, and with the line of this file in which it came up."""
    here = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    return f"{type(error).__name__}: {error} ({os.path.basename(__file__)}:{here[-1].lineno})"


def run(request: dict) -> None:
    ids = {"threadId": request["threadId"], "runId": request["runId"]}
    emit("RUN_STARTED", **ids)
    try:
        text = answer(texts(request["messages"]), call, request)
        if inspect.isawaitable(text):
            text = LOOP.run_until_complete(text)
        if not isinstance(text, str):
            raise TypeError(f"`answer` returned {text!r}, which is no text")
    except Exception as error:
        traceback.print_exc()
        emit("RUN_ERROR", message=described(error))
        return
    emit("TEXT_MESSAGE_CHUNK", messageId=str(uuid.uuid4()), role="assistant", delta=text)
    emit("RUN_FINISHED", **ids)


print(file=EVENTS, flush=True)  # The agent has started: the time of the first turn begins.
for line in sys.stdin:
    run(json.loads(line))
