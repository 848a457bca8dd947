"""Reads logs by PyDarshan, a reader independent of this tree, to compare with the results of a
lake's queries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import darshan as pydarshan

from .rows import identity


@dataclass
class Read:
    """A log. log: its identity in the lake; user, program: from the file's name; job: PyDarshan's
    job record; records: by module, each a dict of counters with "name" and "mount"."""

    log: str
    user: str
    program: str
    job: dict[str, Any]
    records: dict[str, list[dict[str, Any]]]

    @property
    def begun(self) -> float:
        """Returns when the job began, in seconds since 1970."""
        return float(self.job["start_time_sec"] + self.job["start_time_nsec"] / 1e9)

    @property
    def ended(self) -> float:
        """Returns when the job ended, in seconds since 1970."""
        return float(self.job["end_time_sec"] + self.job["end_time_nsec"] / 1e9)

    def total(self, module: str, counter: str) -> float:
        """Returns the sum of a counter over all records of a module, but at least 0. As in `darshan
        parse --total`, a record that lacks the counter contributes -1."""
        return max(sum(record[counter] for record in self.records.get(module, [])), 0)

    def of_files(self) -> list[dict[str, Any]]:
        """Returns the records of POSIX and STDIO; the names of their counters are without the
        module's prefix."""
        return [
            {"module": module, **{k.partition("_")[2] if k.startswith(module) else k: v
                                  for k, v in record.items()}}
            for module in ("POSIX", "STDIO") for record in self.records.get(module, [])
        ]  # fmt: skip


def _mount(name: str, mounts: list[tuple[str, str]]) -> str:
    """Returns the mount point of a file's name; "not known" if none fits."""
    # Darshan compares characters, not parts of a path: /home2 is on /home.
    fitting = [m for m, _ in mounts if name.startswith(m)]
    return max(fitting, key=len, default="not known")


def _rows(frames: Any) -> list[dict[str, Any]]:
    """Returns the rows of a module's records, as PyDarshan has them."""
    if "components" in frames:
        found: list[dict[str, Any]] = frames["components"].to_dict("records")
        return found
    both = frames["counters"].merge(frames["fcounters"], on=["id", "rank"])
    rows: list[dict[str, Any]] = both.to_dict("records")
    return rows


def read(path: Path) -> Read:
    """Reads a log whose file name is USER_PROGRAM_id..."""
    user, program = path.name.split("_")[:2]
    with pydarshan.DarshanReport(str(path), read_all=True) as report:
        records = {}
        for module in report.records:
            rows = _rows(report.records[module].to_df())
            for row in rows:
                row["name"] = report.name_records[row["id"]]
                row["mount"] = _mount(row["name"], report.mounts)
            records[module] = rows
        return Read(identity(path), user, program, report.metadata["job"], records)
