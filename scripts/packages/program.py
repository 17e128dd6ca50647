"""The program of a target: built, looked at, and packed with its licences."""

import gzip
import hashlib
import io
import shutil
import struct
import tarfile
import time
import zipfile
from pathlib import Path

from packages.machine import OUTPUT, ROOT, needs, run, version, with_tools
from packages.targets import Target, of_this_machine

# Of what is downloaded.
MOST_BYTES = 20_000_000
LICENCES = [ROOT / "LICENSE-APACHE", ROOT / "LICENSE-MIT", ROOT / "docs" / "licences.md"]
PROGRAMS = OUTPUT / "programs"
PT_INTERP = 3


def given_or_built(program: Path | None, target: Target) -> Path:
    """The program to pack: one that is there, as it is, or one that is built as it is published."""
    if program is None:
        built = build(target)
        check(built, target)
        return built
    given = program.resolve()
    check_version(given, target)
    return given


def build(target: Target) -> Path:
    """The program, as it is published. A Linux program is linked statically, by zig, for each processor."""
    here = of_this_machine()
    if here is None or here.system != target.system:
        raise SystemExit(f"{target.triple} is built on its own system: the release workflow does that on {target.runner}")
    needs("cargo", "Rust is installed with https://rustup.rs")
    add_standard_library(target)
    started = time.monotonic()
    options = ["--profile", "dist", "--locked", "--package", "ananke-test", "--bin", "ananke", "--target", target.triple]
    if target.system == "linux":
        run("cargo", "zigbuild", *options, **with_tools())
    else:
        run("cargo", "build", *options)
    program = OUTPUT / target.triple / "dist" / target.program
    print(f"{target.triple}: built in {time.monotonic() - started:.0f} s, {program.stat().st_size / 1e6:.1f} MB")
    return program


def add_standard_library(target: Target) -> None:
    libraries = Path(run("rustc", "--print", "sysroot").strip()) / "lib" / "rustlib" / target.triple / "lib"
    if not libraries.is_dir():
        needs("rustup", f"it adds the standard library of Rust for {target.triple}, which is not there")
        run("rustup", "target", "add", target.triple)


def is_static(program: Path) -> bool:
    """Whether a program of Linux is linked statically: its headers name no loader."""
    content = program.read_bytes()
    if content[:5] != b"\x7fELF\x02":
        return False
    (first,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    kinds = [struct.unpack_from("<I", content, first + number * size)[0] for number in range(count)]
    return PT_INTERP not in kinds


def check(program: Path, target: Target) -> None:
    """Ends the script if the program is not what is promised of it: static on Linux, and of this version."""
    if target.system == "linux" and not is_static(program):
        raise SystemExit(f"{program} is not linked statically")
    check_version(program, target)


def check_version(program: Path, target: Target) -> None:
    """Ends the script if the program is not one of this version; it is started if this machine can."""
    if not program.is_file():
        raise SystemExit(f"there is no program {program}")
    command: list[str | Path] = [program]
    if target != of_this_machine():
        emulator = shutil.which(target.emulator) if target.emulator else None
        if emulator is None:
            print(f"{target.triple}: not started here, since {target.emulator or 'a machine of it'} is missing")
            return
        command = [emulator, program]
    said = run(*command, "--version").strip()
    if said != f"ananke {version()}":
        raise SystemExit(f"{program} says that it is `{said}`: expected `ananke {version()}`")
    print(f"{target.triple}: {said}")


def pack(program: Path, target: Target) -> Path:
    """The archive of a program with its licences. The same files give the same bytes."""
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    name = f"ananke-{target.triple}"
    files = [(target.program, program, 0o755), *((path.name, path, 0o644) for path in LICENCES)]
    archive = PROGRAMS / (f"{name}.zip" if target.system == "win32" else f"{name}.tar.gz")
    if target.system == "win32":
        with zipfile.ZipFile(archive, "w") as packed:
            for file, path, _ in files:
                packed.writestr(zipfile.ZipInfo(f"{name}/{file}"), path.read_bytes(), zipfile.ZIP_DEFLATED)
    else:
        with archive.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as zipped, tarfile.open(mode="w", fileobj=zipped) as packed:
            for file, path, mode in files:
                content = path.read_bytes()
                entry = tarfile.TarInfo(f"{name}/{file}")
                entry.size, entry.mode = len(content), mode
                packed.addfile(entry, io.BytesIO(content))
    size = archive.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{archive} has {size:,} bytes: at most {MOST_BYTES:,} are promised")
    return archive


def write_checksums() -> Path:
    """The list of what is in the folder of archives, as `sha256sum --check` reads it."""
    archives = sorted(path for path in PROGRAMS.iterdir() if path.name.startswith("ananke-"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in archives]
    sums = PROGRAMS / "SHA256SUMS"
    sums.write_text("".join(lines), newline="\n")
    return sums
