#!/usr/bin/env python3
"""Ananke as the client of the official suite: runs the spec of a scenario against the server that the suite names last."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "specs" / "conformance"
scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
command = [os.environ["ANANKE"], "run", "--config", FOLDER / "ananke.config.yaml", FOLDER / f"{scenario}.test.yaml"]
sys.exit(subprocess.run(command, env={**os.environ, "ANANKE_MCP_URL": sys.argv[-1]}, timeout=60).returncode)
