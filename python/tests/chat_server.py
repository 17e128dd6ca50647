"""A model behind chat completions and responses on this machine, which gives the replies that a test says."""

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
        self.conversations = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])) or "{}")
                if self.path.endswith("/conversations"):
                    outer.conversations += 1
                    made = {"id": f"conv_{outer.conversations}", "object": "conversation", "created_at": 1, "metadata": {}}
                    self.answer(200, "application/json", json.dumps(made))
                    return
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
                events = responses(message) if self.path.endswith("/responses") else [*chunks(message), "[DONE]"]
                lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
                self.answer(200, "text/event-stream", "".join(f"data: {line}\n\n" for line in lines))

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

    def said(self, request: dict[str, Any]) -> list[str]:
        """The texts of user and assistant in a request."""
        given: Any = request.get("messages", request.get("input"))
        if isinstance(given, str):
            return [given]
        return [item["content"] for item in given if item.get("role") in ("user", "assistant") and item.get("content")]

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


def chunks(message: dict[str, Any]) -> list[Any]:
    """A message as a stream of chat completions."""
    calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", []))]
    delta = {**message, **({"tool_calls": calls} if calls else {})}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
    return [frame("chat.completion.chunk", choice) for choice in ({"index": 0, "delta": delta, "finish_reason": None}, end)]


def responses(message: dict[str, Any]) -> list[Any]:
    """A message as a stream of the Responses API."""
    output: list[dict[str, Any]] = []
    if message.get("content") is not None:
        text = {"type": "output_text", "text": message["content"], "annotations": []}
        output.append({"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [text]})
    for call in message.get("tool_calls", []):
        item = {"id": f"f{call['id']}", "type": "function_call", "status": "completed", "call_id": call["id"]}
        output.append({**item, **call["function"]})
    response = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    delta = {"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "content_index": 0, "sequence_number": 1}
    streamed = [{**delta, "delta": message["content"], "logprobs": []}] if message.get("content") else []
    return [*streamed, {"type": "response.completed", "sequence_number": 2, "response": response}]
