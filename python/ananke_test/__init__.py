"""ananke tests AI agents that call tools. The package brings the command `ananke`, which `python -m ananke_test` runs as well.

`TestSession` holds a conversation with an agent in a Python test; `result.expect` and `result.check` assert what the agent did.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ananke_test._asserts import (
        ChatMessageAssert,
        EventAssert,
        EventRangeAssert,
        FunctionCallAssert,
        FunctionCallOutputAssert,
        RunAssert,
    )
    from ananke_test._errors import AgentError, JudgeError, ProgramError
    from ananke_test._events import (
        ChatMessageEvent,
        FunctionCallEvent,
        FunctionCallOutputEvent,
        Interrupt,
        PendingAnswer,
        RunEvent,
    )
    from ananke_test._external import LateEventWarning
    from ananke_test._function_llm import FunctionLLM
    from ananke_test._llm_judge import Judge, JudgeVerdict, LLMJudge
    from ananke_test._mocks import mock_functions, mock_tools
    from ananke_test._registered_agents import register_agent
    from ananke_test._run_result import RunResult
    from ananke_test._session import SyncTestSession, TestSession
    from ananke_test._session_recording import RecordingWarning
    from ananke_test._target import Target
    from ananke_test._test_response import TestResponse
    from ananke_test._tool import tool
    from ananke_test._turn import Turn
    from ananke_test._vision_agents import collect_simple_response

__all__ = [
    "AgentError",
    "ChatMessageAssert",
    "ChatMessageEvent",
    "EventAssert",
    "EventRangeAssert",
    "FunctionCallAssert",
    "FunctionCallEvent",
    "FunctionCallOutputAssert",
    "FunctionCallOutputEvent",
    "FunctionLLM",
    "Interrupt",
    "Judge",
    "JudgeError",
    "JudgeVerdict",
    "LLMJudge",
    "LateEventWarning",
    "PendingAnswer",
    "ProgramError",
    "RecordingWarning",
    "RunAssert",
    "RunEvent",
    "RunResult",
    "SyncTestSession",
    "Target",
    "TestResponse",
    "TestSession",
    "Turn",
    "__version__",
    "collect_simple_response",
    "mock_functions",
    "mock_tools",
    "register_agent",
    "tool",
]

try:
    __version__: str = version("ananke-test")
except PackageNotFoundError:
    __version__ = "0"
"""The version of the package and of its program."""

# The pytest plugin is imported in every project; nothing else is, until a test asks for it.
_MODULES = {
    "_asserts": (
        "ChatMessageAssert",
        "EventAssert",
        "EventRangeAssert",
        "FunctionCallAssert",
        "FunctionCallOutputAssert",
        "RunAssert",
    ),
    "_errors": ("AgentError", "JudgeError", "ProgramError"),
    "_events": (
        "ChatMessageEvent",
        "FunctionCallEvent",
        "FunctionCallOutputEvent",
        "Interrupt",
        "PendingAnswer",
        "RunEvent",
    ),
    "_external": ("LateEventWarning",),
    "_function_llm": ("FunctionLLM",),
    "_llm_judge": ("Judge", "JudgeVerdict", "LLMJudge"),
    "_mocks": ("mock_functions", "mock_tools"),
    "_registered_agents": ("register_agent",),
    "_run_result": ("RunResult",),
    "_session": ("SyncTestSession", "TestSession"),
    "_session_recording": ("RecordingWarning",),
    "_target": ("Target",),
    "_test_response": ("TestResponse",),
    "_tool": ("tool",),
    "_turn": ("Turn",),
    "_vision_agents": ("collect_simple_response",),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"ananke_test.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module `ananke_test` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted(__all__)
