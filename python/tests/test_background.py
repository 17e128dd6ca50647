"""Plain functions of async agents, each of which has a thread to itself while it runs."""

import asyncio
import multiprocessing
import sys
import threading
from typing import Any

import pytest

from ananke_test import TestSession, Turn, mock_tools, tool
from ananke_test._background import MOST_IDLE, called


async def test_functions_one_after_the_other_have_one_thread() -> None:
    # The identities of threads that have ended are used again, their objects are not.
    threads = {await called(threading.current_thread) for _ in range(50)}
    assert len(threads) == 1
    assert threading.current_thread() not in threads


async def test_functions_at_once_have_a_thread_each() -> None:
    count = 3 * MOST_IDLE
    together = threading.Barrier(count, timeout=30)
    await asyncio.gather(*(called(together.wait) for _ in range(count)))
    names = [thread.name for thread in threading.enumerate()]
    for _ in range(200):
        if names.count("ananke function") <= MOST_IDLE:
            break
        await asyncio.sleep(0.01)
        names = [thread.name for thread in threading.enumerate()]
    assert names.count("ananke function") <= MOST_IDLE


async def test_a_function_that_goes_on_after_a_cancellation_keeps_its_thread() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(30)

    task = asyncio.create_task(called(wait))
    await called(lambda: begun.wait(30))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.wait_for(called(lambda: 5), 10) == 5
    go_on.set()


@tool
def inner(depth: int) -> int:
    return depth


async def test_plain_tools_that_wait_for_each_other_do_not_wait_for_ever() -> None:
    def outer(turn: Turn, depth: int) -> Any:
        if depth == 0:
            return inner(0)
        return turn.call("outer", {"depth": depth - 1}, lambda depth: outer(turn, depth))

    async def agent(turn: Turn) -> str:
        made = (turn.call("outer", {"depth": 3}, lambda depth: outer(turn, depth)) for _ in range(20))
        return str(sum(await asyncio.gather(*made)))

    async def mocked(depth: int) -> int:
        return int(await called(lambda: depth + 1))

    with mock_tools(agent, {"inner": mocked}):
        async with TestSession(agent=agent, timeout=60) as session:
            result = await session.run("Hi")
    assert result.expect[-1].is_message().event().content == "20"
    result.check("tools: { require: [{ name: inner, count: 20 }, { name: outer, count: 80 }] }")


def call_a_function() -> None:
    async def main() -> None:
        assert await asyncio.wait_for(called(lambda: 5), 20) == 5

    asyncio.run(main())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_that_was_forked_has_threads_of_its_own() -> None:
    call_a_function()
    child = multiprocessing.get_context("fork").Process(target=call_a_function)
    child.start()
    child.join(60)
    assert child.exitcode == 0
