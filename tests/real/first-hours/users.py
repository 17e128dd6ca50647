"""Seven users, as in the first paragraph of a review: each has an agent, and asks it three times, with a call in the first turn."""

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import three_hundred
from hour import ANANKE, HERE, ROOT, Hour, Red, StumbleError, free_port
from pages import printed, with_answer

THREE_TURNS = HERE.parent / "frameworks" / "three-turns.test.yaml"
# A YAML test that expects another text; the message quotes both.
OTHER_TEXT = r"contains `(?P<expected>[^`]*)`(?s:.*?)agent:   (?P<found>[^\n]*)"
# What `ananke init` sends to a server that speaks no protocol it knows.
MOST_POSTS = 5
OTHER_ARGUMENT = r'\{"city": "(?P<found>Rome)" ≠ "(?P<expected>Roma)"\}'


@dataclass
class Machine:
    """What is installed, and the variables of every command."""

    environment: dict[str, str]
    """The variables; the model answers at `OPENAI_BASE_URL`."""
    pydantic_ai: Path
    """The Python with pydantic-ai and pytest."""
    openai_agents: Path
    """The Python with the OpenAI Agents SDK."""
    node: Path
    """The Node.js that runs the packages."""
    node_packages: Path
    """The folder of these packages, in which the users of Node work."""
    copilotkit: Path
    """The folder of packages with the runtime of CopilotKit."""

    def hour(self, name: str, **environment: str) -> Hour:
        """The first hour of a user, in an empty directory."""
        return Hour(name, self.environment | environment)


def pytest(machine: Machine) -> Hour:
    """pydantic-ai, with pytest in the process."""
    hour = machine.hour("pytest", PYTHONPATH=str(ROOT / "python"), ANANKE_PROGRAM=str(ANANKE))
    hour.write("weather")
    (hour.folder / "pyproject.toml").write_text(printed("python.md", "and its settings in `pyproject.toml`"))
    command = [machine.pydantic_ai, "-m", "pytest", "-q", "-p", "ananke_test.pytest_plugin", "-p", "no:cacheprovider"]
    passed = ("3 passed",)
    first = hour.type(*command, says=passed, step="green")
    if "warning" in first.lower():
        raise StumbleError("the setting of the page warns", first)
    place = r"{file}:(\d+): AssertionError"
    argument = Red(
        "test_desk.py",
        'arguments={"city": "Rome"}',
        'arguments={"city": "Roma"}',
        r'event 1 of 3: expected the argument `city` of get_weather to be "(?P<expected>Roma)", found "(?P<found>Rome)"',
        place,
    )
    text = Red(
        "test_desk.py",
        '.check("text: Rome")',
        '.check("text: Milan")',
        r"nothing the agent said in this turn contains `(?P<expected>Milan)`\n(?s:.*?)said: (?P<found>[^\n]*)",
        place,
    )
    hour.red_and_green([argument, text], *command, says=passed)
    return hour


def ai_sdk(machine: Machine) -> Hour:
    """The AI SDK of Vercel with a server of MCP: YAML, then vitest, then the server itself."""
    path = f"{machine.node}{os.pathsep}{machine.environment['PATH']}"
    hour = machine.hour("node/ai-sdk", PATH=path, ANANKE_PROGRAM=str(ANANKE))
    hour.ananke("init", "--for", "node", says=("1 passed",))
    program = hour.folder / "agent.mjs"
    program.write_text(with_answer(program.read_text(), "agent.mjs", printed("connect.md", "<!-- bridge mcp for node -->")))
    hour.write("ai-sdk")
    first = hour.ananke("run", says=("1 passed",), step="green")
    if "warning" in first:
        raise StumbleError("the first run warns", first)
    # The wrong one is an argument.
    argument = Red("agent.test.yaml", "args: { city: Rome }", "args: { city: Roma }", OTHER_ARGUMENT)
    hour.red_and_green([argument], ANANKE, "run", says=("1 passed",))

    (hour.folder / "yaml.test.ts").write_text(printed("node.md", "The file `tests/yaml.test.ts`:"))
    vitest = [machine.node / "node", machine.node_packages / "vitest" / "vitest.mjs", "run"]
    hour.type(*vitest, says=("2 passed",), step="vitest")
    call = Red(
        "agent.test.ts",
        '{ city: "Rome" });',
        '{ city: "Roma" });',
        r'expected the argument `city` of get_weather to be "(?P<expected>Roma)", found "(?P<found>Rome)"',
        r"{file}:(\d+):",
    )
    hour.red_and_green([call], *vitest, says=("2 passed",))
    hour.ananke("init", "tools", "--", "node", "server.mjs", says=("passed", "tools.test.yaml"), step="MCP")
    return hour


def approval(machine: Machine) -> Hour:
    """pydantic-ai behind CopilotKit, with an approval: the same tests at the agent and at the runtime."""
    hour = machine.hour("approval")
    hour.write("approval")
    (hour.folder / "node_modules").symlink_to(machine.copilotkit)
    agent, runtime = free_port(), free_port()
    program = (
        printed("connect.md", "<!-- runtime copilotkit -->")
        .replace(":8000", f":{agent}")
        .replace("(3000)", f'({runtime}, "127.0.0.1")')
    )
    (hour.folder / "runtime.mjs").write_text(program.replace("weather:", "shop:"))
    # CopilotKit reports how it is used, unless the variable is set.
    with (
        hour.server(machine.pydantic_ai, "server.py", port=agent),
        hour.server(machine.node / "node", "runtime.mjs", port=runtime, COPILOTKIT_TELEMETRY_DISABLED="true"),
    ):
        hour.ananke("init", "direct", f"http://127.0.0.1:{agent}/", says=("1 passed",))
        hour.ananke("init", "runtime", f"http://127.0.0.1:{runtime}/api/copilotkit", "--agent", "shop", says=("1 passed",))
        for door in ("direct", "runtime"):
            for test in ("approve", "refuse"):
                shutil.copy(hour.folder / f"{test}.test.yaml", hour.folder / door)
            command = [ANANKE, "run", "--config", f"{door}/ananke.config.yaml", door]
            hour.type(*command, says=("3 passed",), step="green")
            text = Red(f"{door}/approve.test.yaml", "text: Nothing is left.", "text: Something is left.", OTHER_TEXT)
            hour.red_and_green([text], *command, says=("3 passed",))
            forgotten(hour, door, command)
    return hour


def forgotten(hour: Hour, door: str, command: list) -> None:
    """A test without the answer to the interrupt: the message says which turn is missing, and what it answers."""
    turn = (
        "  - type: agui:resume\n"
        "    resume: [{ tool: delete_order, status: cancelled }]\n"
        "    assert:\n"
        "      text: Order O-7 is kept.\n"
    )
    file = f"{door}/refuse.test.yaml"
    hour.edit(file, turn, "")
    said = hour.type(*command, exit_code=1)
    for text in ("about `delete_order`: Approve delete_order", "`resume` turn"):
        if text not in said:
            raise StumbleError(f"a forgotten answer does not say {text}", said)
    hour.edit(file, '  - user: "What is left?"\n', turn + '  - user: "What is left?"\n')
    hour.type(*command, says=("3 passed",))


def cases(machine: Machine) -> Hour:
    """Cases as JSON lines for a model with tools, with a judge, a simulator and several runs."""
    hour = machine.hour("cases")
    hour.ananke("init", machine.environment["OPENAI_BASE_URL"], "--agent", "gpt-4o", says=("1 passed",), step="green")
    shutil.copy(HERE / "cases" / "cases.jsonl", hour.folder)
    with (hour.folder / "ananke.config.yaml").open("a") as config:
        config.write((HERE / "cases" / "more-of-the-config.txt").read_text())
    command = [ANANKE, "run", "cases.jsonl"]
    passed = ("3 passed", "1 test was judged by agents: 1 passed")
    hour.type(*command, says=passed)
    hour.type(*command, "--runs", "3", says=("all 3 runs passed",), step="three runs")
    text = Red("cases.jsonl", "It will rain.", "It will snow.", r"`(?P<expected>It will snow\.)`(?s:.*?)agent:   (?P<found>[^\n]*)")
    hour.red_and_green([text], *command, "--runs", "3", says=("3 passed",))
    hour.edit("ananke.config.yaml", '"output":"[^"]*clear', '"output":"[^"]*cloudy')
    hour.type(*command, exit_code=1, says=("cases.jsonl:9", "it does not say the sky"))
    hour.edit("ananke.config.yaml", '"output":"[^"]*cloudy', '"output":"[^"]*clear')
    hour.type(*command, says=passed)
    return hour


def platform(machine: Machine) -> Hour:
    """300 tests in CI, in three shards, of which 39 fail for 7 causes: one is in the tests, six are in the agent."""
    hour = machine.hour("platform", CI="true")
    hour.write("orders")
    port = free_port()
    three_hundred.write(hour.folder, f"http://127.0.0.1:{port}/")
    server = [machine.node / "node", "shop.mjs"]
    parts = [f"part-{shard}.json" for shard in (1, 2, 3)]
    with hour.server(*server, port=port):
        for shard, part in enumerate(parts, 1):
            # Each has some of the 39.
            hour.ananke("run", "--shard", f"{shard}/3", "-o", part, exit_code=1, says=("run them again",), step=f"shard {shard}")
    outputs = [argument for file in ("junit.xml", "all.json", "all.md") for argument in ("-o", file)]
    said = hour.ananke("report", *parts, *outputs, exit_code=1, says=("300 tests: 261 passed",), step="merge")
    causes_of_reports(hour.folder)
    hour.ananke("report", *parts[:2], exit_code=1, says=("shard 3/3 is missing",))
    places = by_cause(said)
    for place in places["nothing the agent said in this turn contains `is in transit`"]:
        file, line = place.split(":")
        lines = (hour.folder / file).read_text().split("\n")
        if "is in transit" not in lines[int(line) - 1]:
            raise StumbleError(f"{place} is the wrong place: `{lines[int(line) - 1].strip()}`", said)
        lines[int(line) - 1] = lines[int(line) - 1].replace("is in transit", "is sent")
        (hour.folder / file).write_text("\n".join(lines))
    with hour.server(*server, "mended", port=port):
        hour.ananke("run", "--last-failed", says=("39 passed",), step="remedy")
        hour.ananke("run", says=("300 tests: 300 passed",), step="all 300")
    return hour


def causes_of_reports(folder: Path) -> None:
    """Fails unless each report of the merge has all causes, and no more."""
    causes = json.loads((folder / "all.json").read_text())["summary"]["causes"]
    rows = [line for line in (folder / "all.md").read_text().split("\n") if line.startswith(("| ✗ ", "| ! "))]
    messages = re.findall(r'<(?:failure|error) message="([^"]*)"', (folder / "junit.xml").read_text())
    tests = {
        "JSON": sorted(cause["tests"] for cause in causes),
        "Markdown": sorted(int(row.split(" | ")[1]) for row in rows),
        "JUnit": sorted(Counter(messages).values()),
    }
    expected = sorted(three_hundred.CAUSES.values())
    for report, counted in tests.items():
        if counted != expected:
            raise StumbleError(f"the causes of {report} have {counted} tests, expected {expected}", "\n".join(rows))


def by_cause(said: str) -> dict[str, list[str]]:
    """The places of each cause in the list at the end, which must have all causes with their numbers of tests."""
    listed = said[said.rindex("\nfailed\n") :].split("\n")
    places: dict[str, list[str]] = {cause: [] for cause in three_hundred.CAUSES}
    cause = None
    for line in listed:
        cause = next((named for named in three_hundred.CAUSES if named in line), cause)
        found = re.search(r"(tests/\S+:\d+)", line)
        if found and cause:
            places[cause].append(found[1])
    counted = {cause: len(found) for cause, found in places.items()}
    if counted != three_hundred.CAUSES:
        raise StumbleError(f"the causes have {counted}, expected {three_hundred.CAUSES}", said)
    return places


def http(machine: Machine) -> Hour:
    """An HTTP API of its own with server-sent events, described in the config."""
    hour = machine.hour("http")
    hour.write("api")
    port = free_port()
    with hour.server("python3", "api.py", port=port):
        front_door(hour, port)
        described(hour, "<!-- config http -->", port)
    return hour


def plain_json(machine: Machine) -> Hour:
    """An HTTP API of its own that does not stream, described in the config."""
    hour = machine.hour("plain-json")
    hour.write("api")
    port = free_port()
    with hour.server("python3", "api.py", port=port):
        described(hour, "<!-- config plain-json -->", port)
    return hour


def described(hour: Hour, before: str, port: int) -> None:
    """The config of the page: three turns, then a wrong argument and a wrong text."""
    config = printed("connect.md", before).replace(":8000", f":{port}")
    (hour.folder / "ananke.config.yaml").write_text(config)
    three_turns(hour)


def front_door(hour: Hour, port: int) -> None:
    """`ananke init` of the address: it asks a few times, says what to do instead, and writes nothing."""
    wrap = "write another body with `--body"
    said = hour.ananke("init", "chat", f"http://127.0.0.1:{port}/chat", exit_code=1, says=(wrap,), step="refusal")
    asked = (hour.folder / f"server-{port}.log").read_text().count('"POST ')
    if not 1 <= asked <= MOST_POSTS:
        raise StumbleError(f"`ananke init` of the address sends {asked} POSTs", said)
    if (hour.folder / "chat").exists():
        raise StumbleError("something was written for an agent that was not recognised", said)


def agents_sdk(machine: Machine) -> Hour:
    """The OpenAI Agents SDK, from its section of the page."""
    hour = machine.hour("agents-sdk")
    bridge(hour, "<!-- answer openai-agents -->", machine.openai_agents)
    return hour


def bridge(hour: Hour, before: str, python: object, port: int = 8000) -> None:
    """The generated program with a snippet of the page."""
    hour.ananke("init", "--for", "python", says=("1 passed",))
    program = hour.folder / "agent.py"
    program.write_text(with_answer(program.read_text(), "agent.py", printed("connect.md", before).replace(":8000", f":{port}")))
    hour.edit("ananke.config.yaml", "[python3, agent.py]", f"['{python}', agent.py]")
    three_turns(hour)


def three_turns(hour: Hour) -> None:
    """Three turns, then a wrong argument and a wrong text."""
    shutil.copy(THREE_TURNS, hour.folder / "agent.test.yaml")
    hour.ananke("run", says=("1 passed",), step="green")
    argument = Red("agent.test.yaml", "args: { city: Rome }", "args: { city: Roma }", OTHER_ARGUMENT)
    text = Red("agent.test.yaml", "text: It will rain.", "text: It will snow.", OTHER_TEXT)
    for red in (argument, text):
        hour.red_and_green([red], ANANKE, "run", says=("1 passed",))


USERS = {
    "pytest": pytest,
    "ai-sdk": ai_sdk,
    "approval": approval,
    "cases": cases,
    "platform": platform,
    "http": http,
    "plain-json": plain_json,
    "agents-sdk": agents_sdk,
}
