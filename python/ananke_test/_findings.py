"""Findings of rules in words."""

from collections.abc import Mapping
from typing import Any

# pytest shows no frames of this file.
__tracebackhide__ = True


def in_words(finding: Mapping[str, Any]) -> str:
    """A finding, with what was expected and seen."""
    text = str(finding.get("message") or finding.get("type"))
    if finding.get("expected"):
        text += f", expected {finding['expected']}"
    evidence: list[str] = finding.get("seen") or []
    return text + "".join(f"\n  seen {seen}" for seen in evidence)
