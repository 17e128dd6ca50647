"""The program: its end, and what goes wrong on the way."""

import asyncio
import multiprocessing
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ananke_test import FunctionLLM, ProgramError, SyncTestSession, TestSession
from ananke_test._connection import LONGEST_LINE, Connection, connection
from ananke_test._errors import RequestError
from tests.conftest import call, scripted


async def test_one_program_for_all_sessions() -> None:
    before = connection()
    async with TestSession(llm=scripted("a")) as one, TestSession(llm=scripted("b")) as two:
        await asyncio.gather(one.run("go"), two.run("go"))
    assert connection() is before


async def test_a_program_that_is_killed_in_a_run() -> None:
    async def model(messages: Any, tools: Any) -> str:
        connection().process.kill()
        await asyncio.sleep(60)
        return "never"

    session = TestSession(llm=FunctionLLM(model))
    await session.start()
    with pytest.raises(ProgramError, match="the program `ananke` ended with the exit code"):
        await session.run("go")
    with pytest.raises(ProgramError):
        await session.run("again")
    await session.close()
    async with TestSession(llm=scripted("ok")) as fresh:
        result = await fresh.run("go")
    result.check("text: ok")


async def test_rules_apply_after_the_end_of_the_program() -> None:
    async with TestSession(llm=scripted("Hello")) as session:
        result = await session.run("go")
    connection().close()
    result.check("text: Hello")
    with pytest.raises(AssertionError):
        result.check("text: Bye")


def test_a_program_that_is_not_ananke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "ananke"
    other.write_text(f"#!{sys.executable}\nimport sys\nprint('hello')\nsys.stdin.read()\n")
    other.chmod(0o755)
    monkeypatch.setenv("ANANKE_PROGRAM", str(other))
    with pytest.raises(ProgramError, match="wrote something that is not its protocol"):
        Connection()
    other.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('error: a library is missing')\n")
    with pytest.raises(ProgramError, match="ended with the exit code 1:\nerror: a library is missing"):
        Connection()
    monkeypatch.setenv("ANANKE_PROGRAM", str(tmp_path / "nothing"))
    with pytest.raises(ProgramError, match="cannot be started"):
        Connection()


def test_a_program_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "ananke"
    other.write_text(
        f"#!{sys.executable}\n"
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "sys.stdin.readline()\n"
        'print(\'{"jsonrpc":"2.0","id":1,"result":{"protocol":1}}\', flush=True)\n'
        "time.sleep(600)\n"
    )
    other.chmod(0o755)
    monkeypatch.setenv("ANANKE_PROGRAM", str(other))
    monkeypatch.setattr("ananke_test._connection.ENDING", 0.2)
    stubborn = Connection()
    stubborn.close()
    assert stubborn.process.returncode == -9


def test_another_version_of_the_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "ananke"
    other.write_text(
        f"#!{sys.executable}\nimport sys\nsys.stdin.readline()\n"
        'print(\'{"jsonrpc":"2.0","id":1,"result":{"protocol":9}}\', flush=True)\nsys.stdin.read()\n'
    )
    other.chmod(0o755)
    monkeypatch.setenv("ANANKE_PROGRAM", str(other))
    with pytest.raises(ProgramError, match="version 9 of the protocol"):
        Connection()


def test_what_cannot_be_written() -> None:
    program = connection()
    with pytest.raises(ValueError, match="are too long"):
        program.submit("session/open", {"instructions": "x" * LONGEST_LINE})
    with pytest.raises(ValueError, match="surrogates"):
        program.submit("session/open", {"instructions": "\ud800"})
    with pytest.raises(RequestError, match="there is no method"):
        program.call("session/opn", {})


async def test_large_texts() -> None:
    text = "ä" * (4 << 20)
    llm = scripted(call("f", {}), text)
    llm.register_function(name="f")(lambda: text)
    async with TestSession(llm=llm) as session:
        result = await session.run(text)
    assert result.expect.next_event(type="function_call_output").event().output == text
    assert result.expect.next_event(type="message").event().content == text


async def test_text_that_is_not_unicode() -> None:
    llm = scripted(call("f", {}), "ok")
    llm.register_function(name="f")(lambda: "\ud800")
    async with TestSession(llm=llm) as session:
        result = await session.run("go")
        with pytest.raises(ValueError, match="surrogates"):
            await session.run("\ud800")
    result.expect.contains_function_call_output(is_error=True)


def test_sessions_in_several_threads_and_loops() -> None:
    errors: list[BaseException] = []

    async def talk() -> None:
        async with TestSession(llm=scripted("a", "b")) as session:
            (await session.run("go")).check("text: a")
            (await session.run("go")).check("text: b")

    def work() -> None:
        try:
            asyncio.run(talk())
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_loop_that_is_closed_while_a_call_comes() -> None:
    session = TestSession(llm=scripted("a", "b"))

    async def first() -> None:
        await session.start()
        await session.run("go")

    asyncio.run(first())

    async def second() -> None:
        (await session.run("go")).expect.contains_message()
        await session.close()

    asyncio.run(second())


def _child(results: Any) -> None:
    with SyncTestSession(scripted("of the child")) as session:
        results.put(session.run("go").events[0].content)  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_was_forked_has_a_program_of_its_own() -> None:
    with SyncTestSession(scripted("of the parent", "again")) as session:
        session.run("go")
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        child = context.Process(target=_child, args=(results,))
        child.start()
        assert results.get(timeout=60) == "of the child"
        child.join()
        assert session.run("go").expect.next_event(type="message").event().content == "again"


def test_a_turn_takes_little_time() -> None:
    llm = FunctionLLM(lambda messages, tools: "ok")
    with SyncTestSession(llm) as session:
        session.run("go")
        started = time.perf_counter()
        for _ in range(20):
            session.run("go")
    assert (time.perf_counter() - started) / 20 < 1.0
