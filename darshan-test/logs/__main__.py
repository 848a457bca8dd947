"""Writes every good and bad log into a folder: python3 -m logs FOLDER [SIZE].

With SIZE only logs of at most that many bytes, which is what fuzzers want.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .bad import broken_annexes, half_readable, small_log, unreadable
from .catalogue import good_cases
from .encode import encode


def main() -> None:
    folder = Path(sys.argv[1])
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 40
    folder.mkdir(parents=True, exist_ok=True)
    logs = {case.name: encode(case.log) for case in good_cases()}
    logs |= {bad.name: bad.data for bad in unreadable()}
    logs |= {bad.name: bad.data for bad, _ in half_readable()}
    logs["small"] = encode(small_log())
    logs |= {bad.name: bad.data for bad, _ in broken_annexes()}
    for name, data in logs.items():
        if len(data) <= limit:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
