"""A server of MCP: a shop with two tools, a resource and a prompt."""

import json
import sys

TOOLS = [
    {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
    # It asks for the size, if the client can be asked, and for a slogan and the directories to print labels in.
    {"name": "order", "inputSchema": {"type": "object"}},
]
WELCOME = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}
SIZE = {"type": "object", "properties": {"size": {"type": "integer"}, "color": {"type": "string", "default": "red"}}}
SLOGAN = {"messages": [{"role": "user", "content": {"type": "text", "text": "A slogan"}}], "maxTokens": 20}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(method, params):
    send({"id": f"shop-{method}", "method": method, "params": params})
    return json.loads(sys.stdin.readline()).get("result")


def text(found):
    return {"content": [{"type": "text", "text": found}]}


def order():
    size = ask("elicitation/create", {"message": "Which size?", "requestedSchema": SIZE})
    if size["action"] != "accept":
        return {**text("nothing is ordered without a size"), "isError": True}
    slogan = ask("sampling/createMessage", SLOGAN)["content"]["text"]
    (root,) = ask("roots/list", {})["roots"]
    return text(f"{size['content']['color']} shoes, size {size['content']['size']}: {slogan}, {root['name']}")


def answer(method, params):
    match method:
        case "initialize":
            return WELCOME
        case "tools/list":
            return {"tools": TOOLS}
        case "resources/read":
            return {"contents": [{"uri": params["uri"], "text": "open from 9 to 5"}]}
        case "prompts/get":
            greeting = {"type": "text", "text": f"Greet {params['arguments']['name']}"}
            return {"messages": [{"role": "user", "content": greeting}]}
        case "tools/call" if params["name"] == "order":
            return order()
        case "tools/call":
            return text("2 pairs" if params["arguments"].get("query") == "shoes" else "nothing")
        case _:
            return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params", {}))
        unknown = {"error": {"code": -32601, "message": "Method not found"}}
        send({"id": request["id"], **({"result": result} if result else unknown)})
