"""The examples of the documents: each block of Python runs, in the order of its page."""

import asyncio
import inspect
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.test_pytest_plugin import PLUGIN

DOCS = Path(__file__).parent.parent.parent / "docs"

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

CONFIG = """
version: "1.4"
target:
  type: scripted
  rules:
    - when: { user: "Paris" }
      do:
        - call: { tool: get_weather, args: { city: Paris }, result: { degrees: 21 } }
        - say: "It is 21 degrees in Paris."
    - when: { user: "Transfer" }
      do: [{ interrupt: { id: i1, reason: confirmation, message: "Transfer 100 to Ann?" } }]
    - do: [{ say: "Done." }]
"""


def blocks(page: str) -> list[tuple[int, str]]:
    """The blocks of a page with their lines."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)) + 1, found[1]) for found in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", ["python.md", "pytest.md"])
def test_every_block_runs(page: str, project: Path) -> None:
    (project / "ananke.config.yaml").write_text(CONFIG)
    names: dict[str, Any] = {"__name__": page}
    found = blocks(page)
    assert found
    ran: list[str] = []
    for line, code in found:
        before = set(names)
        exec(compile("\n" * (line - 1) + code, str(DOCS / page), "exec"), names)
        for name, function in list(names.items()):
            if not name.startswith("test_") or name in before or name in ran:
                continue
            ran.append(name)
            given = given_to(function)
            result = function(**given)
            if inspect.iscoroutine(result):
                asyncio.run(result)
    assert len(ran) == sum(code.count("def test_") for _, code in found)


def test_the_first_example_of_python_runs_as_printed(pytester: pytest.Pytester) -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    settings = re.search(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert settings is not None
    pytester.path.joinpath("pyproject.toml").write_text(settings[1])
    pytester.makepyfile(test_weather=blocks("python.md")[0][1])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_the_agent_of_a_yaml_test_runs_as_printed(pytester: pytest.Pytester) -> None:
    text = (DOCS / "pytest.md").read_text(encoding="utf-8")
    section = text[text.index("## Agents of your process") :]
    config, case = re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[:2]
    agent = BLOCK.search(section)
    assert agent is not None
    pytester.path.joinpath("ananke.config.yaml").write_text(config)
    pytester.path.joinpath("order.test.yaml").write_text(case)
    pytester.makeconftest(agent[1])
    is_installed = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
    own = [] if is_installed else ["-p", PLUGIN]
    pytester.runpytest_subprocess("-p", "no:cacheprovider", *own).assert_outcomes(passed=1)


def given_to(function: Any) -> dict[str, Any]:
    """The fixture of the plugin, if the function takes it."""
    from ananke_test import Target, TestSession
    from ananke_test._background import run_in_background

    if "ananke_session" not in inspect.signature(function).parameters:
        return {}
    session = TestSession(Target())
    run_in_background(session.start())
    return {"ananke_session": session if inspect.iscoroutinefunction(function) else session.sync}
