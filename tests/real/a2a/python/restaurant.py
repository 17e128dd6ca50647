"""What the restaurant does about a message, whatever protocol version and library carry it; and how it is served."""

import os
import socket
import sys
import threading

TOKEN = "open-sesame"


def work(text: str, is_answer: bool):
    """The steps of an answer: a kind, and what belongs to it."""
    if is_answer:
        yield "text", f"A table in {text} is booked."
        yield "done", None
    elif text == "book":
        yield "ask", "In which city?"
    elif text == "chunks":
        yield "working", "I count."
        yield "chunks", ["one ", "two ", "three"]
        yield "done", None
    elif text == "menu":
        yield "data", {"soup": 3, "name": "borscht"}
        yield "done", None
    elif text == "weather":
        yield "part", ({"id": "call-1", "name": "get_weather", "args": {"city": "Kyiv", "days": 3}}, "function_call")
        yield "part", ({"id": "call-1", "name": "get_weather", "response": {"result": "21C"}}, "function_response")
        yield "text", "It is 21C."
        yield "done", None
    elif text == "hello":
        yield "message", "hello, guest"
    elif text == "closed":
        yield "failed", "The kitchen is closed."
    elif text == "crash":
        raise ValueError("the stove exploded")
    else:
        yield "text", f"I heard: {text}"
        yield "done", "Bye."


class Authorization:
    """Middleware: whoever posts or polls needs the token; cards are public."""

    def __init__(self, app) -> None:
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        headers = dict(scope.get("headers", []))
        is_card = "/.well-known/" in scope.get("path", "")
        if scope["type"] != "http" or is_card or headers.get(b"authorization") == f"Bearer {TOKEN}".encode():
            await self.app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"who are you?"})


def serve(make) -> None:
    """Serves what `make` makes of the address, prints the port, and ends when its standard input is closed."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    port = listener.getsockname()[1]
    app = make(f"http://127.0.0.1:{port}")
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(port, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
