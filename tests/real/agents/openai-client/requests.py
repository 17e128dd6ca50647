"""Holds requests, the journal of the mock on standard input, against the types of the official client of OpenAI."""

import json
import sys

from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError

KNOWN = set(CompletionCreateParamsStreaming.__annotations__) | {
    key for base in CompletionCreateParamsStreaming.__orig_bases__ for key in getattr(base, "__annotations__", {})
}


def main() -> int:
    journal = json.load(sys.stdin)
    entries = journal if isinstance(journal, list) else journal["entries"]
    types = TypeAdapter(CompletionCreateParamsStreaming)
    wrong = 0
    for number, entry in enumerate(entries, 1):
        body = entry["body"]
        problems = [f"unknown key `{key}`" for key in sorted(set(body) - KNOWN) if not key.startswith("_")]
        try:
            # Lists of the types are iterables, which are only looked at when they are read.
            read = types.validate_python(body)
            problems += [] if len(list(read["messages"])) == len(body["messages"]) else ["messages are missing"]
            list(read.get("tools", []))
        except ValidationError as error:
            problems.append(str(error))
        if problems:
            wrong += 1
            print(f"request {number}:", *problems, sep="\n  ")
    print(f"{len(entries)} requests, {wrong} wrong")
    return 0 if entries and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
