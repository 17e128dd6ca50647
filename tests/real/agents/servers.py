"""Servers as processes of this program: started, waited for, and ended by their own ids."""

import os
import subprocess
import threading
from pathlib import Path


class Servers:
    """A context in which servers run. Each would also end by itself, when our end of its input closes."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self.running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> "Servers":
        return self

    def start(self, name: str, command: list[str], environment: dict[str, str] | None = None) -> str:
        """Starts a server and gives its address, which is the first line that it prints."""
        log = self.logs / f"{name}.log"
        with log.open("w") as errors:
            server = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **(environment or {})},
            )
        self.running.append(server)
        too_late = threading.Timer(60, server.kill)
        too_late.start()
        address = server.stdout.readline().strip()
        too_late.cancel()
        if not address:
            raise SystemExit(f"run: the server {name} did not start; its log:\n{log.read_text()}")
        print(f"real agents: {name} at {address}", flush=True)
        return address

    def __exit__(self, *_failure: object) -> None:
        for server in self.running:
            server.terminate()
        for server in self.running:
            try:
                server.wait(timeout=5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
