"""Models behind a client object of the package `openai`: `pip install 'ananke-test[openai]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ananke_test._function_llm import FunctionLLM

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

# pytest shows no frames of this file.
__tracebackhide__ = True

__all__ = ["OpenAILLM"]


class OpenAILLM(FunctionLLM):
    """A model behind a client object of the package `openai`, whose tools are functions of the test.

    `parameters` go with every request: `OpenAILLM(AsyncOpenAI(), "gpt-6-luna", temperature=0)`. An error of the client is raised by
    `session.run` as it is.
    """

    def __init__(self, client: AsyncOpenAI | OpenAI, model: str, **parameters: Any) -> None:
        from ananke_test._background import called

        create: Any = client.chat.completions.create

        async def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
            declared = {"tools": tools} if tools else {}
            completion = await called(create, model=model, messages=messages, **declared, **parameters)
            if not completion.choices:
                raise ValueError(f"the completion of `{model}` has no choices")
            said = completion.choices[0].message
            reply: dict[str, Any] = {}
            text = said.content if said.content is not None else getattr(said, "refusal", None)
            if text is not None:
                reply["content"] = text
            if said.tool_calls:
                reply["tool_calls"] = [call.model_dump(exclude_none=True, warnings=False) for call in said.tool_calls]
            if not reply:
                # An empty answer is an answer: it is no event.
                reply["content"] = ""
            return reply

        super().__init__(ask)
        self.client = client
        self.model = model
