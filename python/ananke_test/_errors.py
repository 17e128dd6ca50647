"""The errors of sessions. None of them is an AssertionError: they do not mean that the agent did something wrong."""

# pytest shows no frames of this file.
__tracebackhide__ = True


class AgentError(RuntimeError):
    """The agent could not be asked, or its turn did not end as it should."""

    __module__ = "ananke_test"


class JudgeError(RuntimeError):
    """A judge or a script could not be asked, or gave no clear verdict."""

    __module__ = "ananke_test"


class ProgramError(RuntimeError):
    """The program `ananke` ended, or could not be started."""

    __module__ = "ananke_test"


class RequestError(Exception):
    """The answer to a request that failed."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


INVALID_PARAMS = -32602
CANCELLED = -32800
JUDGE = -32001
OVER = -32003

# Remedies of the program that are written for other languages, and what they are in Python.
IN_PYTHON = {
    "name one with `config`, or give the agent as an object: `target: {type: …}`": (
        "name one with `Target.of_config(PATH)`, or give the agent: `llm=agent`, `llm=Target(type=…)`"
    ),
}


def public(error: RequestError) -> Exception:
    """The error as a test sees it."""
    if error.code == INVALID_PARAMS:
        message = error.message
        for remedy, in_python in IN_PYTHON.items():
            message = message.replace(remedy, in_python)
        return ValueError(message)
    if error.code == JUDGE:
        return JudgeError(error.message)
    return AgentError(error.message)
