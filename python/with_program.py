"""Puts the program that `scripts/wheel` names into the wheel, which is then for its system alone."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WithProgram(BuildHookInterface[Any]):
    """The hook that the builder of wheels calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the tag and the program."""
        program = Path(os.environ["ANANKE_PROGRAM"])
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['ANANKE_TAG']}"
        build_data["shared_scripts"][str(program)] = program.name
