"""Talks to the desk that `ananke mock` serves, with the official client of Anthropic: talk_messages.py URL [proxied | paused].

It has each conversation as streams and as documents. With `proxied` it has those that a proxy writes as tests, each in one way; with
`paused` it has one with the recording of a server that pauses. It prints what is not as it should be, and ends with 1 if there is
something.
"""

import sys

from anthropic import Anthropic, APIError, APIStatusError, InternalServerError

ONLY = sys.argv[2] if sys.argv[2:] else ""
client = Anthropic(base_url=sys.argv[1], api_key="none", max_retries=0)
PHOTO = {"name": "take_photo", "input_schema": {"type": "object", "properties": {}}}
RAIN = "It is clear in Rome, and unknown in Oslo. ☀"


class Conversation:
    """A conversation in which each request has all of it."""

    def __init__(self, *, streams: bool) -> None:
        self.streams, self.tools, self.messages = streams, [], []

    def send(self, content: str | list | None):
        """The response to a further message of the user; without one, to the conversation so far."""
        if content is not None:
            self.messages.append({"role": "user", "content": content})
        request = {"model": "desk", "max_tokens": 1024, "messages": self.messages, "tools": self.tools}
        # Tools of a server of MCP are a beta of this API.
        response = streamed(request) if self.streams else client.beta.messages.create(**request)
        kept = [block.model_dump(exclude_none=True) for block in response.content]
        if self.messages[-1]["role"] == "assistant":
            self.messages[-1]["content"].extend(kept)
        else:
            self.messages.append({"role": "assistant", "content": kept})
        return response


def streamed(request: dict):
    """The response that the client puts together of a stream."""
    with client.beta.messages.stream(**request) as stream:
        events = list(stream)
        response = stream.get_final_message()
    deltas = "".join(event.text for event in events if event.type == "text")
    assert deltas == text(response), (deltas, response)
    return response


def text(response) -> str:
    return "".join(block.text for block in response.content if block.type == "text")


def of_type(response, name: str) -> list:
    return [block for block in response.content if block.type == name]


def came_first(conversation: Conversation) -> None:
    answer = conversation.send("And what came first?")
    assert (text(answer), answer.stop_reason) == ("Something else came first.", "end_turn"), answer


def weather(conversation: Conversation) -> None:
    """Calls that the agent executes itself are those of a server of MCP."""
    answer = conversation.send("What is the weather like?")
    assert text(answer) == RAIN, answer
    (thought,) = of_type(answer, "thinking")
    assert (thought.thinking, bool(thought.signature)) == ("They want to know whether it rains.", True), thought
    rome, oslo = of_type(answer, "mcp_tool_use")
    assert (rome.name, rome.input, oslo.input) == ("get_weather", {"city": "Rome"}, {"city": "Oslo"}), (rome, oslo)
    clear, unknown = of_type(answer, "mcp_tool_result")
    assert (clear.tool_use_id, clear.is_error, clear.content[0].text) == (rome.id, False, '{"sky":"clear"}'), clear
    assert (unknown.tool_use_id, unknown.is_error, unknown.content[0].text) == (oslo.id, True, "no station"), unknown
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (20, 4), answer.usage
    came_first(conversation)


def camera(conversation: Conversation) -> None:
    """The client executes its own tools."""
    conversation.tools = [PHOTO]
    answer = conversation.send("Show me with the camera")
    (call,) = of_type(answer, "tool_use")
    assert (call.name, call.input, answer.stop_reason) == ("take_photo", {"flash": False}, "tool_use"), answer
    answer = conversation.send([{"type": "tool_result", "tool_use_id": call.id, "content": "taken"}])
    assert text(answer) == "What a picture.", answer
    came_first(conversation)


def paused(conversation: Conversation) -> None:
    """A server that pauses goes on with what it has said so far."""
    answer = conversation.send("Search for it")
    (call,) = of_type(answer, "server_tool_use")
    assert (call.name, call.input, answer.stop_reason) == ("web_search", {"query": "ananke"}, "pause_turn"), answer
    answer = conversation.send(None)
    (result,) = of_type(answer, "web_search_tool_result")
    assert (result.tool_use_id, text(answer), answer.stop_reason) == (call.id, "Found it.", "end_turn"), answer


def errors() -> None:
    """An agent that fails, before and after it says something."""
    for streams in (False, True):
        try:
            Conversation(streams=streams).send("Fail, please")
        except InternalServerError as error:
            assert (error.status_code, error.body["error"]) == (500, {"type": "E7", "message": "the desk is closed"}), error
        else:
            raise AssertionError("no error")
    said = ""
    try:
        with client.messages.stream(model="desk", max_tokens=9, messages=[{"role": "user", "content": "Fail later"}]) as stream:
            for piece in stream.text_stream:
                said += piece
    except APIStatusError as error:
        assert (said, "the desk is closed" in str(error)) == ("One moment.", True), (said, error)
    else:
        raise AssertionError("no error")


def check(name: str, scene, *arguments) -> bool:
    """Whether a scene is as it should be."""
    try:
        scene(*arguments)
    except (AssertionError, APIError, ValueError, TypeError, AttributeError) as error:
        print(f"FAIL {name}: {error!r}")
        return False
    print(f"ok   {name}")
    return True


def main() -> int:
    ways = {
        "": [(scene, streams) for scene in (weather, camera) for streams in (False, True)],
        "proxied": [(weather, True), (camera, False)],
        "paused": [(paused, True)],
    }
    held = [
        check(f"{scene.__name__}, {'streamed' if streams else 'whole'}", scene, Conversation(streams=streams))
        for scene, streams in ways[ONLY]
    ]
    if not ONLY:
        held.append(check("errors", errors))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
