"""Reads damaged logs with the Python package. For each log, the data and the texts of the report
must be made, or LogError must be raised. Any other exception is a failure, and so is a warning.

    python3 python.py BUILD SECONDS FOLDER"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

build, seconds, folder = Path(sys.argv[1]).resolve(), float(sys.argv[2]), Path(sys.argv[3])
sys.path.insert(0, str(build / "python"))
os.environ["DARSHAN_READ_LIB"] = str(build / "libdarshan-read.so.0")

from darshan_report import open_log  # noqa: E402
from darshan_report.diagnose.limits import Limits  # noqa: E402
from darshan_report.library import LogError  # noqa: E402
from darshan_report.report import terminal  # noqa: E402
from darshan_report.report.context import Context  # noqa: E402
from darshan_report.report.data import as_csv, as_json, data  # noqa: E402


def read(path: Path, limits: Limits) -> bool:
    """Makes all texts of a report on a log. Returns False if opening or reading it raises LogError,
    else True."""
    try:
        with open_log(path) as log:
            context = Context(log, limits)
            made = [data(context)]
            "\n".join(terminal.lines(context, True)).encode("utf-8", "backslashreplace")
            as_json(made)
            as_csv(made)
    except LogError:
        return False
    return True


def main() -> int:
    """Reads the logs of the folder until the time is over. Returns the exit status, which is always
    0, because a failure is an exception."""
    warnings.simplefilter("error")
    limits, end, count, refused = Limits(), time.monotonic() + seconds, 0, 0
    for path in sorted(folder.iterdir()):
        if time.monotonic() > end:
            break
        try:
            refused += not read(path, limits)
        except Exception:
            print(f"failed on {path}", file=sys.stderr)
            raise
        count += 1
    print(f"{count} inputs, {refused} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
