"""The way from ananke to your agent: each run is a line on stdin, and its events are lines on stdout.

Replace `answer` with your agent, and report each of its tool calls with `call`.
"""

import json
import sys
import traceback
import uuid

# Stdout is for events alone: what anything else prints goes to stderr.
EVENTS, sys.stdout = sys.stdout, sys.stderr

# Import your agent here. What that takes is no time of a test.


def get_weather(city: str) -> dict:
    """A tool of the agent."""
    return {"city": city, "sky": "clear"}


def answer(messages: list, call) -> str:
    """What the agent says to the conversation so far, of which each message has a `role` and a `content`."""
    weather = call("get_weather", {"city": "Rome"}, get_weather)
    return f"It is {weather['sky']} in {weather['city']}."


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


def run(request: dict) -> None:
    ids = {"threadId": request["threadId"], "runId": request["runId"]}
    emit("RUN_STARTED", **ids)
    try:
        text = answer(request["messages"], call)
    except Exception as error:
        traceback.print_exc()
        emit("RUN_ERROR", message=str(error))
        return
    emit("TEXT_MESSAGE_CHUNK", messageId=str(uuid.uuid4()), role="assistant", delta=text)
    emit("RUN_FINISHED", **ids)


print(file=EVENTS, flush=True)  # The agent has started: the time of the first turn begins.
for line in sys.stdin:
    run(json.loads(line))
