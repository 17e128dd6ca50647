"""Agents of other packages, which run in this process. Their packages are imported only if a test has done so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from unittest.mock import AsyncMock

    from ananke_test._turn import AgentTurns

# pytest shows no frames of this file.
__tracebackhide__ = True

WHAT_IS_AN_LLM = (
    "an LLM is a FunctionLLM, a Target, an OpenAILLM, an agent of pydantic-ai or of the OpenAI Agents SDK, or an LLM object of "
    "Vision-Agents"
)


class Adapter(Protocol):
    """A kind of agents of another package."""

    def begin(self, llm: Any, instructions: str | None) -> AgentTurns:
        """A conversation of its own; without instructions, those of the agent apply."""
        ...

    def tool_names(self, llm: Any) -> list[str]: ...

    def replace_tools(self, llm: Any, mocks: Mapping[str, AsyncMock]) -> Callable[[], None]:
        """Replaces tools, and gives a function that restores them."""
        ...

    async def judge(self, llm: Any, instructions: str, question: str) -> str:
        """The answer to a question that is asked outside of any conversation."""
        ...


def adapter_of(llm: Any) -> Adapter | None:
    """The kind of an agent."""
    if all(hasattr(llm, name) for name in ("simple_response", "function_registry", "events")):
        from ananke_test._vision_agents import VisionAgentsAdapter

        return VisionAgentsAdapter()
    from ananke_test.openai_agents import adapter_of_openai_agent
    from ananke_test.pydantic_ai import adapter_of_agent

    return adapter_of_agent(llm) or adapter_of_openai_agent(llm)
