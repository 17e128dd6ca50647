"""Rules that look back to earlier turns: every kind of agent shows the whole conversation."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, DeferredToolRequests, FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from ananke_test import AgentError, FunctionLLM, PendingAnswer, RunResult, SyncTestSession, TestSession, mock_tools
from ananke_test._connection import connection
from ananke_test.pydantic_ai import PydanticAgent
from tests.fake_vision_agents import ReleasedLLM, install

Turn = list[str | tuple[str, dict[str, Any]]]
"""The replies of the agent in a turn: texts, and calls with their arguments."""

TOOLS: dict[str, Callable[..., Any]] = {
    "login": lambda user="ann": {"token": "token-8831"},
    "look": lambda: "seen",
    "pay": lambda amount=5, token="": {"paid": amount},
    "refuse": lambda: {"error": "no"},
}


def with_function(turns: list[Turn]) -> Any:
    """A model whose tools ananke executes."""
    replies = iter(reply for turn in turns for reply in turn)

    def model(messages: Any, tools: Any) -> Any:
        reply = next(replies)
        if isinstance(reply, str):
            return reply
        return {"tool_calls": [{"id": f"c{len(messages)}", "function": {"name": reply[0], "arguments": reply[1]}}]}

    llm = FunctionLLM(model)
    for name, function in TOOLS.items():
        llm.register_function(name)(function)
    return llm


def with_pydantic_ai(turns: list[Turn]) -> Any:
    """The same as an agent of pydantic-ai. Its calls have the same id in every turn, as models of tests have them."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        said = [index for index, message in enumerate(messages) if isinstance(message.parts[-1], UserPromptPart)]
        turn = turns[len(said) - 1]
        reply = turn[sum(isinstance(message, ModelResponse) for message in messages[said[-1] :])]
        if isinstance(reply, str):
            return ModelResponse(parts=[TextPart(reply)])
        return ModelResponse(parts=[ToolCallPart(reply[0], reply[1], f"c{len(messages) - said[-1]}")])

    agent = Agent(FunctionModel(model))
    for name, function in TOOLS.items():
        agent.tool_plain(name=name)(function)
    return agent


def with_vision_agents(turns: list[Turn]) -> Any:
    """The same as an LLM object of Vision-Agents, a fake one."""
    llm = ReleasedLLM(*(reply if isinstance(reply, str) else [reply] for turn in turns for reply in turn))
    for name, function in TOOLS.items():
        llm.register_function(name)(awaited(function))
    return llm


def awaited(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(**arguments: Any) -> Any:
        return function(**arguments)

    return call


AGENTS = [with_function, with_pydantic_ai, with_vision_agents]


@pytest.fixture(params=AGENTS, ids=lambda kind: str(kind.__name__))
def agent_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Turn]], Any]:
    """A kind of agents."""
    if request.param is with_vision_agents:
        install(monkeypatch)
    found: Callable[[list[Turn]], Any] = request.param
    return found


async def held(llm: Any, *inputs: str) -> list[RunResult]:
    """The results of a conversation."""
    async with TestSession(llm=llm) as session:
        return [await session.run(text) for text in inputs]


SHOP: list[Turn] = [
    [("look", {}), ("login", {"user": "ann"}), "You are logged in."],
    [("pay", {"amount": 5, "token": "token-8831"}), ("pay", {"amount": 7}), "Paid."],
]

PASS = [
    "tools: { require: [{ name: pay, after: login }] }",
    "tools: { require: [{ name: pay, after_result: login }] }",
    "tools: { require: [{ name: pay, count: 2 }] }",
    "tools: { require: [{ name: login, count: 0 }], forbid: [login] }",
    "sequence: { mode: exact, steps: [{ call: pay }, { result: pay }, { call: pay }, { result: pay }, { says: Paid }] }",
    "whenever: [{ call: pay, preceded_by: { call: login } }]",
    "whenever: [{ call: pay, preceded_by: [{ result: login }, { says: logged in }] }]",
    "whenever: [{ call: pay, preceded_by: { says: '^Log me in', role: user } }]",
    "whenever: [{ call: pay, not_preceded_by: { call: refuse } }]",
    "whenever: [{ call: pay, not_preceded_by: { call: login }, within: turn }]",
    "whenever: [{ call: pay, followed_by: { says: Paid } }]",
    "whenever: [{ call: pay, not_followed_by: { call: login } }]",
    "provenance: [{ of: { call: pay, arg: token }, from: [{ result: login, path: token }] }]",
]

FAIL = [
    ("tools: { require: [{ name: pay, after: refuse }] }", "tools.require"),
    ("tools: { require: [{ name: pay, after_result: refuse }] }", "tools.require"),
    ("tools: { require: [{ name: pay, count: 1 }] }", "tools.require"),
    ("tools: { require: [{ name: login }] }", "tools.require"),
    ("sequence: { mode: in_order, steps: [{ call: login }, { call: pay }] }", "sequence"),
    ("tools: { forbid_calls: [{ name: pay, args: { amount: 7 } }] }", "tools.forbid_calls"),
    ("whenever: [{ call: pay, preceded_by: { call: refuse } }]", "whenever"),
    ("whenever: [{ call: pay, not_preceded_by: { call: login } }]", "whenever"),
    ("whenever: [{ call: pay, not_preceded_by: { result: look } }]", "whenever"),
    ("whenever: [{ call: pay, not_preceded_by: { says: '^Log me in', role: user } }]", "whenever"),
    ("whenever: [{ call: pay, preceded_by: { call: login }, within: turn }]", "whenever"),
    ("whenever: [{ call: pay, followed_by: { call: login } }]", "whenever"),
    ("whenever: [{ call: pay, not_followed_by: { says: Paid } }]", "whenever"),
    ("provenance: [{ of: { call: pay, arg: token }, from: [{ result: look }] }]", "provenance"),
    ("provenance: [{ of: { call: pay, arg: token }, not_from: [results] }]", "provenance"),
]


async def test_rules_look_back_to_earlier_turns(agent_of: Callable[[list[Turn]], Any]) -> None:
    first, second = await held(agent_of(SHOP), "Log me in", "Pay twice")
    for block in PASS:
        assert second.findings(block) == [], block
    for block, rule in FAIL:
        assert [(finding["type"], finding["status"]) for finding in second.findings(block)], block
        assert {finding["type"].split("[")[0] for finding in second.findings(block)} == {rule}, block
        assert {finding["status"] for finding in second.findings(block)} == {"failed"}, block
    first.check("tools: { require: [{ name: login, after: look }], forbid: [pay] }")


async def test_the_program_may_have_ended(agent_of: Callable[[list[Turn]], Any]) -> None:
    _, second = await held(agent_of(SHOP), "Log me in", "Pay twice")
    connection().close()
    for block in PASS:
        assert second.findings(block) == [], block
    for block, rule in FAIL:
        assert {finding["type"].split("[")[0] for finding in second.findings(block)} == {rule}, block


async def test_two_sessions_at_once(agent_of: Callable[[list[Turn]], Any]) -> None:
    async def logs_in() -> None:
        (await held(agent_of(SHOP), "Log me in", "Pay twice"))[1].check(PASS[0])

    async def does_not() -> None:
        turns: list[Turn] = [["Hello."], [("pay", {}), "Paid."]]
        _, second = await held(agent_of(turns), "Hi", "Pay")
        assert second.findings(PASS[0])
        second.check("whenever: [{ call: pay, not_preceded_by: { call: login } }]")

    await asyncio.gather(logs_in(), does_not(), logs_in(), does_not())


def test_plain_functions(agent_of: Callable[[list[Turn]], Any]) -> None:
    with SyncTestSession(llm=agent_of(SHOP)) as session:
        session.run("Log me in")
        second = session.run("Pay twice")
    second.check(PASS[0])
    assert second.findings("whenever: [{ call: pay, not_preceded_by: { call: login } }]")


def raising_agent() -> Agent[Any, str]:
    """In its first two turns, one of three calls at once raises."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, UserPromptPart) and last.content == "Look":
            calls = [ToolCallPart(name, {}, name) for name in ("look", "slow", "explode")]
            return ModelResponse(parts=[TextPart("Let me see."), *calls])
        if isinstance(last, UserPromptPart) and last.content == "Pay":
            return ModelResponse(parts=[ToolCallPart("pay", {}, "look")])
        if isinstance(last, UserPromptPart) and last.content == "Fail":
            return ModelResponse(parts=[ToolCallPart("pay", {}, "look")])
        if "Fail" in str(messages):
            raise ConnectionError("no model")
        return ModelResponse(parts=[TextPart("Done.")])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    async def look() -> str:
        return "seen"

    @agent.tool_plain
    async def slow() -> str:
        await asyncio.sleep(60)
        return "never"

    @agent.tool_plain
    async def explode() -> str:
        await asyncio.sleep(0.01)
        raise LookupError("no such thing")

    @agent.tool_plain
    def pay() -> str:
        return "paid"

    return agent


async def test_events_before_a_tool_that_raises_are_kept() -> None:
    async with TestSession(llm=raising_agent()) as session:
        with pytest.raises(LookupError, match="no such thing") as raised:
            await session.run("Look")
        before = RunResult(raised.value.events)  # type: ignore[attr-defined]
        before.expect.next_event().is_message()
        for name in ("look", "slow", "explode"):
            before.expect.next_event().is_function_call(name)
        before.expect.contains_function_call_output("seen", is_error=False)
        before.expect.contains_function_call_output({"error": "no such thing"}, is_error=True)
        with pytest.raises(AgentError, match="the session is over"):
            await session.run("Pay")


async def test_a_model_that_raises_in_the_second_turn() -> None:
    async with TestSession(llm=raising_agent()) as session:
        await session.run("Hello")
        with pytest.raises(ConnectionError, match="no model") as raised:
            await session.run("Fail")
        events = RunResult(raised.value.events)  # type: ignore[attr-defined]
        events.expect.next_event().is_function_call("pay")
        events.expect.next_event().is_function_call_output("paid")
        events.expect.no_more_events()


async def test_a_run_that_is_cancelled() -> None:
    async with TestSession(llm=raising_agent()) as session:
        turn = asyncio.ensure_future(session.run("Look"))
        await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        with pytest.raises(AgentError, match="a run was cancelled"):
            await session.run("Pay")


async def test_an_error_keeps_its_own_events() -> None:
    class RefusedError(Exception):
        events = "its own"

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RefusedError

    async with TestSession(llm=Agent(FunctionModel(model))) as session:
        with pytest.raises(RefusedError) as raised:
            await session.run("Hi")
    assert raised.value.events == "its own"


async def test_a_call_and_its_approval_are_in_two_turns() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if isinstance(messages[-1].parts[-1], ToolReturnPart):
            return ModelResponse(parts=[TextPart("Paid.")])
        return ModelResponse(parts=[ToolCallPart("look", {}, "c1"), ToolCallPart("pay", {}, "c2")])

    agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])
    agent.tool_plain(name="look")(TOOLS["look"])
    agent.tool_plain(name="pay", requires_approval=True)(TOOLS["pay"])
    async with TestSession(llm=agent) as session:
        first = await session.run("Pay")
        second = await session.resume(PendingAnswer({"approved": True}))
    first.check("tools: { require: [{ name: pay, status: pending }, { name: look, status: executed }] }")
    second.expect.next_event().is_function_call_output({"paid": 5})
    second.expect.next_event().is_message()
    second.expect.no_more_events()
    second.check("whenever: [{ result: pay, preceded_by: [{ call: pay }, { result: look }, { says: Pay, role: user }] }]")
    assert second.findings("whenever: [{ result: pay, not_preceded_by: { result: look } }]")


async def test_mocks_of_toolsets_that_a_run_is_given() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(str(last.content))])
        return ModelResponse(parts=[ToolCallPart("look", {}, "c1")])

    toolset: FunctionToolset[Any] = FunctionToolset()
    toolset.add_function(TOOLS["look"], name="look")
    llm = PydanticAgent(Agent(FunctionModel(model)), toolsets=[toolset])
    async with TestSession(llm=llm) as session:
        with mock_tools(llm, {"look": lambda: "mocked"}):
            (await session.run("Hi")).expect.contains_function_call_output("mocked")
        (await session.run("Hi")).expect.contains_function_call_output("seen")


@pytest.mark.parametrize("is_reported", [True, False])
async def test_events_before_an_error_of_vision_agents_are_kept(monkeypatch: pytest.MonkeyPatch, is_reported: bool) -> None:
    install(monkeypatch)

    class FailingLLM(ReleasedLLM):
        async def _answer(self, text: str, participant: Any) -> str:
            answer = await super()._answer(text, participant)
            if answer == "raise":
                raise ConnectionError("no model")
            return answer

    llm = FailingLLM([("look", {})], ConnectionError("no model") if is_reported else "raise", [("pay", {})], "Paid.")
    for name, function in TOOLS.items():
        llm.register_function(name)(awaited(function))
    async with TestSession(llm=llm) as session:
        with pytest.raises(ConnectionError) as raised:
            await session.run("Look")
        assert len(raised.value.events) == 2  # type: ignore[attr-defined]
