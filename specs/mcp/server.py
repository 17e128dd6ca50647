"""A server of MCP: a shop with one tool."""

import json
import sys

SEARCH = {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}
WELCOME = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}


def answer(method, params):
    if method == "initialize":
        return WELCOME
    if method == "tools/list":
        return {"tools": [SEARCH]}
    found = "2 pairs" if params["arguments"].get("query") == "shoes" else "nothing"
    return {"content": [{"type": "text", "text": found}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
