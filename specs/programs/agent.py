# An agent that is a program: reads a run per line, and prints its events, one per line.
import json
import sys

print(flush=True)  # It has started: from here on the time of the first turn counts.
for line in sys.stdin:
    run = json.loads(line)
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    question = run["messages"][-1]["content"]
    said = {"type": "TEXT_MESSAGE_CHUNK", "messageId": run["runId"], "role": "assistant", "delta": f"You said: {question}"}
    for event in [{"type": "RUN_STARTED", **ids}, said, {"type": "RUN_FINISHED", **ids}]:
        print(json.dumps(event), flush=True)
