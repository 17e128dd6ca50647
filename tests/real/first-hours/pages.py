"""What the pages print, as a user copies it."""

import re

from hour import ROOT, StumbleError

BLOCK = r"```(?:\w+)\n(?P<code>.*?)```"

# The function that a snippet takes the place of, in the programs that `ananke init --for` writes.
WRITTEN_ANSWER = {
    "agent.py": re.compile(r"^def answer\(.*?\n\n\n", re.MULTILINE | re.DOTALL),
    "agent.mjs": re.compile(r"^(//[^\n]*\n)*async function answer\(.*?^}\n", re.MULTILINE | re.DOTALL),
}


def printed(page: str, before: str) -> str:
    """The first block of a page after a text."""
    text = (ROOT / "docs" / page).read_text()
    found = re.search(f"{re.escape(before)}.*?{BLOCK}", text, re.DOTALL)
    if found is None:
        raise StumbleError(f"docs/{page} has no block after `{before}`", "")
    return found["code"]


def with_answer(program: str, name: str, snippet: str) -> str:
    """The generated program with a snippet in place of its `answer`."""
    written, count = WRITTEN_ANSWER[name].subn(lambda _: f"{snippet}\n\n", program)
    if count != 1:
        raise StumbleError(f"{name} has {count} functions `answer`", program)
    return written
