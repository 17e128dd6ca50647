#!/usr/bin/env python3
"""Writes a project of 300 tests with three turns each. 39 fail for 7 causes: one is in the tests, six are in the agent.

    PORT=8000 node tests/real/first-hours/orders/shop.mjs &
    tests/real/first-hours/three_hundred.py DIRECTORY http://127.0.0.1:8000/
    cd DIRECTORY && ananke run

`shop.mjs mended` is the agent without its six mistakes; then only the four tests with another text fail.
"""

import sys
from pathlib import Path

ORDER = """\
  - name: order O-{number}
    turns:
      - user: "Where is order O-{number}?"
        assert:
          tools: {{ require: [{{ name: find_order, args: {{ order: O-{number} }} }}] }}
          text: {text}
      - user: "Refund it"
        assert:
          tools:
            require:
              - {{ name: refund, count: 1 }}
              - {{ name: refund, args: {{ amount: {number}.5 }} }}
              - {{ name: refund, after: check_policy }}
            forbid: delete_order
      - user: "Thank you"
        assert: {{ text: O-{number} is closed }}
"""
CAUSES = {
    "HTTP 503": 3,
    "timeout after": 2,
    "nothing the agent said in this turn contains `is in transit`": 4,
    "`refund` was called with ": 10,
    "`refund` was called 2 times in this turn, expected exactly once": 10,
    "`delete_order` was called, which is forbidden": 5,
    "`refund` was called without an earlier call to `check_policy`": 5,
}


def write(folder: Path, url: str) -> None:
    """Writes the project, for an agent at this address."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ananke.config.yaml").write_text(
        f'version: "1.4"\ntarget: {{ type: agui, endpoint: "{url}", timeout_ms: 2000 }}\nrun: {{ parallel: 8 }}\n'
    )
    for first in range(1, 301, 10):
        file = folder / "tests" / f"team-{first // 50 + 1}" / f"orders-{first:03}.test.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        texts = {number: "is in transit" if 6 <= number <= 9 else "is sent" for number in range(first, first + 10)}
        file.write_text("tests:\n" + "".join(ORDER.format(number=number, text=text) for number, text in texts.items()))


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    write(Path(sys.argv[1]), sys.argv[2])


if __name__ == "__main__":
    main()
