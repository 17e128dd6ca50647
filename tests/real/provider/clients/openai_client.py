"""The official client of OpenAI by chat, responses or previous, and its `embeddings`.

`previous` is the Responses API with `previous_response_id`: each request has only what is new.
"""

import json
import sys
from typing import Any

import steps
from openai import ContentFilterFinishReasonError, LengthFinishReasonError, OpenAI
from pydantic import BaseModel
from steps import Answer

client = OpenAI()
MODEL = "gpt-5"


class Cart(BaseModel):
    paid: bool
    amount: float


class Chat:
    """Chat completions."""

    TOOLS = [{"type": "function", "function": {**steps.TOOL, "parameters": steps.PARAMETERS, "strict": True}}]

    def __init__(self, *, streams: bool) -> None:
        self.streams = streams
        self.begin()

    def begin(self) -> None:
        self.messages: list[Any] = []

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def result(self, call: str, text: str) -> None:
        self.messages.append({"role": "tool", "tool_call_id": call, "content": text})

    def ask(self, *, tools: bool = True) -> Answer:
        request: dict[str, Any] = {"model": MODEL, "messages": self.messages, **({"tools": self.TOOLS} if tools else {})}
        if self.streams:
            completion, deltas = self.streamed(request)
        else:
            completion, deltas = client.chat.completions.create(**request), None
        # The client puts no completion together of a stream that is cut off.
        if isinstance(completion, Exception):
            return Answer(deltas, end=type(completion).__name__)
        message = completion.choices[0].message
        self.messages.append(message)
        text = message.content or message.refusal or ""
        assert deltas in (None, text), (deltas, text)
        usage = completion.usage
        return Answer(
            text,
            getattr(message, "reasoning_content", None) or "",
            [(call.id, call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []],
            f"{completion.choices[0].finish_reason}{' with refusal' if message.refusal else ''}",
            usage and [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens],
        )

    def streamed(self, request: dict[str, Any]) -> tuple[Any, str]:
        deltas = ""
        with client.chat.completions.stream(**request, stream_options={"include_usage": True}) as stream:
            for event in stream:
                if event.type in ("content.delta", "refusal.delta"):
                    deltas += event.delta
            try:
                return stream.get_final_completion(), deltas
            except (LengthFinishReasonError, ContentFilterFinishReasonError) as error:
                return error, deltas

    def structured(self) -> Any:
        request = {"model": MODEL, "messages": self.messages, "response_format": Cart}
        if self.streams:
            with client.chat.completions.stream(**request) as stream:
                completion = stream.get_final_completion()
        else:
            completion = client.chat.completions.parse(**request)
        return completion.choices[0].message.parsed.model_dump()


class Responses:
    """The Responses API, with all of the conversation in each request."""

    TOOLS = [{"type": "function", **steps.TOOL, "parameters": steps.PARAMETERS, "strict": True}]
    keeps_items = True

    def __init__(self, *, streams: bool) -> None:
        self.streams = streams
        self.begin()

    def begin(self) -> None:
        self.items: list[Any] = []
        self.previous: dict[str, str] = {}

    def user(self, text: str) -> None:
        self.items.append({"role": "user", "content": text})

    def result(self, call: str, text: str) -> None:
        self.items.append({"type": "function_call_output", "call_id": call, "output": text})

    def ask(self, *, tools: bool = True) -> Answer:
        request = {"model": MODEL, "input": self.items, **self.previous, **({"tools": self.TOOLS} if tools else {})}
        if self.streams:
            response, deltas = self.streamed(request)
        else:
            response, deltas = client.responses.create(**request), None
        if self.keeps_items:
            self.items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output]
        else:
            self.items, self.previous = [], {"previous_response_id": response.id}
        parts = [part for item in response.output if item.type == "message" for part in item.content]
        text = response.output_text + "".join(part.refusal for part in parts if part.type == "refusal")
        assert deltas in (None, text), (deltas, text)
        has_refusal = any(part.type == "refusal" for part in parts)
        end = response.incomplete_details.reason if response.incomplete_details else ""
        usage = response.usage
        return Answer(
            text,
            "".join(part.text for item in response.output if item.type == "reasoning" for part in item.summary),
            [(item.call_id, item.name, json.loads(item.arguments)) for item in response.output if item.type == "function_call"],
            " ".join(filter(None, [response.status, end, "with refusal" if has_refusal else ""])),
            usage and [usage.input_tokens, usage.output_tokens, usage.total_tokens],
        )

    def streamed(self, request: dict[str, Any]) -> tuple[Any, str]:
        deltas, response = "", None
        with client.responses.stream(**request) as stream:
            for event in stream:
                if event.type in ("response.output_text.delta", "response.refusal.delta"):
                    deltas += event.delta
                if event.type in ("response.completed", "response.incomplete"):
                    response = event.response
        return response, deltas

    def structured(self) -> Any:
        request = {"model": MODEL, "input": self.items, "text_format": Cart}
        if self.streams:
            with client.responses.stream(**request) as stream:
                return stream.get_final_response().output_parsed.model_dump()
        return client.responses.parse(**request).output_parsed.model_dump()


class Previous(Responses):
    keeps_items = False


def embeddings() -> dict[str, Any]:
    """Vectors as the client reads them, which asks for bytes by default."""
    texts = ["Pay my cart.", "Pay both parts.", "Pay my cart."]
    of_bytes = client.embeddings.create(model="text-embedding-3-small", input=texts, dimensions=8)
    of_numbers = client.embeddings.create(model="text-embedding-3-small", input=texts, dimensions=8, encoding_format="float")
    first, second, third = (entry.embedding for entry in of_bytes.data)
    assert max(abs(one - other) for one, other in zip(first, of_numbers.data[0].embedding, strict=True)) < 1e-6
    length = len(client.embeddings.create(model="text-embedding-3-small", input="Pay my cart.").data[0].embedding)
    models = [model.id for model in client.models.list()]
    return {"equal": first == third, "other": first != second, "lengths": [len(first), length], "has models": bool(models)}


if sys.argv[1] == "embeddings":
    print(json.dumps(embeddings()))
else:
    steps.main({"chat": Chat, "responses": Responses, "previous": Previous})
