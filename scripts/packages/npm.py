"""The npm packages: `ananke-test`, and one for each system with its program."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packages import program
from packages.machine import OUTPUT, ROOT, WORK, fresh, needs, run, version
from packages.targets import TARGETS, Target

PACKAGES = OUTPUT / "npm"
MAIN = ROOT / "node"


@dataclass(frozen=True)
class Packed:
    """The tarballs that a project on one system installs."""

    main: Path
    """The package that people install."""
    own: Path
    """The package with the program."""
    target: Target


def own_package(target: Target) -> str:
    """The name of the package with the program of a system."""
    return f"ananke-test-{target.node}"


def pack(folder: Path) -> Path:
    """The tarball of a package."""
    PACKAGES.mkdir(parents=True, exist_ok=True)
    printed = run(npm(), "pack", "--json", "--pack-destination", PACKAGES, cwd=folder)
    return PACKAGES / json.loads(printed)[0]["filename"]


def npm() -> str:
    """The path of npm."""
    return needs("npm", "it comes with Node.js")


def stage(name: str) -> Path:
    """A new folder for a package, with the licences."""
    folder = fresh(WORK / "npm" / name)
    for licence in program.LICENCES[:2]:
        shutil.copy(licence, folder)
    return folder


def of_target(built: Path, target: Target) -> Path:
    """The package with the program of one system."""
    folder = stage(own_package(target))
    (folder / "bin").mkdir()
    shutil.copy(built, folder / "bin" / target.program)
    (folder / "bin" / target.program).chmod(0o755)
    shutil.copy(program.LICENCES[2], folder)
    package = json.loads((MAIN / "package.json").read_text())
    kept = {key: package[key] for key in ["license", "homepage", "repository"]}
    described = {
        "name": own_package(target),
        "version": version(),
        "description": f"The program of ananke-test for {target.system} on {target.processor}",
        **kept,
        "os": [target.system],
        "cpu": [target.processor],
        "files": ["bin", "LICENSE-*", "licences.md"],
    }
    (folder / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    (folder / "README.md").write_text(f"# {own_package(target)}\n\n{described['description']}. Install `ananke-test`, which brings it.\n")
    return pack(folder)


def of_all() -> Path:
    """The package that people install."""
    folder = stage("ananke-test")
    # npm packs what `files` of package.json names.
    shutil.copytree(MAIN, folder, dirs_exist_ok=True)
    package = json.loads((MAIN / "package.json").read_text())
    package["version"] = version()
    package["optionalDependencies"] = {own_package(target): version() for target in TARGETS}
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    return pack(folder)


def absent(target: Target) -> Path:
    """A package of another system, without its program."""
    folder = WORK / "npm" / f"{own_package(target)}-absent"
    folder.mkdir(parents=True, exist_ok=True)
    described = {"name": own_package(target), "version": version(), "os": [target.system], "cpu": [target.processor]}
    (folder / "package.json").write_text(json.dumps(described))
    return folder


def install(project: Path, packed: Packed, described: dict[str, Any], *options: str) -> None:
    """Installs both tarballs and what else a project needs into its folder, which gets this package.json."""
    overrides = {own_package(other): f"file:{packed.own if other == packed.target else absent(other)}" for other in TARGETS}
    dependencies = {**described.get("devDependencies", {}), "ananke-test": f"file:{packed.main}"}
    described = {**described, "private": True, "devDependencies": dependencies, "overrides": overrides}
    (project / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    run(npm(), "install", "--no-audit", "--no-fund", *options, cwd=project)


def install_offline(project: Path, packed: Packed, **described: Any) -> None:
    """Installs both tarballs without network, and nothing else."""
    install(project, packed, {"name": "project", **described}, "--offline", "--cache", str(WORK / "npm-cache"))
    installed = sorted(path.name for path in (project / "node_modules").glob("ananke-test*"))
    if installed != ["ananke-test", own_package(packed.target)]:
        raise SystemExit(f"npm installed {', '.join(installed)}: expected ananke-test and {own_package(packed.target)}")
