"""A restaurant that speaks A2A 1.0 over JSON-RPC, with nothing but Python: it books tables, and asks for the city first."""

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Restaurant(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path != "/.well-known/agent-card.json":
            self.send_error(404)
            return
        here = f"http://127.0.0.1:{self.server.server_address[1]}/"
        interface = {"url": here, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        card = {
            "name": "restaurant",
            "version": "1.0.0",
            "capabilities": {"streaming": True},
            "supportedInterfaces": [interface],
            "skills": [{"id": "book", "name": "Book a table", "description": "Books a table in a city.", "tags": []}],
        }
        self.answer("application/json", [json.dumps(card)])

    def do_POST(self) -> None:
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = call["params"]["message"]
        ids = {"contextId": message.get("contextId", str(uuid.uuid4())), "taskId": message.get("taskId", str(uuid.uuid4()))}
        events = [{"task": {"id": ids["taskId"], "contextId": ids["contextId"], "status": {"state": "TASK_STATE_SUBMITTED"}}}]
        events += [{kind: {**ids, **update}} for kind, update in work(message)]
        responses = [{"jsonrpc": "2.0", "id": call["id"], "result": event} for event in events]
        self.answer("text/event-stream", [f"data: {json.dumps(response)}\n\n" for response in responses])

    def answer(self, content_type: str, body: list[str]) -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.end_headers()
        for part in body:
            self.wfile.write(part.encode())

    def log_message(self, *_ignored: object) -> None:
        pass


def work(message: dict):
    """What the restaurant does about a message."""
    text = " ".join(part.get("text", "") for part in message["parts"])
    data = [part["data"] for part in message["parts"] if "data" in part]
    if "taskId" in message:
        table = {"name": "booking", "parts": [{"text": f"A table in {text} is booked."}]}
        yield "artifactUpdate", {"artifact": {"artifactId": "booking", **table}}
        yield "statusUpdate", status("COMPLETED")
    elif data:
        found = {"id": "1", "name": "find_table", "args": data[0]}
        yield "statusUpdate", status("WORKING", {"data": found, "metadata": {"adk_type": "function_call"}})
        given = {"id": "1", "name": "find_table", "response": {"table": 7}}
        yield "statusUpdate", status("WORKING", {"data": given, "metadata": {"adk_type": "function_response"}})
        yield "artifactUpdate", {"artifact": {"artifactId": "table", "parts": [{"data": {"table": 7, **data[0]}}]}}
        yield "statusUpdate", status("COMPLETED")
    else:
        yield "statusUpdate", status("INPUT_REQUIRED", {"text": "In which city?"})


def status(state: str, part: dict | None = None) -> dict:
    said = {"message": {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": [part]}} if part else {}
    return {"status": {"state": f"TASK_STATE_{state}", **said}}


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Restaurant)
    print("ready", flush=True)
    server.serve_forever()
