"""A library behind an API of its own, with nothing but Python: it looks books up, orders them, and asks before it lends one.

POST /desks makes a session; POST /desks/ID/ask answers with server-sent events, and POST /desks/ID/approve goes on after a question.
POST /letters is a form that begins a job, and GET /letters/ID says how far it is; GET /letters/ID/log has what it did.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

BOOK = {"title": "Momo", "shelf": 7}
LETTERS: dict[str, dict] = {}


def events(question: str) -> list[tuple[str, object]]:
    """The events of an answer: their names and data."""
    if "lend" in question:
        call = {"index": 0, "call_id": "lend-1", "tool": "lend", "input": '{"title": "Momo"}'}
        return [("tool", call), ("approval", {"approval_id": "a-1", "call_id": "lend-1", "question": "Lend Momo?"})]
    if "Momo" in question:
        return [
            ("thinking", {"text": "A title."}),
            ("token", {"text": "I look. "}),
            ("tool", {"index": 0, "call_id": "find-1", "tool": "find_book", "input": '{"title"'}),
            ("tool", {"index": 0, "input": ': "Momo"}'}),
            ("result", {"call_id": "find-1", "tool": "find_book", "output": BOOK}),
            ("token", {"text": "Momo is on shelf 7."}),
            ("desk", {"open": True}),
        ]
    return [("token", {"text": "Which book?"})]


class Library(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        _, _, number, *rest = urlsplit(self.path).path.split("/")
        letter = LETTERS[number]
        if rest:
            self.answer({"steps": [{"step": "post", "with": {"to": letter["to"]}, "gave": "posted"}]})
            return
        letter["asked"] += 1
        is_done = letter["asked"] > 1
        self.answer({"state": "done" if is_done else "writing", "said": f"Answer: The letter to {letter['to']} is posted."})

    def do_POST(self) -> None:
        said = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        path = urlsplit(self.path).path
        if path == "/desks":
            self.answer({"desk": {"id": "d 1"}}, {"x-desk": "open", "set-cookie": "badge=b-7; Path=/"})
        elif path == "/letters":
            number = str(len(LETTERS) + 1)
            LETTERS[number] = {"to": parse_qs(said)["to"][0], "asked": 0}
            self.answer({"letter": number})
        elif self.headers["x-badge"] != "b-7" or not path.startswith("/desks/d%201/"):
            self.send_error(403)
        elif path.endswith("/approve"):
            is_lent = json.loads(said)["decision"] == "yes"
            result = {"call_id": "lend-1", "tool": "lend", "output": {"lent": is_lent}}
            self.stream([("result", result), ("token", {"text": "Lent." if is_lent else "Not lent."})])
        else:
            self.stream(events(json.loads(said)["messages"][-1]["text"]))

    def answer(self, value: object, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        for name, header in (headers or {}).items():
            self.send_header(name, header)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def stream(self, said: list[tuple[str, object]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        usage = {"model": "library-1", "read": 12, "cached": 8, "wrote": 3, "all": 15}
        for name, data in [*said, ("end", {"usage": usage})]:
            self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass


library = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Library)
print("ready", flush=True)
library.serve_forever()
