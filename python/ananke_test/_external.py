"""Conversations with agents of this process: ananke asks for turns, and is told what the agent does."""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import replace
from typing import Any

from ananke_test._callbacks import LoopCallbacks
from ananke_test._connection import Connection
from ananke_test._errors import CANCELLED, OVER, AgentError, ProgramError, RequestError, public
from ananke_test._events import ChatMessageEvent, FunctionCallEvent, Interrupt, PendingAnswer, RunEvent, from_json
from ananke_test._origin import EarlierTurn, RunOrigin
from ananke_test._replayed_mocks import ReplayedMocks
from ananke_test._run_result import RunResult
from ananke_test._session_recording import RecordingWarning
from ananke_test._turn import AgentTurns, ConversationState, Turn, running

# pytest shows no frames of this file.
__tracebackhide__ = True

OTHER_LOOP = (
    "a client of the agent was made in another event loop, which is closed: let all tests use one loop "
    "(`asyncio_default_test_loop_scope = session` of pytest-asyncio), use `SyncTestSession`, or make the client in the test"
)

NOTES = "__notes__"


class LateEventWarning(UserWarning):
    """The agent did something after the end of its turn."""

    __module__ = "ananke_test"


class ExternalCallbacks(LoopCallbacks):
    """The turns of an agent."""

    FATAL = ("agent/turn",)

    def __init__(self, program: Connection, turns: AgentTurns, state: ConversationState) -> None:
        super().__init__(program)
        self._turns = turns
        self._state = state
        self.session = ""
        self.turn: Turn | None = None
        """The turn that is made now, or was made last."""

    async def result(self, method: str, params: dict[str, Any]) -> Any:
        """The end of a turn."""
        if method != "agent/turn":
            raise AgentError(f"this package does not know `{method}`")
        before: dict[str, Any] | None = params.get("before")
        if before is not None:
            # Tests of a project have no other result of a turn.
            self._state.past.append((before.get("input"), [from_json(event) for event in before["events"]]))
        answers = [
            PendingAnswer(answer.get("payload"), answer["id"], cancelled=answer.get("cancelled", False))
            for answer in params.get("answers", [])
        ]
        turn = Turn(params["turn"], params.get("input"), answers, self._state, self._report)
        self.turn = turn
        with running(turn):
            await self._turns.take(turn)
        ended: dict[str, Any] = {"outcome": "interrupted" if turn.interrupts else "finished", "at_ms": turn.elapsed_ms()}
        if turn.interrupts:
            keys = ("id", "reason", "message", "tool_call_id")
            ended["interrupts"] = [
                {key: getattr(interrupt, key) for key in keys if getattr(interrupt, key) is not None}
                for interrupt in turn.interrupts
            ]
        return ended

    async def close(self) -> None:
        """Ends the conversation."""
        await self._turns.close()

    def _report(self, turn: int, event: dict[str, Any]) -> None:
        self._program.notify("agent/event", {"session": self.session, "turn": turn, "event": event})


class ExternalConversation:
    """A conversation with an agent of this process."""

    def __init__(
        self, program: Connection, agent: Any, turns: AgentTurns, timeout: float | None, recording: dict[str, str]
    ) -> None:
        self._program = program
        self._agent = agent
        self._timeout = timeout
        self._recording = recording
        self._replayed = ReplayedMocks(agent) if "replay" in recording else None
        self._state = ConversationState(agent)
        self._callbacks = ExternalCallbacks(program, turns, self._state)
        self._is_cancelled = False
        self._open: list[Interrupt] = []
        self._earlier: tuple[EarlierTurn, ...] = ()

    async def start(self) -> None:
        """Opens the session."""
        opened: dict[str, Any] = {"agent": "external", "name": _name_of(self._agent), **self._recording}
        if self._timeout is not None:
            opened["callback_timeout_ms"] = max(1, round(self._timeout * 1000))
        session: str = (await self._ask("session/open", opened))["session"]
        self._callbacks.session = session
        self._program.attach(session, self._callbacks)

    async def run(self, text: str) -> RunResult:
        """Says something to the agent."""
        return await self._turn("session/run", {"input": text}, text)

    async def resume(self, answers: list[PendingAnswer]) -> RunResult:
        """Answers what the agent waits for.

        Raises:
            ValueError: If an answer fits nothing that is open, or something has no answer.
        """
        given = {self._chosen(answer): answer for answer in answers}
        missing = [interrupt.id for interrupt in self._open if interrupt.id not in given]
        if missing:
            raise ValueError(f"no answer for {', '.join(f'`{number}`' for number in missing)}: answer all that is open at once")
        if not given:
            raise ValueError("the agent waits for nothing that could be answered")
        if self._replayed is not None:
            self._replayed.answer(given)
        named = [replace(answer, id=number, tool=None).to_json() for number, answer in given.items()]
        return await self._turn("session/resume", {"answers": named}, None)

    def _chosen(self, answer: PendingAnswer) -> str:
        """The id of the interrupt that an answer is for."""
        tools = {
            event.tool_call_id: event.name
            for _, events in self._state.past
            for event in events
            if isinstance(event, FunctionCallEvent)
        }
        names = {interrupt.id: tools.get(interrupt.tool_call_id) for interrupt in self._open}
        fits = [number for number, name in names.items() if answer.id in (None, number) and answer.tool in (None, name)]
        if len(fits) == 1:
            return fits[0]
        waiting = ", ".join(f"`{number}`{f' ({name})' if name is not None else ''}" for number, name in names.items()) or "nothing"
        raise ValueError(f"the answer {answer!r} fits {len(fits)} of what the agent waits for: {waiting}")

    async def _turn(self, method: str, params: dict[str, Any], text: str | None) -> RunResult:
        if self._is_cancelled:
            raise AgentError("the session is over, since a run was cancelled: begin another one")
        self._callbacks.enter()
        session = self._callbacks.session
        try:
            answer: Any = await asyncio.wrap_future(self._program.submit(method, {"session": session, **params}))
        except asyncio.CancelledError:
            self._is_cancelled = True
            self._program.submit("session/cancel", {"session": session})
            raise
        except RequestError as error:
            # Raised below, so that the error of the agent has no other one as its context.
            answer = error
        if isinstance(answer, RequestError):
            raise await self._failed(answer)
        own = self._callbacks.error
        if own is not None and not isinstance(own, Exception):
            raise own
        warn_of(answer)
        events = [from_json(event) for event in answer["events"]]
        origin = RunOrigin(self._agent, self._program, answer["run"], session, None, self._earlier)
        self._earlier = (*self._earlier, EarlierTurn(text, tuple(events)))
        self._state.past.append((text, events))
        interrupts = [
            Interrupt(item["id"], item.get("reason"), item.get("message"), item.get("tool_call_id"))
            for item in answer["interrupts"]
        ]
        self._open = interrupts
        if self._replayed is not None:
            await self._replayed.take(events, interrupts)
        return RunResult(events, text, interrupts=interrupts, origin=origin)

    async def _failed(self, error: RequestError) -> BaseException:
        """The error of a turn: that of the agent as it is, with the events before it."""
        failed: BaseException
        original = self._callbacks.error
        if error.message.startswith("timeout after "):
            failed = AgentError(self._timed_out(error.message))
        elif original is None or error.code == OVER or isinstance(original, asyncio.CancelledError):
            failed = public(error)
        elif isinstance(original, AssertionError):
            failed = AgentError(f"the agent failed: {original}")
            failed.__cause__ = original
        else:
            failed = original
            if _is_of_other_loop(original):
                _add_note(original, OTHER_LOOP)
        if error.code not in (OVER, CANCELLED) and not hasattr(failed, "events"):
            events = await self._events_of_failed()
            failed.events = events  # type: ignore[attr-defined]
            if self._replayed is not None:
                await self._replayed.take(events)
        return failed

    def _timed_out(self, message: str) -> str:
        """The message about a turn that took too long: what sets the time, and what goes on."""
        words = f"{message.partition(': ')[0]}, which `timeout` of the session sets (default: 600 seconds)"
        turn = self._callbacks.turn
        if turn is not None and turn.thread is not None:
            # No thread can be ended from outside. Its calls come too late, and are warnings.
            words += f"; the thread `{turn.thread}` still runs, and ends with Python at the latest"
        return words

    async def _events_of_failed(self) -> list[RunEvent]:
        """The events of the turn that has just failed."""
        try:
            history = await self._ask("session/history", {"session": self._callbacks.session})
        except (ProgramError, AgentError, ValueError):
            return []
        events = [from_json(event) for event in history["events"]]
        own = [event for event in events if not (isinstance(event, ChatMessageEvent) and event.role == "user")]
        return own[sum(len(done) for _, done in self._state.past) :]

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await asyncio.wrap_future(self._program.submit(method, params))
        except RequestError as error:
            failed = public(error)
        raise failed

    async def close(self) -> None:
        """Ends the session."""
        session, self._callbacks.session = self._callbacks.session, ""
        try:
            if session and not self._program.is_over:
                warn_of(await asyncio.wrap_future(self._program.submit("session/close", {"session": session})))
        except RequestError as error:
            if error.code != CANCELLED:
                raise public(error) from None
        finally:
            self._program.detach(session)
            await self._callbacks.close()


def warn_of(answer: dict[str, Any]) -> None:
    """Warns of what came too late, and of a recording that was not used as it is."""
    for text in answer.get("warnings", []):
        kind = RecordingWarning if text.startswith("the recording `") else LateEventWarning
        warnings.warn(kind(text), stacklevel=2)


def _name_of(agent: Any) -> str:
    """The name of an agent in reports."""
    for name in (getattr(agent, "name", None), getattr(agent, "__name__", None), type(agent).__name__):
        if isinstance(name, str) and name:
            return name
    return "agent"


def _is_of_other_loop(error: BaseException) -> bool:
    """Whether an error, or one behind it, is that of a connection whose event loop is closed."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        if isinstance(found, RuntimeError) and "Event loop is closed" in str(found):
            return True
        seen.add(id(found))
        found = found.__cause__ or found.__context__
    return False


def _add_note(error: BaseException, note: str) -> None:
    """Adds a note, which pytest prints; Python has a method for it since 3.11."""
    setattr(error, NOTES, [*getattr(error, NOTES, []), note])
