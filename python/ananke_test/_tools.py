"""Functions as tools: their declarations for a model, and their calls."""

from __future__ import annotations

import enum
import inspect
import json
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints, overload

from ananke_test._background import called

# pytest shows no frames of this file.
__tracebackhide__ = True

F = TypeVar("F", bound=Callable[..., Any])

_TYPES: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


class ToolError(Exception):
    """The reason for which a call failed, as the agent gets it."""


@dataclass
class RegisteredTool:
    """A function as a tool."""

    name: str
    description: str
    function: Callable[..., Any]
    parameters: dict[str, Any]
    enums: dict[str, type[enum.Enum]] = field(default_factory=dict[str, "type[enum.Enum]"])

    @classmethod
    def of(cls, function: Callable[..., Any], name: str | None, description: str | None) -> RegisteredTool:
        """The tool that a function is.

        Raises:
            TypeError: If it is not a function, or takes something that no argument of a call can be.
        """
        if not callable(function):
            raise TypeError(f"a tool is a function, this is {function!r}")
        own = name if name is not None else str(getattr(function, "__name__", ""))
        if not own or own == "<lambda>":
            raise TypeError("a function without a name of its own needs one: register_function(name=…)")
        text = description if description is not None else inspect.getdoc(function) or ""
        hints = _hints(function)
        properties: dict[str, Any] = {}
        required: list[str] = []
        enums: dict[str, type[enum.Enum]] = {}
        extra = False
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = True
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise TypeError(
                    f"the tool `{own}` has the positional parameter `{parameter.name}`: calls have names alone, remove the `/`"
                )
            hint = hints.get(parameter.name, parameter.annotation)
            properties[parameter.name] = schema_of(hint)
            plain = _without_none(hint)
            if isinstance(plain, type) and issubclass(plain, enum.Enum):
                enums[parameter.name] = plain
            if parameter.default is parameter.empty:
                required.append(parameter.name)
        parameters: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            parameters["required"] = required
        if not extra:
            parameters["additionalProperties"] = False
        return cls(own, text, function, parameters, enums)

    def declaration(self) -> dict[str, Any]:
        """The tool as `session/open` takes it."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Checks the names of the arguments.

        Raises:
            ToolError: If one is missing or unknown.
        """
        known = self.parameters["properties"]
        missing = [name for name in self.parameters.get("required", []) if name not in arguments]
        if missing:
            raise ToolError(f"`{self.name}` needs the argument{'s' * (len(missing) > 1)} {_quoted(missing)}")
        if self.parameters.get("additionalProperties") is False:
            unknown = [name for name in arguments if name not in known]
            if unknown:
                takes = f"it takes {_quoted(known)}" if known else "it takes none"
                raise ToolError(f"`{self.name}` has no argument {_quoted(unknown)}: {takes}")

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Executes a call of an agent."""
        self.check(arguments)
        converted = dict(arguments)
        for name, members in self.enums.items():
            if converted.get(name) is not None:
                try:
                    converted[name] = members(converted[name])
                except ValueError:
                    values = [member.value for member in members]
                    raise ToolError(f"`{name}` of `{self.name}` is one of {_quoted(values)}") from None
        return await called(self.function, **converted)


def _quoted(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


class ToolRegistry:
    """The functions of an LLM, or of a target, by name."""

    def __init__(self) -> None:
        self.tools: dict[str, RegisteredTool] = {}

    @overload
    def register_function(self, name: F, /) -> F: ...
    @overload
    def register_function(self, name: str | None = None, description: str | None = None) -> Callable[[F], F]: ...
    def register_function(self, name: F | str | None = None, description: str | None = None) -> F | Callable[[F], F]:
        """A decorator that makes a function, plain or async, a tool: by its own name and docstring, if none are given."""
        if name is not None and not isinstance(name, str):
            self._add(RegisteredTool.of(name, None, description))
            return name
        own = name

        def register(function: F) -> F:
            self._add(RegisteredTool.of(function, own, description))
            return function

        return register

    def _add(self, tool: RegisteredTool) -> None:
        self.tools[tool.name] = tool


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters, as far as they are known."""
    typed: Any = function
    names: Any = None
    if sys.version_info < (3, 11):
        # There, a default of None makes any type an optional one, if the function is seen.
        names = getattr(inspect.unwrap(function), "__globals__", None)
        typed = types.SimpleNamespace(__annotations__=getattr(function, "__annotations__", {}))
    try:
        return get_type_hints(typed, names)
    except (NameError, TypeError):
        return {}


def _without_none(hint: Any) -> Any:
    """`X` of `Optional[X]` and `X | None`."""
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        if len(kinds) == 1:
            return kinds[0]
    return hint


def schema_of(hint: Any) -> dict[str, Any]:
    """The JSON Schema of what a parameter takes; empty if it may be anything."""
    if get_origin(hint) in (Union, types.UnionType):
        schemas = [schema_of(kind) for kind in get_args(hint)]
        if len(schemas) == 2 and {"type": "null"} in schemas:
            plain = next(schema for schema in schemas if schema != {"type": "null"})
            if isinstance(plain.get("type"), str) and "enum" not in plain:
                return {**plain, "type": [plain["type"], "null"]}
        return {"anyOf": schemas}
    if hint is type(None):
        return {"type": "null"}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        values = [member.value for member in hint]
        schema: dict[str, Any] = {"enum": values}
        kinds = {_TYPES.get(type(value)) for value in values}
        if len(kinds) == 1 and (kind := kinds.pop()) is not None:
            schema["type"] = kind
        return schema
    origin = cast("Any", get_origin(hint) or hint)
    kind = _TYPES.get(origin) if isinstance(origin, type) else None
    if kind is None:
        return {}
    items = get_args(hint)
    if kind == "array" and items:
        return {"type": "array", "items": schema_of(items[0])}
    return {"type": kind}


def json_result(name: str, result: Any) -> Any:
    """The result of a call.

    Raises:
        ToolError: If it is not JSON.
    """
    try:
        json.dumps(result, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError(f"the result of `{name}` is not JSON: {error}") from error
    return result
