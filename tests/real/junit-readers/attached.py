"""Finds the files that build servers attach to tests: what GitLab's and Jenkins' pattern finds in the output of each case,
as junitparser reads it (first argument: the report). Each must be there, from the folder of the second argument, and
belong to the test beside it; the others are how many there must be of each test, by name."""

import collections
import json
import pathlib
import re
import sys

from junitparser import JUnitXml

report, folder, *wanted = sys.argv[1:]
found = collections.Counter()
for suite in JUnitXml.fromfile(report):
    for case in suite:
        for path in re.findall(r"\[\[ATTACHMENT\|(.+?)\]\]", case.system_out or ""):
            head = json.loads((pathlib.Path(folder) / path).read_text(encoding="utf-8").splitlines()[0])
            test = head["recording"]["test"]
            if test.split("::", 1)[1] != case.name:
                sys.exit(f"{case.name} has the recording of {test}")
            found[case.name] += 1
expected = collections.Counter(wanted)
if found != expected:
    sys.exit(f"found {dict(found)}, expected {dict(expected)}")
