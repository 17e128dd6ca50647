"""Plain functions in threads, and coroutines for tests that are plain functions."""

import asyncio
import contextvars
import functools
import inspect
import os
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

# pytest shows no frames of this file.
__tracebackhide__ = True

T = TypeVar("T")


async def called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of a function, plain or async. A plain one is run in a thread that does nothing else meanwhile, so that the event
    loop goes on.
    """
    if is_async(function):
        return await function(*args, **kwargs)
    result = await in_thread(functools.partial(function, *args, **kwargs))
    if inspect.isawaitable(result):
        result = await result
    return result


def is_async(function: Any) -> bool:
    """Whether a call of it gives a coroutine."""
    while isinstance(function, functools.partial):
        function = function.func
    # An AsyncMock is one by its class.
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


async def in_thread(function: Callable[[], T]) -> T:
    """The result of a function in a thread, in a copy of the context. One that goes on after a cancellation ends with Python.

    A function may wait for another one: each has a thread to itself, which the next function gets after it.
    """
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Worker("ananke function")
    try:
        return await worker.run(function)
    finally:
        if worker.has_thread and len(_idle) < MOST_IDLE:
            _idle.append(worker)
        else:
            worker.close()


class Worker:
    """A thread that runs plain functions one after the other. A function that goes on after a cancellation keeps its thread,
    which then ends with Python at the latest; the next function gets another one.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None] | None] | None = None

    async def run(self, function: Callable[[], T]) -> T:
        """The result of a function, which runs in a copy of the context."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        context = contextvars.copy_context()
        results: list[T] = []
        errors: list[BaseException] = []

        def finish() -> None:
            if not done.done():
                done.set_result(None)

        def work() -> None:
            try:
                results.append(context.run(function))
            except BaseException as error:  # noqa: BLE001 it is raised where it is awaited
                errors.append(error)
            # If the loop was closed, nothing waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(finish)

        self._begin(work)
        try:
            await done
        except BaseException:
            # A cancellation, or the end of a loop: the function goes on.
            self.close()
            raise
        if errors:
            error = errors[0]
            if isinstance(error, StopIteration):
                raise RuntimeError("the function raised StopIteration: an iterator in it has no further item") from error
            raise error
        return results[0]

    @property
    def has_thread(self) -> bool:
        """Whether its thread waits for a function, or runs one."""
        return self._work is not None

    def _begin(self, work: Callable[[], None]) -> None:
        if self._work is None:
            self._work = SimpleQueue()
            threading.Thread(target=_run_all, args=(self._work,), name=self._name, daemon=True).start()
        self._work.put(work)

    def close(self) -> None:
        """Lets the thread end after its function."""
        if self._work is not None:
            self._work.put(None)
            self._work = None


def _run_all(functions: "SimpleQueue[Callable[[], None] | None]") -> None:
    while (function := functions.get()) is not None:
        function()
        # A thread that waits keeps nothing of the last turn.
        del function


MOST_IDLE = 8
"""The number of threads that are kept for the next plain functions."""

_idle: list[Worker] = []
"""Threads that run nothing now."""

_loop: asyncio.AbstractEventLoop | None = None
_lock = threading.Lock()


def background_loop() -> asyncio.AbstractEventLoop:
    """The event loop of this package, in a thread of its own."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="ananke loop", daemon=True).start()
            _loop = loop
        return _loop


def _forked() -> None:
    global _loop, _lock
    _loop, _lock = None, threading.Lock()
    # Their threads are those of the other process.
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def run_in_background(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, which runs in an event loop of its own."""
    loop = background_loop()
    if asyncio._get_running_loop() is loop:
        work.close()
        raise RuntimeError("a session for plain functions is used in its own event loop: await the async form there")
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        # `result` would add its own frames to the traceback.
        error = future.exception()
    except BaseException:
        future.cancel()
        raise
    if error is not None:
        raise error
    return future.result()
