"""Conversations that the program `ananke` holds."""

from __future__ import annotations

import asyncio
from typing import Any

from ananke_test._active_mocks import Mocks, mocks_of
from ananke_test._callbacks import ServedCallbacks
from ananke_test._connection import Connection
from ananke_test._errors import CANCELLED, OVER, AgentError, RequestError, public
from ananke_test._events import Interrupt, PendingAnswer, from_json
from ananke_test._external import warn_of
from ananke_test._function_llm import FunctionLLM
from ananke_test._origin import EarlierTurn, RunOrigin
from ananke_test._run_result import RunResult
from ananke_test._target import Target

# pytest shows no frames of this file.
__tracebackhide__ = True


class ServedConversation:
    """A conversation that the program holds."""

    def __init__(self, program: Connection, llm: FunctionLLM | Target, instructions: str, recording: dict[str, str]) -> None:
        self._program = program
        self._llm = llm
        self._instructions = instructions
        self._recording = recording
        self._callbacks = ServedCallbacks(program, llm)
        self._session: str | None = None
        self._mocked: list[tuple[Mocks, str]] = []
        self._is_cancelled = False
        self._earlier: tuple[EarlierTurn, ...] = ()

    async def start(self) -> None:
        """Opens the session. That of a function is opened with its first run, with the tools that it has then."""
        if isinstance(self._llm, Target):
            await self._open()

    async def _open(self) -> str:
        params: dict[str, Any] = {
            "instructions": self._instructions,
            "tools": [tool.declaration() for tool in self._llm.tools.values()],
            **self._recording,
        }
        if isinstance(self._llm, FunctionLLM):
            params["agent"] = "caller"
        elif (chosen := self._llm.to_json()) is not None:
            params["target"] = chosen
        session: str = (await self._ask("session/open", params))["session"]
        self._program.attach(session, self._callbacks)
        self._session = session
        return session

    async def run(self, text: str) -> RunResult:
        """Says something to the agent."""
        return await self._turn("session/run", {"input": text}, text)

    async def resume(self, answers: list[PendingAnswer]) -> RunResult:
        """Answers what the agent waits for."""
        return await self._turn("session/resume", {"answers": [answer.to_json() for answer in answers]}, None)

    async def _turn(self, method: str, params: dict[str, Any], text: str | None) -> RunResult:
        if self._is_cancelled:
            raise AgentError("the session is over, since a run was cancelled: begin another one")
        self._callbacks.enter()
        session = self._session if self._session is not None else await self._open()
        await self._replace_tools(session)
        try:
            answer = await self._ask(method, {"session": session, **params})
        except asyncio.CancelledError:
            self._is_cancelled = True
            self._program.submit("session/cancel", {"session": session})
            raise
        if self._callbacks.error is not None and not isinstance(self._callbacks.error, Exception):
            raise self._callbacks.error
        origin = RunOrigin(
            self._llm,
            self._program,
            answer["run"],
            session,
            self._llm.config if isinstance(self._llm, Target) else None,
            self._earlier,
        )
        interrupts = [
            Interrupt(item["id"], item.get("reason"), item.get("message"), item.get("tool_call_id"))
            for item in answer["interrupts"]
        ]
        result = RunResult([from_json(event) for event in answer["events"]], text, interrupts=interrupts, origin=origin)
        self._earlier = (*self._earlier, EarlierTurn(text, tuple(result.events)))
        return result

    async def _replace_tools(self, session: str) -> None:
        """Sends ananke the changes since the last run: it replaces the tools of the config."""
        if not isinstance(self._llm, Target):
            return
        wanted = mocks_of(self._llm)
        ended = [entry for entry in self._mocked if all(entry[0] is not mocks for mocks in wanted)]
        for entry in ended:
            await self._ask("session/unmock", {"session": session, "mock": entry[1]})
            self._mocked.remove(entry)
        for mocks in wanted:
            if all(entry[0] is not mocks for entry in self._mocked):
                names = [name for name in mocks if name not in self._llm.tools]
                if names:
                    mock = await self._ask("session/mock", {"session": session, "tools": names})
                    self._mocked.append((mocks, mock["mock"]))

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await asyncio.wrap_future(self._program.submit(method, params))
        except RequestError as error:
            failed = self._failed(error)
        raise failed

    def _failed(self, error: RequestError) -> BaseException:
        original = self._callbacks.error
        if original is None or error.code == OVER:
            return public(error)
        if isinstance(original, (AssertionError, asyncio.CancelledError)):
            failed = AgentError(f"the model failed: {original or type(original).__name__}")
            failed.__cause__ = original
            return failed
        return original

    async def close(self) -> None:
        """Ends the session."""
        session = self._session
        if session is None:
            return
        self._session = None
        if self._program.is_over:
            # A run has reported that, and it must not hide the error of the test.
            return
        try:
            warn_of(await asyncio.wrap_future(self._program.submit("session/close", {"session": session})))
        except RequestError as error:
            if error.code != CANCELLED:
                raise public(error) from None
        finally:
            self._program.detach(session)
