"""Sessions with agents that ananke reaches."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from ananke_test import AgentError, SyncTestSession, Target, TestSession
from tests.chat_server import ChatServer
from tests.conftest import call

CONFIG = """
version: "1.4"
target: { type: scripted, rules: [{ do: [{ say: "the default" }] }] }
targets:
  other: { type: scripted, rules: [{ do: [{ say: "the other" }] }] }
"""


def said(target: Target) -> str:
    with SyncTestSession(target) as session:
        return session.run("Hi").expect.next_event(type="message").event().content


def test_targets_of_the_config_above(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "ananke.config.yaml").write_text(CONFIG)
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert said(Target()) == "the default"
    assert said(Target("other")) == "the other"
    with SyncTestSession() as session:
        assert session.run("Hi").expect.next_event(type="message").event().content == "the default"
    with pytest.raises(TypeError, match="a session with None is not possible"), SyncTestSession(None):
        pass
    with pytest.raises(ValueError, match=r"there is no target `othr`\nhelp: did you mean `other`\?"):
        said(Target("othr"))


def test_a_config_by_its_path(project: Path) -> None:
    (project / "a").mkdir()
    (project / "a" / "ananke.config.yaml").write_text(CONFIG)
    assert said(Target.of_config("a/ananke.config.yaml", "other")) == "the other"
    with pytest.raises(ValueError, match="config"):
        said(Target())


def test_a_target_in_place() -> None:
    assert said(Target(type="scripted", rules=[{"do": [{"say": "in place"}]}])) == "in place"
    with pytest.raises(ValueError, match="unknown key `endpont`"):
        said(Target(type="agui", endpont="http://127.0.0.1:1"))
    with pytest.raises(ValueError, match="needs its `type`"):
        said(Target(endpoint="http://127.0.0.1:1"))
    with pytest.raises(ValueError, match="not both"):
        Target("other", type="agui")


def test_the_environment_of_the_test(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "ananke.config.yaml").write_text(CONFIG.replace("the default", "${ENV.GREETING}"))
    monkeypatch.setenv("GREETING", "first")
    assert said(Target()) == "first"
    monkeypatch.setenv("GREETING", "second")
    assert said(Target()) == "second"


async def test_an_agent_that_fails(server: ChatServer) -> None:
    server.replies += [400]
    async with TestSession(llm=Target(type="openai", endpoint=server.endpoint, model="m")) as session:
        with pytest.raises(AgentError, match="400"):
            await session.run("Hi")


async def test_the_loop_goes_on_while_a_tool_runs(server: ChatServer) -> None:
    server.replies += [call("wait", {}), "done"]
    target = Target(type="openai", endpoint=server.endpoint, model="m")
    begun, ended = asyncio.Event(), asyncio.Event()

    @target.register_function()
    async def wait() -> str:
        begun.set()
        await ended.wait()
        return "waited"

    async with TestSession(llm=target, instructions="Wait.") as session:
        run = asyncio.create_task(session.run("go"))
        await begun.wait()
        ended.set()
        (await run).expect.contains_function_call_output("waited")
    assert server.requests[0]["messages"][0] == {"role": "system", "content": "Wait."}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("end", ["pass", "import os; os.kill(os.getpid(), 9)", "raise SystemExit(3)"])
def test_no_program_survives_the_end_of_python(end: str, tmp_path: Path) -> None:
    code = f"""
import asyncio
from ananke_test import FunctionLLM, TestSession
from ananke_test._connection import connection
async def main():
    session = TestSession(llm=FunctionLLM(lambda messages, tools: "ok"))
    await session.start()
    await session.run("go")
    print(connection().process.pid, flush=True)
asyncio.run(main())
{end}
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    number = int(ran.stdout)
    for _ in range(100):
        if not Path(f"/proc/{number}").exists() or "Z" in Path(f"/proc/{number}/stat").read_text().split(")")[1][:3]:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    pytest.fail(f"the program {number} still runs: {ran.stderr}")


def test_without_a_config_the_remedy_is_in_python(project: Path) -> None:
    assert not list(project.iterdir())
    with pytest.raises(ValueError, match=r"no `ananke\.config\.yaml` .*\nhelp: .*`Target\.of_config\(PATH\)`.*`llm=agent`"):
        SyncTestSession().start()
