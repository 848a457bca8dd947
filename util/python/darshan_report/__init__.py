"""Darshan logs in Python: numpy arrays over libdarshan-read, pandas frames on top.

from darshan_report import open_log

with open_log("job.darshan") as log:
    print(log.info.nprocs, log.records("POSIX")["POSIX_BYTES_READ"].sum())
    print(log.findings()[0].sentence)

doc/python.md describes the rest.
"""

from .api import Log, open_log
from .diagnose.finding import Finding, Findings
from .diagnose.limits import Limits
from .library import LibraryMissing, LogError
from .tables import Counter, Module, UnknownName, module_by_id, module_by_name
from .version import VERSION as __version__

__all__ = [
    "Counter",
    "Finding",
    "Findings",
    "LibraryMissing",
    "Limits",
    "Log",
    "LogError",
    "Module",
    "UnknownName",
    "__version__",
    "module_by_id",
    "module_by_name",
    "open_log",
]
