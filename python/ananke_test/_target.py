"""An agent that ananke reaches over its protocol."""

from __future__ import annotations

import os
from typing import Any

from ananke_test._tools import ToolRegistry

# pytest shows no frames of this file.
__tracebackhide__ = True


class Target(ToolRegistry):
    """An agent that ananke reaches over its protocol.

    `Target()` is the default target of the `ananke.config.yaml` that is nearest above the working directory, `Target("name")`
    one of its `targets`, and `Target(type="agui", endpoint="http://…")` a target in place, in which `${…}` has no meaning. Its
    client-side tools may be functions of the test: `register_function`.
    """

    def __init__(self, name: str | None = None, **keys: Any) -> None:
        super().__init__()
        if name is not None and keys:
            raise ValueError("a target has a name in the config, or keys in place, not both")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a target is a text, this is {name!r}")
        self.name = name
        self.keys = keys
        self.config: str | None = None

    @classmethod
    def of_config(cls, config: str | os.PathLike[str], name: str | None = None) -> Target:
        """The default target of a config, or the one of this name."""
        target = cls(name)
        target.config = os.path.abspath(config)
        return target

    def to_json(self) -> dict[str, Any] | str | None:
        """The target as the protocol has it; None for the default one."""
        return self.keys or self.name

    def is_same_agent(self, other: object) -> bool:
        """Whether both are the same entry of a config, or have the same keys."""
        return isinstance(other, Target) and self.to_json() == other.to_json() and self.config == other.config

    def __repr__(self) -> str:
        named = [repr(self.name)] if self.name is not None else []
        keys = ["type"] if "type" in self.keys else []
        return f"Target({', '.join(named + [f'{key}={self.keys[key]!r}' for key in keys])})"
