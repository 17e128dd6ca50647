"""Serves a real pydantic-ai agent through its own AG-UI adapter, without a model, a key or the network.

The framework, its tool loop and its AG-UI stream are the real ones; only the model is a function (`model.py`). Each
path is another age of the protocol:

    /        AG-UI 1.0, as the installed ag-ui-protocol has it
    /0.1.18  as a server of before 1.0 and before interrupts
    /0.1.10  as a server of the oldest kind, which sends THINKING_* where later ones send REASONING_*
    /judge   another agent, which judges what the first one did (`judge.py`)
    /traveller  an agent that plays the user of the first one (`traveller.py`)

The server binds a free port on the loopback interface, prints its address as the first line of its standard output
once it accepts connections, and ends when its standard input is closed or on SIGTERM. With ANANKE_PYDANTIC_KEY set, a
request without `authorization: Bearer <key>` is answered 401. With ANANKE_PYDANTIC_TRACES set, the spans of its agents are added to
that file.
"""

import hmac
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvicorn
from ag_ui.core import PROTOCOL_VERSION
from pydantic_ai import Agent
from pydantic_ai.ui import StateDeps
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import desk
import judge
import model
import traces
import traveller

KEY = os.environ.get("ANANKE_PYDANTIC_KEY", "")
AGENT = desk.travel_desk(model.travel_desk(KEY))


def endpoint(version: str, agent: Agent = AGENT) -> Callable[[Request], Awaitable[Response]]:
    async def run(request: Request) -> Response:
        given = request.headers.get("authorization", "")
        if KEY and not hmac.compare_digest(given.encode(), f"Bearer {KEY}".encode()):
            return JSONResponse({"error": "this desk wants a key"}, status_code=401)
        return await AGUIAdapter.dispatch_request(
            request, agent=agent, deps=StateDeps(desk.Desk()), ag_ui_version=version, include_usage=True
        )

    return run


ROUTES = {
    "/": endpoint(PROTOCOL_VERSION),
    "/0.1.18": endpoint("0.1.18"),
    "/0.1.10": endpoint("0.1.10"),
    "/judge": endpoint(PROTOCOL_VERSION, judge.AGENT),
    "/traveller": endpoint(PROTOCOL_VERSION, traveller.AGENT),
}


class Server(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if sockets and not self.should_exit:
            print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)

    def end_with_stdin(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.should_exit = True


def main() -> None:
    if file := os.environ.get("ANANKE_PYDANTIC_TRACES"):
        traces.instrument(Path(file))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    app = Starlette(routes=[Route(path, run, methods=["POST"]) for path, run in ROUTES.items()])
    server = Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1))
    threading.Thread(target=server.end_with_stdin, daemon=True).start()
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
