"""Findings of rules in words."""

import re
from collections.abc import Mapping
from typing import Any

# pytest shows no frames of this file.
__tracebackhide__ = True

# The number of an event of the whole session, which no list of a failure has: before the text that is shown of the event.
EVENT_NUMBER = re.compile(r"^([^:({]*?),? ?#\d+ ?")


def in_words(finding: Mapping[str, Any]) -> str:
    """A finding: its sentence, which says what was expected, and what was seen in addition to it."""
    sentence = str(finding.get("message") or finding.get("type"))
    lines = [sentence]
    # The sentence of a rule that could not be evaluated is about the facts that are missing.
    if finding.get("status") == "not_shown" and finding.get("expected"):
        lines = [f"{sentence}, expected {finding['expected']}"]
    for seen in finding.get("seen") or []:
        if seen not in sentence:
            lines.append("  seen " + EVENT_NUMBER.sub(r"\1", seen))
    return "\n".join(lines)
