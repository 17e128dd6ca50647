"""Agents of pydantic-ai in this process: `pip install 'ananke-test[pydantic-ai]'`.

`TestSession(agent=agent)` is enough; `PydanticAgent` adds what `agent.run` takes, such as `deps`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ananke_test._events import Interrupt, PendingAnswer
from ananke_test._turn import Turn

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

    async def take(self, turn: Turn) -> None:
        """Says something to the agent, or answers calls that wait."""
        if turn.input is not None:
            await self._run(turn, user_prompt=turn.input)
        else:
            await self._run(turn, deferred_tool_results=self._results(turn.answers))

    def _results(self, answers: list[PendingAnswer]) -> Any:
        """Approvals, or the results of calls that are executed elsewhere."""
        from pydantic_ai import DeferredToolResults, ToolDenied

        results = DeferredToolResults()
        for answer in answers:
            number = str(answer.id)
            if self._open[number].is_approval:
                results.approvals[number] = ToolDenied() if answer.cancelled or not _is_approved(answer.payload) else True
            else:
                results.calls[number] = ToolDenied() if answer.cancelled else answer.payload
        return results

    async def _run(self, turn: Turn, **asked: Any) -> None:
        from pydantic_ai import Agent, DeferredToolRequests

        given = {**self._given, "message_history": self._history or None}
        reports = _Reports(turn, self._agent)
        # The first step of a resumed run is a response that was reported in the turn before.
        is_known = turn.input is None
        with _observed(turn, self._agent, given):
            async with self._agent.iter(**asked, **given) as run:
                async for node in run:
                    if not Agent.is_call_tools_node(node):
                        continue
                    if not is_known:
                        reports.response(node.model_response)
                    is_known = False
                    async with node.stream(run.ctx) as events:
                        async for event in events:
                            reports.event(event)
        result: Any = run.result
        self._history = result.all_messages()
        reports.rest(result.new_messages())
        self._open = {}
        if isinstance(result.output, DeferredToolRequests):
            waiting: Any = result.output
            self._open |= {call.tool_call_id: _OpenCall(call.tool_name, True) for call in waiting.approvals}
            self._open |= {call.tool_call_id: _OpenCall(call.tool_name, False) for call in waiting.calls}
        elif not isinstance(result.output, str):
            turn.say(_as_text(result.output))
        turn.interrupts.extend(call.interrupt(number) for number, call in self._open.items())

    async def close(self) -> None:
        """Needs nothing."""


class _Reports:
    """What a run does, while it does it. A call is reported once, wherever it is seen first."""

    def __init__(self, turn: Turn, agent: Any) -> None:
        self._turn = turn
        self._output_tools = _output_tools(agent)
        self._calls: set[str] = set()
        self._results: set[str] = set()

    def response(self, response: Any) -> None:
        """Takes a response of the model: its texts, the calls that its provider has executed, and its tokens."""
        usage = response.usage
        if usage.has_values():
            self._turn.usage(
                usage.input_tokens,
                usage.output_tokens,
                cached_tokens=usage.cache_read_tokens,
                model=response.model_name,
            )
        text = ""
        for part in response.parts:
            if part.part_kind == "text":
                text += part.content
                continue
            self._turn.say(text)
            text = ""
            if part.part_kind == "thinking":
                self._turn.reason(part.content)
            elif part.part_kind in _PROVIDER_CALLS:
                self._call(part)
            elif part.part_kind in _PROVIDER_RETURNS:
                self._result(part)
        self._turn.say(text)

    def event(self, event: Any) -> None:
        """Takes the begin or the end of a call."""
        if event.event_kind == "function_tool_call":
            self._call(event.part)
        elif event.event_kind == "function_tool_result":
            self._result(getattr(event, "part", None) or event.result)

    def rest(self, messages: Iterable[Any]) -> None:
        """Takes what no event has shown."""
        for message in messages:
            for part in message.parts:
                if part.part_kind in ("tool-call", *_PROVIDER_CALLS):
                    self._call(part)
                elif part.part_kind in ("tool-return", "retry-prompt", *_PROVIDER_RETURNS):
                    self._result(part)

    def _call(self, part: Any) -> None:
        if part.tool_call_id in self._calls or self._is_output(part):
            return
        self._calls.add(part.tool_call_id)
        try:
            arguments: Any = part.args_as_dict()
        except ValueError:
            # What the model wrote is not a JSON object.
            arguments = part.args
        self._turn.report_call(part.tool_call_id, part.tool_name, arguments)

    def _result(self, part: Any) -> None:
        # A retry without a tool is about the output.
        if part.tool_name is None or part.tool_call_id in self._results or self._is_output(part):
            return
        self._results.add(part.tool_call_id)
        if part.part_kind == "retry-prompt":
            self._turn.report_result(part.tool_call_id, part.tool_name, {"error": part.model_response()}, True)
            return
        failed = getattr(part, "outcome", "success") not in ("success", None)
        content = _plain(part.content)
        self._turn.report_result(part.tool_call_id, part.tool_name, {"error": content} if failed else content, failed)

    def _is_output(self, part: Any) -> bool:
        """Whether a call is the structured output of the agent, which is its message."""
        return getattr(part, "tool_kind", None) == "output" or part.tool_name in self._output_tools


_PROVIDER_CALLS = ("builtin-tool-call", "native-tool-call")

_PROVIDER_RETURNS = ("builtin-tool-return", "native-tool-return")


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


def _observed(turn: Turn, agent: Any, given: dict[str, Any]) -> AbstractContextManager[Any]:
    """Tools that are mocked, and whose exceptions are reported before they end the run."""
    from dataclasses import dataclass

    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
    from pydantic_ai.toolsets import WrapperToolset

    @dataclass
    class ObservedToolset(WrapperToolset[Any]):
        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            mock = turn.mock(name)
            try:
                if mock is not None:
                    return await mock(**tool_args)
                return await super().call_tool(name, tool_args, ctx, tool)
            except (ApprovalRequired, CallDeferred, ModelRetry):
                # The model or the user is asked: the run goes on.
                raise
            except Exception as error:
                turn.report_result(ctx.tool_call_id, name, {"error": str(error)}, True)
                raise

    toolsets = _toolsets(agent, given)
    # Beside an override, those of the run do not count.
    given.pop("toolsets", None)
    override: AbstractContextManager[Any] = agent.override(toolsets=[ObservedToolset(toolset) for toolset in toolsets], tools=[])
    return override


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
