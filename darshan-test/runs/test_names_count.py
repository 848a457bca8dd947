"""Of a program that only asks for names, the time is in its row of the picture."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from runs.reading import processes, rows

PROGRAM = """
import os, sys
for i in range(2000):
    os.path.lexists(f"{sys.argv[1]}/none{i}")
    os.listdir(sys.argv[1])
"""


def test_names_without_a_file(build: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "ask.py").write_text(PROGRAM)
    ask = f"{sys.executable} ask.py folder; cat ask.py >copied"
    command = [build / "darshan", "run", "-o", tmp_path / "logs", "--", "sh", "-c", ask]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (log,) = (tmp_path / "logs").iterdir()
    every = processes(log)
    (asking,) = (row for name, row in every.items() if name.endswith("ask.py folder"))
    extension = rows(log, "POSIX_EXT")
    assert sum(row["POSIX_EXT_MISSES"] for row in extension) >= 2000
    listing = sum(row["POSIX_EXT_F_LIST_TIME"] for row in extension)
    files = sum(row["POSIX_F_META_TIME"] for row in rows(log, "POSIX"))
    whole = sum(row["PROCESS_F_META_TIME"] for row in every.values())
    assert whole >= (files + listing) * (1 - 1e-9)
    assert asking["PROCESS_F_META_TIME"] > listing / 2
