"""Rules of the house that hold for the package."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "ananke_test"


def imports(file: Path, names: set[str]) -> set[str]:
    """The files of the package that a file imports, also where it does so late or for types only."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            package, _, module = node.module.partition(".")
            if package == PACKAGE.name:
                found |= {module} if module else {alias.name for alias in node.names}
    return found & names


NO_FRAMES = "__tracebackhide__"


def test_pytest_shows_no_frames_of_the_package() -> None:
    for file in PACKAGE.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        is_hidden = any(isinstance(node, ast.Assign) and ast.unparse(node) == f"{NO_FRAMES} = True" for node in tree.body)
        has_frames = any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(tree))
        # They are not imported by a test, or pytest calls them.
        if file.stem not in ("__init__", "__main__", "pytest_plugin"):
            assert is_hidden == has_frames, f"`{NO_FRAMES} = True` at the top of {file.name} hides all that it has"
        assert names.count(NO_FRAMES) == is_hidden, f"`{NO_FRAMES}` in a function of {file.name} hides nothing more"


def test_no_file_imports_itself_through_others() -> None:
    files = {file.stem: file for file in PACKAGE.glob("*.py")}
    known = {name: imports(file, set(files)) for name, file in files.items()}
    assert sum(map(len, known.values())) > 50, "the imports are found"
    for name in known:
        reached: set[str] = set()
        ahead = set(known[name])
        while ahead:
            reached |= ahead
            ahead = {further for file in ahead for further in known[file]} - reached
        assert name not in reached, f"`{name}` is in a circle of imports"
