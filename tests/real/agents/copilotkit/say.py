"""Says something on a thread of the runtime, as another client would: say.py THREAD WORDS [--only-begin].

Reads the answer to its end, or with --only-begin until it begins; the run then goes on with nobody listening.
"""

import json
import os
import sys
import urllib.request

thread, words, *options = sys.argv[1:]
message = {"id": "said-before", "role": "user", "content": words}
body = {"threadId": thread, "runId": f"{thread}-before", "state": {}, "messages": [message], "tools": [], "context": []}
request = urllib.request.Request(
    f"{os.environ['ANANKE_COPILOTKIT_URL']}/rest/agent/travel%20desk/run",
    json.dumps(body | {"forwardedProps": {}}).encode(),
    {
        "authorization": f"Bearer {os.environ['ANANKE_PYDANTIC_KEY']}",
        "content-type": "application/json",
        "accept": "text/event-stream",
    },
)
# An address of this machine is never asked for through a proxy.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with direct.open(request, timeout=20) as answer:
    if "--only-begin" in options:
        answer.readline()
    else:
        answer.read()
