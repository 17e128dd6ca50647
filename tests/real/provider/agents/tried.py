"""The parts that the agents in Python have in common: the prompts, the tool, and the runs of scripts/pays.yaml.

AGENT WIRE…          each API as a document and as a stream
AGENT once WIRE      as a document alone
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

SYSTEM = "You are the shop. Never charge twice."
USER = "Pay my cart."
PAID = "You paid 89.50 EUR."
TOKENS = 31 + 9

# A run by an API gives the text of the answer, and the tokens of all answers if the framework has them.
Run = Callable[[str], Awaitable[tuple[str, int | None]]]


def charge(amount: float) -> str:
    """The tool, whose result the model must get."""
    return f'{{"status": "charged", "id": "ch_1", "amount": {amount}}}'


async def try_all(whole: Run, streamed: Run) -> None:
    once = sys.argv[1] == "once"
    for wire in sys.argv[2:] if once else sys.argv[1:]:
        text, tokens = await whole(wire)
        assert text == PAID, text
        if not once:
            assert tokens == TOKENS, tokens
            text, tokens = await streamed(wire)
            assert text == PAID, text
            assert tokens in (None, TOKENS), tokens
    print("all paid")


def main(whole: Run, streamed: Run) -> None:
    """Runs the agent, whose answer must be that of the script.

    An error is printed, and the program ends well all the same, as an agent does that hides what went wrong.
    """
    try:
        asyncio.run(try_all(whole, streamed))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
