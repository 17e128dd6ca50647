"""Equality of JSON: numbers by value, a boolean is not a number, at any depth."""

from collections.abc import Mapping
from numbers import Number
from typing import Any, cast

# pytest shows no frames of this file.
__tracebackhide__ = True

_JSON = (bool, Number, str, Mapping, list, tuple, type(None))


def is_same_json(one: object, other: object) -> bool:
    """Whether both are the same JSON."""
    if isinstance(one, bool) or isinstance(other, bool):
        # Matchers such as `mock.ANY` are no JSON, and compare as they like.
        return one is other if isinstance(one, _JSON) and isinstance(other, _JSON) else bool(one == other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        first, second = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
        return first.keys() == second.keys() and all(is_same_json(value, second[key]) for key, value in first.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        these, those = cast("list[Any]", one), cast("list[Any]", other)
        return len(these) == len(those) and all(map(is_same_json, these, those))
    return bool(one == other)
