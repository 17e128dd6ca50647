"""The program that the package brings."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

# pytest shows no frames of this file.
__tracebackhide__ = True

NAME = "ananke.exe" if os.name == "nt" else "ananke"


def find_program() -> Path:
    """The program of this package, wherever an installer put it.

    The list of what was installed names it; what else is called `ananke` on the PATH may be another program. The environment
    variable `ANANKE_PROGRAM` names another one.

    Raises:
        FileNotFoundError: If the package was installed without its program.
    """
    places = list(_places())
    for place in places:
        if place.is_file():
            return place
    chosen = os.environ.get("ANANKE_PROGRAM")
    if chosen:
        raise FileNotFoundError(f"ANANKE_PROGRAM names `{chosen}`, which is not a file: name the program, or unset the variable")
    looked = ", ".join(str(place.parent) for place in dict.fromkeys(places))
    raise FileNotFoundError(
        f"the program `ananke` of the package `ananke-test` is missing: it is not in {looked}. Install the package again."
    )


def _places() -> Iterator[Path]:
    chosen = os.environ.get("ANANKE_PROGRAM")
    if chosen:
        yield Path(chosen).absolute()
        return
    try:
        installed = distribution("ananke-test").files or []
    except PackageNotFoundError:
        installed = []
    for file in installed:
        if file.name == NAME:
            yield Path(str(file.locate())).resolve()
    # `pip install --target` moves programs after it has listed them.
    yield Path(__file__).resolve().parent.parent / "bin" / NAME
    yield Path(sysconfig.get_path("scripts")) / NAME
    yield Path(sys.executable).parent / NAME
