"""Agents of pydantic-ai in this process: `pip install 'ananke-test[pydantic-ai]'`.

`TestSession(llm=agent)` is enough; `PydanticAgent` adds what `agent.run` takes, such as `deps`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from ananke_test._active_mocks import mock_of, mocks_of
from ananke_test._events import (
    ChatMessageEvent,
    FunctionCallEvent,
    FunctionCallOutputEvent,
    Interrupt,
    PendingAnswer,
    RunEvent,
)

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

    from pydantic_ai import Agent

# pytest shows no frames of this file.
__tracebackhide__ = True

__all__ = ["PydanticAgent"]


class PydanticAgent:
    """An agent of pydantic-ai, with what each of its runs is given: `PydanticAgent(agent, deps=Database(), model=TestModel())`."""

    def __init__(self, agent: Agent[Any, Any], **run: Any) -> None:
        self.agent = agent
        self.run = run


class PydanticTurns:
    """A conversation with such an agent."""

    def __init__(self, llm: Any, instructions: str | None) -> None:
        self._llm = llm
        self._agent, self._given = _parts(llm)
        if instructions is not None:
            self._given = {"instructions": instructions, **self._given}
        self._history: list[Any] = []
        self._open: dict[str, _OpenCall] = {}

    async def run(self, text: str, events: list[RunEvent]) -> list[Interrupt]:
        """Says something to the agent."""
        if self._open:
            raise ValueError("the agent waits for an answer: session.resume(PendingAnswer(…)) gives it")
        return await self._turn(events, user_prompt=text)

    async def resume(self, answers: list[PendingAnswer], events: list[RunEvent]) -> list[Interrupt]:
        """Answers calls that wait: an approval, or the result of a call that is executed elsewhere."""
        from pydantic_ai import DeferredToolResults, ToolDenied

        results = DeferredToolResults()
        for answer in answers:
            number = self._chosen(answer)
            if self._open[number].is_approval:
                results.approvals[number] = ToolDenied() if answer.cancelled or not _is_approved(answer.payload) else True
            else:
                results.calls[number] = ToolDenied() if answer.cancelled else answer.payload
        missing = [number for number in self._open if number not in {**results.approvals, **results.calls}]
        if missing:
            raise ValueError(f"no answer for {', '.join(f'`{number}`' for number in missing)}: answer all that is open at once")
        return await self._turn(events, deferred_tool_results=results)

    def _chosen(self, answer: PendingAnswer) -> str:
        fits = [number for number, call in self._open.items() if answer.id in (None, number) and answer.tool in (None, call.name)]
        if len(fits) == 1:
            return fits[0]
        names = ", ".join(f"`{number}` ({call.name})" for number, call in self._open.items()) or "nothing"
        raise ValueError(f"the answer {answer!r} fits {len(fits)} of what the agent waits for: {names}")

    async def _turn(self, events: list[RunEvent], **asked: Any) -> list[Interrupt]:
        from pydantic_ai import DeferredToolRequests, capture_run_messages

        given = dict(self._given)
        with _mocked(self._llm, self._agent, given), capture_run_messages() as seen:
            try:
                result = await self._agent.run(**asked, **{**given, "message_history": self._history or None})
            except BaseException:
                # Its messages are those of the agent's history, and what came until now.
                known = {id(part) for message in self._history for part in message.parts}
                parts = [[part for part in message.parts if id(part) not in known] for message in seen]
                _add_events(events, parts, self._agent)
                raise
        self._history = result.all_messages()
        _add_events(events, [message.parts for message in result.new_messages()], self._agent)
        self._open = {}
        if isinstance(result.output, DeferredToolRequests):
            waiting: Any = result.output
            self._open |= {call.tool_call_id: _OpenCall(call.tool_name, True) for call in waiting.approvals}
            self._open |= {call.tool_call_id: _OpenCall(call.tool_name, False) for call in waiting.calls}
        elif not isinstance(result.output, str):
            events.append(ChatMessageEvent("assistant", _as_text(result.output)))
        return [call.interrupt(number) for number, call in self._open.items()]

    async def close(self) -> None:
        """Needs nothing."""


class _OpenCall:
    """A call that waits for its approval, or for its result."""

    def __init__(self, name: str, is_approval: bool) -> None:
        self.name = name
        self.is_approval = is_approval

    def interrupt(self, number: str) -> Interrupt:
        what = "approval" if self.is_approval else "result"
        return Interrupt(number, what, f"the call to {self.name} needs its {what}", number)


class PydanticAdapter:
    """Agents of pydantic-ai."""

    def begin(self, llm: Any, instructions: str | None) -> PydanticTurns:
        """A conversation of its own."""
        return PydanticTurns(llm, instructions)

    def tool_names(self, llm: Any) -> list[str]:
        """The functions of the agent. Those of its other toolsets are known in a run alone."""
        from pydantic_ai import FunctionToolset

        names: list[str] = []
        for toolset in _toolsets(*_parts(llm)):
            if not isinstance(toolset, FunctionToolset):
                return _AnyName(names)
            names.extend(toolset.tools)
        return names

    def replace_tools(self, llm: Any, mocks: Mapping[str, AsyncMock]) -> Callable[[], None]:  # noqa: ARG002 the protocol has them
        """Needs nothing: mocks are looked up at each call."""
        return lambda: None

    async def judge(self, llm: Any, instructions: str, question: str) -> str:
        """The answer to a question, without a conversation."""
        agent, given = _parts(llm)
        result = await agent.run(question, **{"output_type": str, **given, "instructions": instructions})
        return str(result.output)


class _AnyName(list[str]):
    """Names that are not all known."""

    def __contains__(self, name: object) -> bool:
        return True


def adapter_of_agent(llm: Any) -> PydanticAdapter | None:
    """The adapter, if it is an agent of pydantic-ai."""
    if isinstance(llm, PydanticAgent):
        return PydanticAdapter()
    # If there is an agent, its package was imported.
    package = sys.modules.get("pydantic_ai.agent")
    kind = getattr(package, "AbstractAgent", None)
    return PydanticAdapter() if kind is not None and isinstance(llm, kind) else None


def _parts(llm: Any) -> tuple[Any, dict[str, Any]]:
    return (llm.agent, llm.run) if isinstance(llm, PydanticAgent) else (llm, {})


def _toolsets(agent: Any, given: Mapping[str, Any]) -> list[Any]:
    """The toolsets of the agent, those of overrides included, and those that its runs are given."""
    return [*agent.toolsets, *(given.get("toolsets") or [])]


def _is_approved(payload: Any) -> bool:
    """`True`, or an object whose `approved` is true, as agents of AG-UI take it."""
    return payload is True or (isinstance(payload, Mapping) and payload.get("approved") is True)  # pyright: ignore[reportUnknownMemberType]


def _mocked(llm: Any, agent: Any, given: dict[str, Any]) -> AbstractContextManager[Any]:
    if not mocks_of(llm):
        return nullcontext()
    from dataclasses import dataclass

    from pydantic_ai.toolsets import WrapperToolset

    @dataclass
    class MockingToolset(WrapperToolset[Any]):
        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            mock = mock_of(llm, name)
            if mock is not None:
                return await mock(**tool_args)
            return await super().call_tool(name, tool_args, ctx, tool)

    toolsets = _toolsets(agent, given)
    # Beside an override, those of the run do not count.
    given.pop("toolsets", None)
    override: AbstractContextManager[Any] = agent.override(toolsets=[MockingToolset(toolset) for toolset in toolsets], tools=[])
    return override


def _add_events(events: list[RunEvent], messages: Iterable[Iterable[Any]], agent: Any) -> None:
    """Adds the events of the parts of messages."""
    for parts in messages:
        _add_events_of_message(events, parts, agent)


def _add_events_of_message(events: list[RunEvent], parts: Iterable[Any], agent: Any) -> None:
    text = ""
    for part in parts:
        kind = part.part_kind
        if kind == "text":
            text += part.content
            continue
        if text:
            events.append(ChatMessageEvent("assistant", text))
            text = ""
        if kind in ("tool-call", "builtin-tool-call", "native-tool-call"):
            if not _is_output(part, agent):
                events.append(FunctionCallEvent(part.tool_name, part.args_as_dict(), part.tool_call_id))
        elif kind in ("tool-return", "builtin-tool-return", "native-tool-return"):
            if not _is_output(part, agent):
                failed = getattr(part, "outcome", "success") not in ("success", None)
                output: Any = {"error": _plain(part.content)} if failed else _plain(part.content)
                events.append(FunctionCallOutputEvent(part.tool_name, output, failed, part.tool_call_id))
        elif kind == "retry-prompt" and part.tool_name is not None and not _is_output(part, agent):
            events.append(FunctionCallOutputEvent(part.tool_name, {"error": part.model_response()}, True, part.tool_call_id))
    if text:
        events.append(ChatMessageEvent("assistant", text))


def _is_output(part: Any, agent: Any) -> bool:
    """Whether a call is the structured output of the agent, which is its message."""
    return getattr(part, "tool_kind", None) == "output" or part.tool_name in _output_tools(agent)


def _output_tools(agent: Any) -> set[str]:
    schema: Any = getattr(agent, "_output_schema", None)
    toolset: Any = getattr(schema, "toolset", None)
    definitions: list[Any] = getattr(toolset, "_tool_defs", None) or []
    return {str(definition.name) for definition in definitions} or {"final_result"}


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=str)


def _as_text(output: Any) -> str:
    return json.dumps(_plain(output), ensure_ascii=False)
