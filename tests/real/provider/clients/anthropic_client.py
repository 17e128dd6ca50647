"""The official client of Anthropic by messages."""

import json
from typing import Any

import steps
from anthropic import Anthropic
from steps import Answer

client = Anthropic()


class Messages:
    """The Messages API."""

    TOOLS = [{**steps.TOOL, "input_schema": steps.PARAMETERS}]

    def __init__(self, *, streams: bool) -> None:
        self.streams = streams
        self.begin()

    def begin(self) -> None:
        self.messages: list[Any] = []

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def result(self, call: str, text: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        # All results of one answer are in one message.
        if self.messages[-1]["role"] == "user":
            self.messages[-1]["content"].append(block)
        else:
            self.messages.append({"role": "user", "content": [block]})

    def ask(self, *, tools: bool = True) -> Answer:
        request = self.request() | ({"tools": self.TOOLS} if tools else {})
        if self.streams:
            message, deltas = self.streamed(request)
        else:
            message, deltas = client.messages.create(**request), None
        self.messages.append({"role": "assistant", "content": message.content})
        text = "".join(block.text for block in message.content if block.type == "text")
        assert deltas in (None, text), (deltas, text)
        assert all(block.signature for block in message.content if block.type == "thinking"), message
        return Answer(
            text,
            "".join(block.thinking for block in message.content if block.type == "thinking"),
            [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"],
            message.stop_reason,
            [message.usage.input_tokens, message.usage.output_tokens],
        )

    def request(self) -> dict[str, Any]:
        return {"model": "claude-sonnet-5", "max_tokens": 1024, "messages": self.messages}

    def streamed(self, request: dict[str, Any]) -> tuple[Any, str]:
        with client.messages.stream(**request) as stream:
            deltas = "".join(stream.text_stream)
            return stream.get_final_message(), deltas

    def structured(self) -> Any:
        request = self.request() | {"output_config": {"format": {"type": "json_schema", "schema": steps.SCHEMA}}}
        if self.streams:
            with client.messages.stream(**request) as stream:
                return json.loads(stream.get_final_text())
        return json.loads(client.messages.create(**request).content[0].text)


steps.main({"messages": Messages})
