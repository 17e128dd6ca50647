"""Verdicts of judges on a message."""

from __future__ import annotations

import asyncio
from typing import Any

from ananke_test import _adapters
from ananke_test._callbacks import ServedCallbacks
from ananke_test._connection import Connection, connection
from ananke_test._errors import INVALID_PARAMS, JudgeError, RequestError
from ananke_test._events import ChatMessageEvent, to_json
from ananke_test._function_llm import FunctionLLM
from ananke_test._target import Target

# pytest shows no frames of this file.
__tracebackhide__ = True


async def ask_judge(llm: Any, own: Any, user_input: str | None, message: ChatMessageEvent, intent: str) -> tuple[bool, str]:
    """Whether the message does what the intent says, and the reason. `own` is the session's own model, if it is known.

    Raises:
        JudgeError: If the judge cannot be asked, or gives no clear verdict.
        ValueError: If it is the session's own model.
    """
    if own is not None and (llm is own or (isinstance(llm, Target) and llm.is_same_agent(own))):
        raise ValueError("the agent cannot judge itself: give another model as the judge")
    params: dict[str, Any] = {"events": [to_json(message)], "intent": intent}
    if user_input is not None:
        params["input"] = user_input
    if isinstance(llm, Target):
        verdict = await _ask_target(llm, params)
    else:
        verdict = await _ask_model(connection(), llm if isinstance(llm, FunctionLLM) else _as_function(llm), params)
    return verdict["passed"], verdict["reason"]


async def _ask_target(target: Target, params: dict[str, Any]) -> Any:
    chosen = target.to_json()
    try:
        return await asyncio.wrap_future(
            connection(target.config).submit("session/judge", {**params, "judge": "default" if chosen is None else chosen})
        )
    except RequestError as error:
        failed = ValueError(error.message) if error.code == INVALID_PARAMS else JudgeError(error.message)
    raise failed


async def _ask_model(program: Connection, llm: Any, params: dict[str, Any]) -> Any:
    """The verdict of a model of this process: it is asked in a session of its own, so that questions do not get mixed up."""
    callbacks = ServedCallbacks(program, llm)
    callbacks.enter()
    opened = await asyncio.wrap_future(program.submit("session/open", {"agent": "caller"}))
    session: str = opened["session"]
    program.attach(session, callbacks)
    failed: BaseException
    try:
        return await asyncio.wrap_future(program.submit("session/judge", {**params, "session": session, "agent": "caller"}))
    except RequestError as error:
        original = callbacks.error
        if original is not None and not isinstance(original, Exception):
            failed = original
        else:
            failed = JudgeError(f"the judge failed: {original}" if original is not None else error.message)
            failed.__cause__ = original
    finally:
        program.detach(session)
        if not program.is_over:
            program.submit("session/close", {"session": session})
    raise failed


def _as_function(llm: Any) -> FunctionLLM:
    """An agent of another package as a model that answers questions."""
    adapter = _adapters.adapter_of(llm)
    if adapter is None:
        raise TypeError(f"{llm!r} cannot be a judge: {_adapters.WHAT_IS_AN_LLM}")

    async def reply(messages: list[dict[str, Any]], _: list[dict[str, Any]]) -> str:
        said = {"system": "", "user": ""}
        for message in messages:
            if message["role"] in said:
                said[message["role"]] += str(message["content"])
        return await adapter.judge(llm, said["system"], said["user"])

    return FunctionLLM(reply)
