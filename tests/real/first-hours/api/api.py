"""An agent behind an API of its own: POST /chat with `message` and `session`, which is answered with server-sent events, and
POST /reply, which is answered with one JSON document.

It keeps the conversations itself, and knows the weather of one city.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SESSIONS: dict[str, list[str]] = {}


def reply(said: list[str]) -> list[dict]:
    """The events of a turn."""
    if "weather in Rome" in said[-1]:
        weather = {"city": "Rome", "sky": "clear"}
        called = {"type": "tool", "name": "get_weather", "arguments": {"city": "Rome"}, "result": weather}
        return [called, {"type": "text", "text": "It is clear "}, {"type": "text", "text": "in Rome."}]
    if said[:-1] == []:
        return [{"type": "text", "text": "Which city do you mean?"}]
    return [{"type": "text", "text": "It will rain." if "tomorrow" in said[-1] else "You asked about Rome."}]


class Api(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_known = self.path in ("/chat", "/reply")
        if not is_known or not {"message", "session"} <= asked.keys():
            self.send_error(422 if is_known else 404)
            return
        said = SESSIONS.setdefault(asked["session"], [])
        said.append(asked["message"])
        self.send_response(200)
        if self.path == "/reply":
            events = reply(said)
            text = "".join(event["text"] for event in events if event["type"] == "text")
            tools = [event for event in events if event["type"] == "tool"]
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"reply": text, "tools": tools}).encode())
            return
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in [*reply(said), {"type": "end"}]:
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Api).serve_forever()
