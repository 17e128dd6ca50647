"""The script as a chat model of LangChain, which agents behind LangServe and LangGraph use."""

import json
from collections.abc import Iterator

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

import script

ROLES = {"human": "user", "tool": "tool", "ai": "assistant"}


class Script(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: object, **_: object) -> "Script":
        return self

    def _generate(self, messages: list[BaseMessage], *_: object, **__: object) -> ChatResult:
        step = self.step(messages)
        message = AIMessage(step) if isinstance(step, str) else AIMessage("", tool_calls=[call(messages, step)])
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages: list[BaseMessage], *_: object, **__: object) -> Iterator[ChatGenerationChunk]:
        step = self.step(messages)
        if isinstance(step, str):
            chunks = [AIMessageChunk(piece) for piece in (step[:6], step[6:])]
        else:
            whole = call(messages, step)
            arguments = json.dumps(whole["args"])
            # Only the first piece of a call has its name and its id.
            first = {"index": 0, "id": whole["id"], "name": whole["name"], "args": arguments[:8]}
            rest = {"index": 0, "id": None, "name": None, "args": arguments[8:]}
            chunks = [AIMessageChunk("", tool_call_chunks=[piece]) for piece in (first, rest)]
        for chunk in chunks:
            yield ChatGenerationChunk(message=chunk)

    def step(self, messages: list[BaseMessage]) -> dict[str, str] | str:
        return script.next_step([(ROLES.get(message.type, message.type), message.text) for message in messages])


def call(messages: list[BaseMessage], args: dict[str, str]) -> dict:
    # An id is that of one call in the whole conversation.
    return {"id": f"call_{len(messages)}", "name": "get_weather", "args": args}
