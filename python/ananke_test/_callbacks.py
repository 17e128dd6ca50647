"""What the program `ananke` asks for: replies of a model, and results of tools."""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import suppress
from typing import Any

from ananke_test._active_mocks import mock_of
from ananke_test._connection import Connection
from ananke_test._function_llm import FunctionLLM
from ananke_test._tools import ToolError, json_result

# pytest shows no frames of this file.
__tracebackhide__ = True


class LoopCallbacks:
    """Answers to the requests of the program, in the event loop and the context of the run that they are about."""

    FATAL: tuple[str, ...] = ()
    """The requests whose errors are those of the run."""

    def __init__(self, program: Connection) -> None:
        self._program = program
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.error: BaseException | None = None
        """The error of the model or of the agent, or an exception that ends the test."""

    def enter(self) -> None:
        """Answers in this event loop and context from now on."""
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self.error = None

    def enter_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answers in an event loop of another thread from now on."""
        self._loop = loop

    def begin(self, request: int, method: str, params: dict[str, Any]) -> None:
        """Begins an answer."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._spawn, request, method, params, context=self._context.copy())

    def cancel(self, request: int) -> None:
        """Ends an answer that nothing waits for."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            # It may be closed meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._abort, request)

    def _abort(self, request: int) -> None:
        task = self._tasks.get(request)
        if task is not None:
            task.cancel()

    def _spawn(self, request: int, method: str, params: dict[str, Any]) -> None:
        assert self._loop is not None
        task = self._loop.create_task(self._answer(request, method, params))
        self._tasks[request] = task

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.pop(request, None)
            if not task.cancelled():
                task.exception()

        task.add_done_callback(ended)

    async def _answer(self, request: int, method: str, params: dict[str, Any]) -> None:
        try:
            self._program.answer(request, await self.result(method, params))
        except asyncio.CancelledError as error:
            if method in self.FATAL:
                self.error = self.error or error
            self._program.refuse(request, "cancelled")
            raise
        except Exception as error:  # noqa: BLE001 it is the answer
            if method in self.FATAL:
                # A judge may be asked again: the first error is the cause.
                self.error = self.error or error
            self._program.refuse(request, self.in_words(error))
        except BaseException as error:
            # Such as `pytest.fail`: the run ends with it.
            self.error = error
            self._program.refuse(request, self.in_words(error))
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise

    def in_words(self, error: BaseException) -> str:
        """What the program is told of an error."""
        return str(error) or type(error).__name__

    async def result(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request."""
        raise NotImplementedError


class ServedCallbacks(LoopCallbacks):
    """The answers of a model and of tools."""

    FATAL = ("model/call",)

    def __init__(self, program: Connection, llm: Any) -> None:
        super().__init__(program)
        self._llm = llm

    async def result(self, method: str, params: dict[str, Any]) -> Any:
        """The reply of the model, or the result of a tool."""
        if method == "model/call":
            return {"message": await self.model(params["messages"], params["tools"])}
        if method == "tool/call":
            return {"output": await self.tool(params["name"], params["arguments"])}
        raise ToolError(f"this package does not know `{method}`")

    async def model(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        """The reply of the model."""
        if not isinstance(self._llm, FunctionLLM):
            raise TypeError("only a model of this process is asked")
        return await self._llm.reply(messages, tools)

    async def tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The result of a call to a tool."""
        registered = self._llm.tools.get(name)
        mock = mock_of(self._llm, name)
        if mock is not None:
            if registered is not None:
                registered.check(arguments)
            return json_result(name, await mock(**arguments))
        if registered is None:
            raise ToolError(f"there is no tool `{name}`")
        return json_result(name, await registered.call(arguments))
