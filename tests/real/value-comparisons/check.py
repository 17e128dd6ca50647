"""Finds comparisons of JSON values by `==` in MIR, apart from derived ones and those that are allowed."""

import re
import sys

COMPARES = re.compile(r"PartialEq(<bool>)?>::(eq|ne)\(")
# A path is written out where its last name is not the only one of the crate.
JSON = re.compile(r"(?<![\w:])(serde_json::(\w+::)*)?(Value|Number|Map<std::string::String|Map<String)\b|serde_json::")
DERIVED = re.compile(r">::eq\(_1: &\S+, _2: &\S+\) -> bool")
# Where a function is: `module::<impl at crates/CRATE/src/FILE.rs:1:2: 3:4>::name::{closure#0}` or `module::name`.
FILE = re.compile(r"<impl at (?:crates/([\w-]+)/)?src/([\w/]+)\.rs:[^>]*>")


def file(place):
    """A file, short: `<CRATE/FILE>`; those of the program have no crate."""
    crate, path = place.groups()
    return f"<{crate}/{path}>" if crate else f"<{path}>"


def functions(mir):
    """The name of each function with its comparisons of JSON values."""
    name = ""
    for line in mir:
        if line.startswith(("fn ", "const ", "static ")):
            name = line.strip()
        elif JSON.search(line) and COMPARES.search(line) and not DERIVED.search(name):
            head = FILE.sub(file, name.removeprefix("fn ").split("(_1")[0])
            yield re.sub(r"(::\{closure#\d+\})+$", "", head)


def main(allowed, *crates):
    with open(allowed, encoding="utf-8") as file:
        reasons = dict(line.rstrip("\n").split("\t", 1) for line in file if line.strip() and line[0] != "#")
    found = set()
    for crate in crates:
        with open(crate, encoding="utf-8") as mir:
            found |= set(functions(mir))
    wrong = sorted(found - reasons.keys())
    for name in wrong:
        print(f"{name}: compares JSON values by `==`; use `is_same_json`, or say in allowed.txt why not")
    unused = sorted(reasons.keys() - found)
    for name in unused:
        print(f"{name}: allowed.txt names it, and it compares nothing")
    print(f"{len(found)} functions compare JSON values by `==`, {len(wrong)} of them without a reason")
    # The comparison itself is one of them: if it is not found, the form of MIR has changed.
    return bool(wrong or unused or not found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
