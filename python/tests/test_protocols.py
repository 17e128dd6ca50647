"""Sessions with models of the Messages API and with backends of `useChat`, which `ananke mock` serves."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from ananke_test import SyncTestSession, Target, TestSession
from ananke_test._program import find_program

# Requests of `useChat` declare no tools: the server knows those that the client executes.
DESK = """
version: "1.4"
target:
  type: scripted
  client_tools: [{ name: confirm }]
  rules:
    - when: { user: "Cancel" }
      do:
        - call: { tool: confirm, args: { order: O-7 } }
        - say: "It is cancelled."
    - when: { user: "again", turn: 2 }
      do: [{ say: "That was your second question." }]
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scripted agent."""
    config = tmp_path_factory.mktemp("desk") / "ananke.config.yaml"
    config.write_text(DESK)
    words = [str(find_program()), "mock", "--speed", "max", "--config", str(config)]
    served = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with served:
        assert served.stdout is not None
        yield served.stdout.readline().strip()
        served.terminate()


# What a target has in addition to its endpoint.
TARGETS = [{"type": "anthropic", "model": "m"}, {"type": "ai-sdk"}]


def endpoint(desk: str, target: dict[str, Any]) -> str:
    return f"{desk}/api/chat" if target["type"] == "ai-sdk" else desk


@pytest.mark.parametrize("keys", TARGETS, ids=lambda keys: str(keys["type"]))
async def test_two_turns_with_a_tool_of_the_client(desk: str, keys: dict[str, Any]) -> None:
    target = Target(**keys, endpoint=endpoint(desk, keys))
    asked: list[str] = []

    @target.register_function(description="Asks the user.")
    def confirm(order: str) -> dict[str, bool]:
        asked.append(order)
        return {"confirmed": True}

    async with TestSession(llm=target) as session:
        result = await session.run("Cancel O-7")
        result.expect.next_event().is_function_call("confirm", {"order": "O-7"})
        result.expect.next_event().is_function_call_output({"confirmed": True})
        result.expect.next_event().is_message("assistant")
        result.expect.no_more_events()
        result.check("tools: { require: [{ name: confirm, count: 1, result: { confirmed: true } }] }")
        with pytest.raises(AssertionError, match="`confirm` was called, which is forbidden"):
            result.check("tools: { forbid: [confirm] }")
        # A server of these protocols has nothing but the request, so it counts the turns in it.
        (await session.run("And again?")).check("{ text: { equals: That was your second question. }, tools: { max_calls: 0 } }")
    assert asked == ["O-7"]


@pytest.mark.parametrize("keys", TARGETS, ids=lambda keys: str(keys["type"]))
def test_a_tool_that_raises(desk: str, keys: dict[str, Any]) -> None:
    target = Target(**keys, endpoint=endpoint(desk, keys))

    @target.register_function()
    def confirm(order: str) -> None:
        raise LookupError(f"no user to ask about {order}")

    with SyncTestSession(target) as session:
        result = session.run("Cancel O-7")
    result.expect.contains_function_call_output(is_error=True)
    result.check("tools: { require: [{ name: confirm, is_error: true, result_match: no user to ask about O-7 }] }")
