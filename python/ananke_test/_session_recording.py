"""The recordings of sessions: pytest says where they are, and which test runs."""

from __future__ import annotations

import threading

# pytest shows no frames of this file.
__tracebackhide__ = True


class RecordingWarning(UserWarning):
    """A replay did not use all of its recording, or the recording was changed."""

    __module__ = "ananke_test"


class SessionRecordings:
    """The recordings of one pytest run. Each session of a test has one, by the id of the test and the number of the session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._place: dict[str, str] = {}
        self._test: str | None = None
        self._sessions = 0

    def use(self, mode: str, directory: str) -> None:
        """Records sessions into a directory from now on, or replays them."""
        self._place = {mode: directory}

    def enter(self, test: str) -> None:
        """A test begins, or is tried again."""
        with self._lock:
            self._test, self._sessions = test, 0

    def leave(self) -> None:
        """The test has ended."""
        with self._lock:
            self._test = None

    def forget(self) -> None:
        """The run has ended."""
        self._place = {}

    def next_keys(self) -> dict[str, str]:
        """The keys with which the next session of the test is opened: none if nothing is recorded, or no test runs."""
        with self._lock:
            if not self._place or self._test is None:
                return {}
            self._sessions += 1
            number = f" session {self._sessions}" if self._sessions > 1 else ""
            return {**self._place, "id": f"{self._test}{number}"}


recordings = SessionRecordings()
"""Those of this process."""
