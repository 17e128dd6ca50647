"""The systems that programs are published for: one table for the programs, the wheels, the npm packages and the release workflow."""

import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """One system, by the name that rustc has for it."""

    triple: str
    """`x86_64-unknown-linux-musl`."""
    node: str
    """What Node.js calls it, `process.platform` and `process.arch`: the last part of the name of its npm package."""
    wheel: str
    """The platform tag of its wheel (PEP 425). A static program needs no library, so its tag is the oldest that pip has a word for."""
    runner: str
    """The runner of the release workflow that builds it."""
    emulator: str = ""
    """The program that runs it on Linux of another processor."""

    @property
    def system(self) -> str:
        """`linux`, `darwin` or `win32`."""
        return self.node.split("-")[0]

    @property
    def processor(self) -> str:
        """`x64` or `arm64`."""
        return self.node.split("-")[1]

    @property
    def program(self) -> str:
        """The name of the program's file."""
        return "ananke.exe" if self.system == "win32" else "ananke"


TARGETS = [
    Target(
        "x86_64-unknown-linux-musl",
        "linux-x64",
        "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        "ubuntu-24.04",
        "qemu-x86_64-static",
    ),
    Target(
        "aarch64-unknown-linux-musl",
        "linux-arm64",
        "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        "ubuntu-24.04-arm",
        "qemu-aarch64-static",
    ),
    Target("x86_64-apple-darwin", "darwin-x64", "macosx_10_12_x86_64", "macos-15-intel"),
    Target("aarch64-apple-darwin", "darwin-arm64", "macosx_11_0_arm64", "macos-15"),
    Target("x86_64-pc-windows-msvc", "win32-x64", "win_amd64", "windows-2025"),
]

SYSTEMS = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}
PROCESSORS = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def of_this_machine() -> Target | None:
    """The target of the machine that this runs on; None if nothing is published for it."""
    system = SYSTEMS.get(platform.system(), "")
    processor = PROCESSORS.get(platform.machine().lower(), "")
    return next((target for target in TARGETS if target.node == f"{system}-{processor}"), None)


def named(triple: str) -> Target:
    """The target of this name, or the end of the script with the names there are."""
    for target in TARGETS:
        if target.triple == triple:
            return target
    names = ", ".join(target.triple for target in TARGETS)
    raise SystemExit(f"no target is called {triple}: the targets are {names}")
