"""A model of chat completions on this machine, which gives the replies that a test says."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class ChatServer:
    """The server. A reply is a message, a text, or a number: the status of an error."""

    def __init__(self) -> None:
        self.replies: list[Any] = []
        self.requests: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append(request)
                reply = outer.replies.pop(0)
                if isinstance(reply, int):
                    self.answer(reply, "application/json", json.dumps({"error": {"message": "no model today"}}))
                    return
                message: dict[str, Any] = {"role": "assistant"}
                message.update({"content": reply} if isinstance(reply, str) else reply)
                if not request.get("stream"):
                    choice = {"index": 0, "message": message, "finish_reason": "stop"}
                    self.answer(200, "application/json", json.dumps(frame("chat.completion", choice)))
                    return
                calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", []))]
                delta = {**message, **({"tool_calls": calls} if calls else {})}
                end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
                chunks = [{"index": 0, "delta": delta, "finish_reason": None}, end]
                lines = [f"data: {json.dumps(frame('chat.completion.chunk', chunk))}\n\n" for chunk in chunks]
                self.answer(200, "text/event-stream", "".join(lines) + "data: [DONE]\n\n")

            def answer(self, status: int, kind: str, text: str) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def frame(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    """A completion around a choice."""
    return {"id": "1", "object": kind, "created": 1, "model": "m", "choices": [choice]}
