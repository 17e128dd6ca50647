"""Judges under the names of the testing module of Vision-Agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ananke_test._errors import JudgeError
from ananke_test._events import ChatMessageEvent, escaped
from ananke_test._judge import ask_judge
from ananke_test._run_result import is_verbose

# pytest shows no frames of this file.
__tracebackhide__ = True


@dataclass
class JudgeVerdict:
    """The verdict of a judge."""

    success: bool
    reason: str


@runtime_checkable
class Judge(Protocol):
    """Whatever decides whether a message does what an intent says."""

    async def evaluate(self, event: ChatMessageEvent, intent: str) -> JudgeVerdict:
        """The verdict on a message."""
        ...


class LLMJudge:
    """A judge that asks a model, or a `Target`, as `judge` of a message does. The model keeps nothing of the questions."""

    def __init__(self, llm: Any) -> None:
        self._llm = llm

    async def evaluate(self, event: ChatMessageEvent, intent: str) -> JudgeVerdict:
        """Whether a message does what the intent says. An empty message or intent fails without a question.

        Raises:
            JudgeError: If the model cannot be asked, or gives no clear verdict. That is no verdict on the agent.
        """
        if not event.content.strip():
            return JudgeVerdict(False, "The message is empty.")
        if not intent.strip():
            return JudgeVerdict(False, "The intent is empty: say what the message should do.")
        try:
            passed, reason = await ask_judge(self._llm, None, None, ChatMessageEvent(event.role, event.content), intent)
        except JudgeError as error:
            _say(f"judge: {error}")
            raise
        _say(f"judge: {'PASS' if passed else 'FAIL'}: {reason}  (intent: {intent})")
        return JudgeVerdict(passed, reason or "The judge gives no reason.")


def _say(text: str) -> None:
    if is_verbose():
        print(escaped(text))
