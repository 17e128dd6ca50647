"""A server of the Messages API that pauses in the middle of a search, and goes on once it gets back what it has said.

It binds a free port on the loopback interface, prints its address, and ends when its standard input is closed or on SIGTERM.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "ananke"}}
FOUND = {"type": "web_search_result", "url": "http://127.0.0.1/a", "title": "A", "encrypted_content": "c2VjcmV0", "page_age": None}
RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [FOUND]}


def message(blocks: list[dict], reason: str) -> list[dict]:
    """The events of a response with these blocks."""
    usage = {"input_tokens": 5, "output_tokens": 1}
    begun = {"id": "msg_1", "type": "message", "role": "assistant", "model": "searcher", "content": [], "stop_reason": None}
    events = [{"type": "message_start", "message": {**begun, "stop_sequence": None, "usage": usage}}]
    for index, block in enumerate(blocks):
        # A text is in pieces. A call and a result are whole.
        begun = {**block, "text": ""} if "text" in block else block
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        if "text" in block:
            delta = {"type": "text_delta", "text": block["text"]}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}}, {"type": "message_stop"}]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = request["messages"][-1]
        if last["role"] == "user":
            events = message([CALL], "pause_turn")
        elif last["content"] == [CALL]:
            events = message([RESULT, {"type": "text", "text": "Found it."}], "end_turn")
        else:
            self.send_error(400, "what was said did not come back as it was")
            return
        body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
sys.stdin.read()
os._exit(0)
