"""Threads without the context of a turn: those that may go on with the work of an earlier one."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import _base, thread
from types import FrameType
from typing import Any
from weakref import WeakSet

# pytest shows no frames of this file.
__tracebackhide__ = True

_of_earlier: WeakSet[threading.Thread] = WeakSet()
"""The threads that were alive when a turn ended."""

_lock = threading.Lock()

_WORKER: Any = getattr(getattr(thread, "_worker", None), "__code__", None)

_FILES_OF_POOLS = {thread.__file__, _base.__file__, threading.__file__}


class ThreadsOfTurn:
    """The threads whose calls belong to a turn if it is the only one that runs."""

    def __init__(self) -> None:
        frames = sys._current_frames()
        # The event loop of the turn has a context for each task.
        self._loop = threading.current_thread()
        self._idle = {number for number, frame in frames.items() if _waits_in_pool(frame)}

    def has_current(self) -> bool:
        """Whether what the current thread does cannot be work of an earlier turn: the thread is new, or had no work when the turn
        began.
        """
        current = threading.current_thread()
        with _lock:
            is_old = current in _of_earlier
        return not is_old or current is self._loop or current.ident in self._idle

    def end(self) -> None:
        """Remembers the threads that go on."""
        with _lock:
            _of_earlier.update(threading.enumerate())


def _waits_in_pool(frame: FrameType | None) -> bool:
    """Whether a thread is a worker of a `ThreadPoolExecutor` without work: no other code is in its stack."""
    while frame is not None and frame.f_code.co_filename in _FILES_OF_POOLS:
        if frame.f_code is _WORKER:
            return True
        frame = frame.f_back
    return False
