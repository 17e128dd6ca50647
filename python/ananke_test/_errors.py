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


def public(error: RequestError) -> Exception:
    """The error as a test sees it."""
    if error.code == INVALID_PARAMS:
        return ValueError(error.message)
    if error.code == JUDGE:
        return JudgeError(error.message)
    return AgentError(error.message)
