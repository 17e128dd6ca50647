"""ananke tests AI agents that call tools. The package brings the command `ananke`, which `python -m ananke_test` runs as well."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__: str = version("ananke-test")
"""The version of the package and of its program."""
