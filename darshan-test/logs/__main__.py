"""Writes every correct and every damaged log into a folder, and prints the purpose of each: python3
-m logs FOLDER [SIZE]. With SIZE only logs of at most that many bytes, for fuzzers."""

from __future__ import annotations

import sys
from pathlib import Path

from .bad import Bad, broken_annexes, half_readable, small_log, unreadable
from .catalogue import good_cases
from .encode import encode
from .model import NONE, ZLIB


def main() -> None:
    """Writes the generated logs of the tests to a folder, without those that are larger than the
    given number of bytes."""
    folder = Path(sys.argv[1])
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 40
    folder.mkdir(parents=True, exist_ok=True)
    logs = [Bad(case.name, encode(case.log), case.why) for case in good_cases()]
    logs += [*unreadable(), *(bad for bad, _ in (*half_readable(), *broken_annexes()))]
    for name, compression in (("small", ZLIB), ("small-plain", NONE)):
        log = encode(small_log(compression))
        logs.append(Bad(name, log, "small enough to be damaged at every byte"))
    for log in logs:
        if len(log.data) <= limit:
            (folder / log.name).write_bytes(log.data)
            print(f"{log.name}: {log.why}")


if __name__ == "__main__":
    main()
