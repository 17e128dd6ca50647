"""Tests of the package: pytest python/tests, with `ANANKE_PROGRAM` if the package is not installed with its program."""
