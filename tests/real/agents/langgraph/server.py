"""Serves a LangGraph agent through LangGraph's own AG-UI adapter, without a model, a key or the network (`shop.py`).

The server binds a free port on the loopback interface, prints its address as the first line of its standard output once it
accepts connections, and ends when its standard input is closed or on SIGTERM.
"""

import os
import socket
import sys
import threading

import uvicorn
from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI

import shop


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
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    app = FastAPI()
    add_langgraph_fastapi_endpoint(app, LangGraphAgent(name="shop", graph=shop.graph()), "/shop")
    server = Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1))
    threading.Thread(target=server.end_with_stdin, daemon=True).start()
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
