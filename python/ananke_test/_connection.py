"""The program `ananke session --stdio`: one process for everything that has the same directory, environment and config.

Requests may come from any thread and any event loop. What the program asks is handed to the session that it is about.
"""

import atexit
import json
import os
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Protocol

import ananke_test
from ananke_test._errors import ProgramError, RequestError
from ananke_test._program import find_program

# pytest shows no frames of this file.
__tracebackhide__ = True

PROTOCOL = 1

LONGEST_LINE = 64 << 20
"""The longest line that the program reads, in bytes."""

ENDING = 5.0
"""The longest time for the end of the program, in seconds."""

MOST_PROCESSES = 8
"""The number of processes that are kept; those without a session are ended first."""


class Callbacks(Protocol):
    """Answers to the requests of the program about one session. They begin in the thread that reads, and must not wait there."""

    def begin(self, request: int, method: str, params: dict[str, Any]) -> None: ...

    def cancel(self, request: int) -> None: ...


class Connection:
    """A running program."""

    def __init__(self, config: str | None = None) -> None:
        self._lock = threading.Lock()
        self._next = 1
        self._pending: dict[int, Future[Any]] = {}
        self._callbacks: dict[str, Callbacks] = {}
        self._asked: dict[int, Callbacks] = {}
        self._results: dict[int, Callable[[dict[str, Any]], None]] = {}
        self._over: ProgramError | None = None
        self._errors: deque[str] = deque(maxlen=40)
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self.on_test_session: Callable[[str], Callbacks] | None = None
        """Gives what answers for a test of a project whose agent is one of this process, at its first turn."""
        self.process = self._start()
        self._threads = [
            threading.Thread(target=work, name=f"ananke {work.__name__}", daemon=True)
            for work in (self._read_errors, self._write, self._read)
        ]
        for thread in self._threads:
            thread.start()
        client = {"name": "ananke-test for Python", "version": ananke_test.__version__}
        params: dict[str, Any] = {"client": client}
        if config is not None:
            params["config"] = config
        try:
            answer = self.call("initialize", params)
        except BaseException:
            self.close()
            raise
        if answer.get("protocol") != PROTOCOL:
            self.close()
            raise ProgramError(
                f"the program speaks version {answer.get('protocol')} of the protocol, this package version {PROTOCOL}: "
                "install the package again, so that both are from one release"
            )

    @staticmethod
    def _start() -> "subprocess.Popen[bytes]":
        try:
            program = find_program()
            # Ctrl-C is for Python, which ends the program.
            own_group: dict[str, Any] = {"start_new_session": True}
            if os.name == "nt":
                own_group = {"creationflags": 0x00000200}
            return subprocess.Popen[bytes](
                [str(program), "session", "--stdio"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **own_group,
            )
        except OSError as error:
            raise ProgramError(f"the program `ananke` cannot be started: {error}") from None

    @property
    def is_over(self) -> bool:
        """Whether the program has ended."""
        return self._over is not None

    @property
    def is_idle(self) -> bool:
        """Whether no session needs the program."""
        with self._lock:
            return not (self._callbacks or self._pending)

    def submit(
        self,
        method: str,
        params: dict[str, Any],
        on_result: Callable[[dict[str, Any]], None] | None = None,
    ) -> "Future[Any]":
        """Sends a request. `on_result` gets the results of its tests, in the thread that reads.

        Raises:
            ProgramError: If the program has ended.
            ValueError: If the request cannot be written.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self._over is not None:
                raise ProgramError(str(self._over))
            number = self._next
            self._next += 1
            line = encoded({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            self._pending[number] = future
            if on_result is not None:
                self._results[number] = on_result
        self._lines.put(line)
        return future

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Sends a request, and waits for its answer in this thread."""
        return self.submit(method, params).result()

    def attach(self, session: str, callbacks: Callbacks) -> None:
        """Hands requests about a session to `callbacks`."""
        with self._lock:
            self._callbacks[session] = callbacks

    def detach(self, session: str) -> None:
        """Ends what `attach` began."""
        with self._lock:
            self._callbacks.pop(session, None)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Sends something that nothing answers.

        Raises:
            TypeError, ValueError: If it is not JSON.
        """
        self._lines.put(encoded({"jsonrpc": "2.0", "method": method, "params": params}))

    def answer(self, request: int, result: Any) -> None:
        """Answers a request of the program.

        Raises:
            TypeError, ValueError: If the result is not JSON.
        """
        self._reply(request, encoded({"jsonrpc": "2.0", "id": request, "result": result}))

    def refuse(self, request: int, message: str) -> None:
        """Answers a request of the program with an error."""
        message = message.encode("utf-8", "replace").decode("utf-8")[: LONGEST_LINE >> 4]
        error = {"code": -32000, "message": message}
        self._reply(request, encoded({"jsonrpc": "2.0", "id": request, "error": error}))

    def _reply(self, request: int, line: bytes) -> None:
        with self._lock:
            self._asked.pop(request, None)
        self._lines.put(line)

    def close(self) -> None:
        """Ends the program and everything that it holds. It may be called twice."""
        self._lines.put(None)
        self._fail(ProgramError("the program `ananke` was ended"))
        try:
            self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(1)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def abandon(self) -> None:
        """Closes the pipes in a child that was forked: the program belongs to the parent."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    os.close(pipe.fileno())
        self.process.returncode = 0
        self._over = ProgramError("the program `ananke` belongs to the process that this one was forked from")

    def _fail(self, error: ProgramError) -> None:
        with self._lock:
            self._over = self._over or error
            pending = list(self._pending.values())
            callbacks = list(self._asked.items())
            self._pending.clear()
            self._results.clear()
            self._asked.clear()
        for future in pending:
            settle(future, error=ProgramError(str(self._over)))
        for request, asked in callbacks:
            asked.cancel(request)

    def _write(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        try:
            while (line := self._lines.get()) is not None:
                stdin.write(line)
                if self._lines.empty():
                    stdin.flush()
        except (OSError, ValueError):
            # The reader finds out why.
            pass
        with suppress(OSError, ValueError):
            stdin.close()

    def _read_errors(self) -> None:
        stderr = self.process.stderr
        assert stderr is not None
        with suppress(OSError, ValueError):
            for line in stderr:
                self._errors.append(line.decode("utf-8", "replace").rstrip())

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        try:
            for line in stdout:
                self._take(json.loads(line))
        except (OSError, ValueError) as error:
            self._fail(ProgramError(f"the program `ananke` wrote something that is not its protocol: {error}"))
            self._lines.put(None)
            self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        # The last lines may not be read yet.
        self._threads[0].join(1)
        code = self.process.poll()
        said = "\n".join(self._errors)
        ended = "closed its output" if code is None else f"ended with the exit code {code}"
        self._fail(ProgramError(f"the program `ananke` {ended}" + (f":\n{said}" if said else "")))
        self._lines.put(None)

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        params: dict[str, Any] = message.get("params") or {}
        number = message.get("id")
        if method is None:
            self._take_answer(number, message)
        elif number is not None:
            self._take_request(number, method, params)
        elif method == "request/cancelled":
            with self._lock:
                callbacks = self._asked.pop(params["id"], None)
            if callbacks is not None:
                callbacks.cancel(params["id"])
        elif method == "test/result":
            on_result = self._results.get(params["request"])
            if on_result is not None:
                on_result(params)

    def _take_answer(self, number: int | None, message: dict[str, Any]) -> None:
        error: dict[str, Any] | None = message.get("error")
        if number is None:
            # No request of this package is unreadable; to go on would be to wait for an answer that never comes.
            raise ValueError(str(message.get("error")))
        with self._lock:
            future = self._pending.pop(number, None)
            self._results.pop(number, None)
        if future is None:
            return
        if error is not None:
            settle(future, error=RequestError(error["code"], error["message"]))
        else:
            settle(future, message["result"])

    def _take_request(self, number: int, method: str, params: dict[str, Any]) -> None:
        with self._lock:
            callbacks = self._callbacks.get(params.get("session", ""))
        if callbacks is None and method == "agent/turn" and "agent" in params and self.on_test_session is not None:
            callbacks = self.on_test_session(params["session"])
        if callbacks is not None:
            with self._lock:
                self._asked[number] = callbacks
        else:
            self.refuse(number, "the session is over")
            return
        try:
            callbacks.begin(number, method, params)
        except RuntimeError as error:
            # Its event loop is closed.
            self.refuse(number, str(error))


def encoded(message: dict[str, Any]) -> bytes:
    """A line of the protocol.

    Raises:
        TypeError, ValueError: If it is not JSON, or too long.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    line = text.encode("utf-8") + b"\n"
    if len(line) > LONGEST_LINE:
        raise ValueError(f"{len(line) >> 20} MiB are too long: ananke reads up to {LONGEST_LINE >> 20} MiB at once")
    return line


def settle(future: "Future[Any]", result: Any = None, *, error: BaseException | None = None) -> None:
    """Gives a future its result, unless what waited for it has given up."""
    if not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


_Key = tuple[str, str | None, tuple[tuple[str, str], ...]]
_connections: dict[_Key, Connection] = {}
_lock = threading.RLock()


def connection(config: str | None = None) -> Connection:
    """The program for this directory and environment, which is started with its first use and ends with Python.

    Raises:
        ProgramError: If it cannot be started.
    """
    environment = tuple(sorted(item for item in os.environ.items() if item[0] != "PYTEST_CURRENT_TEST"))
    key = (os.getcwd(), config, environment)
    with _lock:
        known = _connections.get(key)
        if known is not None and not known.is_over:
            return known
        for other, old in list(_connections.items()):
            if old.is_over or (len(_connections) >= MOST_PROCESSES and old.is_idle):
                del _connections[other]
                old.close()
        made = Connection(config)
        _connections[key] = made
        return made


def close_all() -> None:
    """Ends every program."""
    with _lock:
        ended = list(_connections.values())
        _connections.clear()
    for old in ended:
        old.close()


def _forked() -> None:
    global _lock
    _lock = threading.RLock()
    for old in _connections.values():
        old.abandon()
    _connections.clear()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
