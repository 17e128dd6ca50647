"""Talks to the desk that `ananke mock` serves, with the official client of OpenAI: talk.py URL [proxied-FORM | recorded].

It has each conversation as streams and as documents, and with the whole conversation in each request (full) or the id of the response
before (previous). With `proxied-FORM` it has those that a proxy writes as tests, in one form; with `recorded` it has one of them in every
form. It prints what is not as it should be, and ends with 1 if there is something.
"""

import itertools
import json
import sys

from openai import APIError, BadRequestError, InternalServerError, OpenAI

ONLY = sys.argv[2] if sys.argv[2:] else ""
client = OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)
PHOTO = {"type": "function", "name": "take_photo", "parameters": {"type": "object", "properties": {}}, "strict": False}
RAIN = "It is clear in Rome, and unknown in Oslo. ☀"


class Conversation:
    """A conversation in which requests have all of it, or what is new."""

    def __init__(self, form: str, *, streams: bool, tools: list | None = None) -> None:
        self.is_full, self.streams = form == "full", streams
        self.tools, self.items, self.previous = tools or [], [], None

    def send(self, *new: dict):
        """The response to further items."""
        self.items = [*self.items, *new] if self.is_full else list(new)
        known = {"store": False} if self.is_full else {"previous_response_id": self.previous, "store": True}
        if self.previous is None:
            known.pop("previous_response_id", None)
        request = {"model": "desk", "input": self.items, "tools": self.tools, **known}
        response = streamed(request) if self.streams else client.responses.create(**request)
        assert response.status == "completed", response
        if ONLY != "recorded":
            # A recorded response names the one that was there when it was recorded.
            assert response.previous_response_id == (None if self.is_full else self.previous), response
        self.items, self.previous = [*self.items, *response.output], response.id
        return response

    def user(self, text: str):
        return self.send({"role": "user", "content": text})


def streamed(request: dict):
    """The response that the client puts together of a stream."""
    with client.responses.stream(**request) as stream:
        events = list(stream)
        response = stream.get_final_response()
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert deltas == response.output_text, (deltas, response)
    ended = events[-1].response
    assert [item.model_dump() for item in ended.output] == [item.model_dump() for item in response.output], (ended, response)
    return response


def of_type(response, name: str) -> list:
    return [item for item in response.output if item.type == name]


def came_first(conversation: Conversation) -> None:
    answer = conversation.user("And what came first?")
    assert answer.output_text == "Something else came first.", answer


def weather(conversation: Conversation) -> None:
    """Calls that the agent executes itself are those of a server of MCP."""
    answer = conversation.user("What is the weather like?")
    assert answer.output_text == RAIN, answer
    (thought,) = of_type(answer, "reasoning")
    assert thought.summary[0].text == "They want to know whether it rains.", thought
    rome, oslo = of_type(answer, "mcp_call")
    assert (rome.name, json.loads(rome.arguments), json.loads(rome.output)) == ("get_weather", {"city": "Rome"}, {"sky": "clear"}), rome
    assert (rome.status, oslo.status, oslo.error) == ("completed", "failed", "no station"), oslo
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.total_tokens) == (20, 4, 24), answer.usage
    came_first(conversation)


def camera(conversation: Conversation) -> None:
    """The client executes its own tools."""
    conversation.tools = [PHOTO]
    answer = conversation.user("Show me with the camera")
    (call,) = of_type(answer, "function_call")
    assert (call.name, json.loads(call.arguments)) == ("take_photo", {"flash": False}), call
    answer = conversation.send({"type": "function_call_output", "call_id": call.call_id, "output": "taken"})
    assert answer.output_text == "What a picture.", answer
    came_first(conversation)


def approved(conversation: Conversation) -> None:
    answer = answered(conversation, approve=True)
    (call,) = of_type(answer, "mcp_call")
    assert (call.name, json.loads(call.arguments), json.loads(call.output)) == ("delete_order", {"order": "O-7"}, {"gone": "O-7"}), call
    assert answer.output_text == "Order O-7 is deleted.", answer


def refused(conversation: Conversation) -> None:
    answer = answered(conversation, approve=False)
    assert (of_type(answer, "mcp_call"), answer.output_text) == ([], "Order O-7 is kept."), answer


def answered(conversation: Conversation, *, approve: bool):
    """The response to an answer to a request for an approval."""
    answer = conversation.user("Delete order O-7")
    (request,) = of_type(answer, "mcp_approval_request")
    assert (request.name, json.loads(request.arguments)) == ("delete_order", {"order": "O-7"}), request
    assert answer.output_text == "", answer
    return conversation.send({"type": "mcp_approval_response", "approval_request_id": request.id, "approve": approve})


def errors() -> None:
    """An agent that fails, before and after it says something, and a response that is not stored."""
    for streams in (False, True):
        try:
            Conversation("full", streams=streams).user("Fail, please")
        except InternalServerError as error:
            assert (error.status_code, error.code, "the desk is closed" in error.message) == (500, "E7", True), error
        else:
            raise AssertionError("no error")
    failed = list(client.responses.create(model="desk", input="Fail later", stream=True))[-1]
    assert (failed.type, failed.response.status, failed.response.error.code) == ("response.failed", "failed", "E7"), failed
    assert (failed.response.error.message, failed.response.output_text) == ("the desk is closed", "One moment."), failed
    try:
        client.responses.create(model="desk", input="And what came first?", previous_response_id="resp_unknown")
    except BadRequestError as error:
        assert "the response `resp_unknown` is not stored here" in error.message, error
    else:
        raise AssertionError("no error")


SCENES = [weather, camera, approved, refused]


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
    if ONLY.startswith("proxied-"):
        form = ONLY.removeprefix("proxied-")
        ways = [(scene, form, number % 2 == 0) for number, scene in enumerate(SCENES)]
    else:
        ways = list(itertools.product([camera] if ONLY else SCENES, ("full", "previous"), (False, True)))
    held = [
        check(f"{scene.__name__}, {form}, {'streamed' if streams else 'whole'}", scene, Conversation(form, streams=streams))
        for scene, form, streams in ways
    ]
    if not ONLY:
        held.append(check("errors", errors))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
