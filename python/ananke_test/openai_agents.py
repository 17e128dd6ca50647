"""Agents of the OpenAI Agents SDK in this process: `pip install 'ananke-test[openai-agents]'`.

`TestSession(agent=agent)` is enough; `OpenAIAgent` adds what `Runner.run` takes, such as `context`.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ananke_test._events import Interrupt
from ananke_test._turn import Turn, as_mapping, own_turn

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

    from agents import Agent

# pytest shows no frames of this file.
__tracebackhide__ = True

__all__ = ["OpenAIAgent"]

_OF_CALLS = ["calls", "arguments", "results", "call_ends"]
"""The facts that calls show."""


class OpenAIAgent:
    """An agent of the SDK, with what each of its runs is given: `OpenAIAgent(agent, context=Database(), max_turns=5)`."""

    def __init__(self, agent: Agent[Any], **run: Any) -> None:
        self.agent = agent
        self.run = run


class OpenAIAgentsTurns:
    """A conversation with such an agent."""

    def __init__(self, llm: Any, instructions: str | None) -> None:
        agent, self._given = _parts(llm)
        self._agent = agent.clone(instructions=instructions) if instructions is not None else agent
        self._history: list[Any] = []
        self._state: Any = None
        self._open: list[Any] = []

    async def take(self, turn: Turn) -> None:
        """Says something to the agent, or answers calls that wait for an approval."""
        if turn.input is not None:
            await self._run(turn, [*self._history, {"role": "user", "content": turn.input}])
            return
        for answer in turn.answers:
            for item in self._open:
                if _call_id(item) == answer.id:
                    approves = not answer.cancelled and _is_approved(answer.payload)
                    (self._state.approve if approves else self._state.reject)(item)
        await self._run(turn, self._state)

    async def _run(self, turn: Turn, given: Any) -> None:
        from agents import Runner

        reports = _Reports(turn, self._agent)
        for hosted in _hosted(self._agent):
            turn.unread(f"tool:{hosted}", _OF_CALLS, "its provider runs it, and not this process")
        options = _options(self._given)
        hooks = _hooks(reports, options.pop("hooks", None))
        with _patched(self._agent):
            result: Any = await Runner.run(self._agent, given, hooks=hooks, **options)
        self._history = result.to_input_list()
        self._open = list(getattr(result, "interruptions", None) or [])
        self._state = result.to_state() if self._open else None
        for item in self._open:
            number = _call_id(item)
            name = str(getattr(item, "tool_name", None) or item.name)
            reports.call(number, name, _json_of(item.arguments or "{}"), self._agent)
            turn.interrupts.append(Interrupt(number, "approval", f"the call to {name} needs its approval", number))
        reports.final(result.final_output)

    async def close(self) -> None:
        """Needs nothing."""


class _Reports:
    """What a run does, while it does it. A call is reported once, wherever it is seen first."""

    def __init__(self, turn: Turn, agent: Any) -> None:
        self.turn = turn
        _reports[turn] = self
        self._agent = agent
        self._calls: dict[str, str] = {}
        self._results: set[str] = set()
        self._has_said = False
        """Whether the agent has said something since its last call."""

    def call(self, number: str, name: str, arguments: Any, agent: Any) -> None:
        """A call begins."""
        if number in self._calls:
            return
        self._calls[number] = name
        self._has_said = False
        self.turn.report_call(number, name, arguments, agent=self._other(agent))

    def result(self, number: str, name: str, output: Any, is_error: bool) -> None:
        """A call has ended."""
        if number not in self._results:
            self._results.add(number)
            self.turn.report_result(number, name, output, is_error)

    def response(self, response: Any, agent: Any) -> None:
        """A response of the model: what it says, and its tokens."""
        usage = response.usage
        if usage.input_tokens or usage.output_tokens:
            details = getattr(usage, "input_tokens_details", None)
            cached = getattr(details, "cached_tokens", None)
            self.turn.usage(usage.input_tokens, usage.output_tokens, cached_tokens=cached)
        for item in response.output:
            if item.type == "message":
                text = "".join(part.text for part in item.content if part.type == "output_text")
                self._has_said = self._has_said or bool(text)
                self.turn.say(text, agent=self._other(agent))
            elif item.type == "reasoning":
                summary: list[Any] = item.summary or []
                for part in summary:
                    self.turn.reason(part.text, agent=self._other(agent))

    def final(self, output: Any) -> None:
        """The output of the run: a message, if no response of the model was one."""
        if output is None or self._has_said:
            return
        self.turn.say(output if isinstance(output, str) else json.dumps(_plain(output), ensure_ascii=False))

    def _other(self, agent: Any) -> str | None:
        """The name of an agent that the conversation was handed to."""
        name = getattr(agent, "name", None)
        return str(name) if name is not None and name != self._agent.name else None


def _hooks(reports: _Reports, given: Any) -> Any:
    """The hooks of a run, which hand everything on to those that the test gives."""
    from agents import RunHooks

    own: Any = given if given is not None else RunHooks()

    class Observed(RunHooks[Any]):
        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            reports.response(response, agent)
            await own.on_llm_end(context, agent, response)

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            number = getattr(context, "tool_call_id", None)
            if number is not None:
                reports.call(number, _name_of(context, tool), _json_of(getattr(context, "tool_arguments", None) or "{}"), agent)
            else:
                reports.turn.unread(f"tool:{tool.name}", _OF_CALLS, "the SDK gives its calls no id", tool=tool.name)
            await own.on_tool_start(context, agent, tool)

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            number = getattr(context, "tool_call_id", None)
            if number is not None:
                reports.result(number, _name_of(context, tool), _json_of(result), False)
            await own.on_tool_end(context, agent, tool, result)

    hooks = Observed()
    for name in dir(RunHooks):
        if name.startswith("on_") and name not in vars(Observed):
            setattr(hooks, name, getattr(own, name))
    return hooks


def _name_of(context: Any, tool: Any) -> str:
    return str(getattr(context, "tool_name", None) or tool.name)


_reports: WeakKeyDictionary[Turn, _Reports] = WeakKeyDictionary()
"""The reports of the turns that run."""

_patches: dict[int, _Patch] = {}
"""The tools that are observed now, by their identity."""


class _Patch:
    """A tool whose function is observed, for as long as a run needs it. Several runs share it."""

    def __init__(self, tool: Any) -> None:
        self.runs = 0
        # The SDK turns an exception of a tool into a text, further outside than this function; a tool that is no function has none.
        invoker = tool.on_invoke_tool
        self._owner, self._name = (
            (invoker, "_invoke_tool_impl") if hasattr(invoker, "_invoke_tool_impl") else (tool, "on_invoke_tool")
        )
        self._real = getattr(self._owner, self._name)
        setattr(self._owner, self._name, _observed(tool, self._real))
        self.tool = tool

    def restore(self) -> None:
        setattr(self._owner, self._name, self._real)


def _observed(tool: Any, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    async def invoke(context: Any, text: str) -> Any:
        turn = own_turn()
        reports = _reports.get(turn) if turn is not None else None
        if reports is None:
            return await real(context, text)
        number, name = context.tool_call_id, _name_of(context, tool)
        arguments = _json_of(text or "{}")
        # Calls of an agent inside a tool are seen here alone.
        reports.call(number, name, arguments, None)
        mock = reports.turn.mock(name)
        with reports.turn.inside(number):
            try:
                result = await (mock(**arguments) if mock is not None else real(context, text))
            except Exception as error:
                reports.result(number, name, {"error": str(error)}, True)
                raise
        reports.result(number, name, _json_of(result), False)
        return result

    return invoke


@contextmanager
def _patched(agent: Any) -> Generator[None, None, None]:
    """A block in which the tools of an agent are observed. Afterwards they are what they were."""
    with ExitStack() as undo:
        for tool in _tools(agent):
            patch = _patches.get(id(tool)) or _patches.setdefault(id(tool), _Patch(tool))
            patch.runs += 1
            undo.callback(_leave, patch)
        yield


def _leave(patch: _Patch) -> None:
    """Ends a run's use of a tool."""
    patch.runs -= 1
    if patch.runs == 0:
        del _patches[id(patch.tool)]
        patch.restore()


def _agents(agent: Any, seen: list[Any] | None = None) -> Iterator[Any]:
    """The agent, those it hands over to, and those that are its tools; each once."""
    known: list[Any] = seen if seen is not None else []
    if any(other is agent for other in known):
        return
    known.append(agent)
    yield agent
    for handoff in agent.handoffs:
        other = handoff if hasattr(handoff, "tools") else getattr(handoff, "_agent_ref", lambda: None)()
        if other is not None:
            yield from _agents(other, known)
    for tool in agent.tools:
        inner = getattr(tool, "_agent_instance", None)
        if inner is not None:
            yield from _agents(inner, known)


def _tools(agent: Any) -> Iterator[Any]:
    """The tools that this process runs, each once."""
    seen: set[int] = set()
    for owner in _agents(agent):
        for tool in owner.tools:
            if hasattr(tool, "on_invoke_tool") and id(tool) not in seen:
                seen.add(id(tool))
                yield tool


def _hosted(agent: Any) -> list[str]:
    """The names of the tools that this process does not run."""
    return sorted({str(tool.name) for owner in _agents(agent) for tool in owner.tools if not hasattr(tool, "on_invoke_tool")})


class OpenAIAgentsAdapter:
    """Agents of the OpenAI Agents SDK."""

    def begin(self, llm: Any, instructions: str | None) -> OpenAIAgentsTurns:
        """A conversation of its own."""
        return OpenAIAgentsTurns(llm, instructions)

    def tool_names(self, llm: Any) -> list[str]:
        """The functions of the agent, and of those it hands over to."""
        return [str(tool.name) for tool in _tools(_parts(llm)[0])]

    def replace_tools(self, llm: Any, mocks: Mapping[str, AsyncMock]) -> Callable[[], None]:  # noqa: ARG002 the protocol has them
        """Needs nothing: mocks are looked up at each call."""
        return lambda: None

    async def judge(self, llm: Any, instructions: str, question: str) -> str:
        """The answer to a question, without a conversation."""
        from agents import Runner

        agent, given = _parts(llm)
        judge = agent.clone(instructions=instructions, tools=[], handoffs=[], output_type=None)
        return str((await Runner.run(judge, question, **_options(given))).final_output)


def adapter_of_openai_agent(llm: Any) -> OpenAIAgentsAdapter | None:
    """The adapter, if it is an agent of the SDK."""
    if isinstance(llm, OpenAIAgent):
        return OpenAIAgentsAdapter()
    # If there is an agent, its package was imported. A module of a project may have the same name.
    kind = getattr(sys.modules.get("agents"), "Agent", None)
    if isinstance(kind, type) and kind.__module__ == "agents.agent" and isinstance(llm, kind):
        return OpenAIAgentsAdapter()
    return None


def _parts(llm: Any) -> tuple[Any, dict[str, Any]]:
    return (llm.agent, llm.run) if isinstance(llm, OpenAIAgent) else (llm, {})


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is given."""
    options = {**given}
    if "run_config" not in options and "OPENAI_API_KEY" not in os.environ:
        from agents import RunConfig

        # Without a key, the SDK would complain at the end of each run that it cannot send its traces.
        options["run_config"] = RunConfig(tracing_disabled=True)
    return options


def _call_id(item: Any) -> str:
    number = getattr(item, "call_id", None)
    if number is not None:
        return str(number)
    keys = as_mapping(item.raw_item)
    return str(keys["call_id"] if keys is not None else item.raw_item.call_id)


def _is_approved(payload: Any) -> bool:
    """`True`, or an object whose `approved` is true, as agents of AG-UI take it."""
    return payload is True or (isinstance(payload, Mapping) and payload.get("approved") is True)  # pyright: ignore[reportUnknownMemberType]


def _json_of(value: Any) -> Any:
    """The object or the list that a text of JSON is; other values as they are."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=str)
