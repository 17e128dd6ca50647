"""Holds requests of recordings against the types of an official client: requests.py responses|messages FOLDER…"""

import json
import sys
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

if sys.argv[1] == "responses":
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as Request

    ITEMS = "input"
else:
    from anthropic.types.message_create_params import MessageCreateParamsStreaming as Request

    ITEMS = "messages"

KNOWN = set(Request.__annotations__) | {key for base in Request.__orig_bases__ for key in getattr(base, "__annotations__", {})}
TYPES = TypeAdapter(Request)


def requests() -> list[dict]:
    """The bodies of the requests in all recordings."""
    files = [file for folder in sys.argv[2:] for file in sorted(Path(folder).rglob("*.jsonl"))]
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line["request"]["body"] for line in lines if "request" in line]


def problems_of(body: dict) -> list[str]:
    problems = [f"unknown key `{key}`" for key in sorted(set(body) - KNOWN)]
    try:
        # A list of the types is an iterable, which is only looked at when it is read.
        read = TYPES.validate_python(body)
        problems += [] if len(list(read[ITEMS])) == len(body[ITEMS]) else ["items are missing"]
        list(read.get("tools", []))
    except ValidationError as error:
        problems.append(str(error))
    return problems


def main() -> int:
    bodies = requests()
    wrong = 0
    for body in bodies:
        if problems := problems_of(body):
            wrong += 1
            print(json.dumps(body), *problems, sep="\n  ")
    print(f"{len(bodies)} requests, {wrong} wrong")
    return 0 if bodies and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
