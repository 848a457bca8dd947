"""Prints the APMPI records of one log, as PyDarshan reads them, in JSON. A process reads only one
log, because the library of 3.5.0 would begin a second log where the first one ended."""

from __future__ import annotations

import json
import sys

from darshan import DarshanReport

report = DarshanReport(sys.argv[1], read_all=False)
report.mod_read_all_apmpi_records("APMPI")
found = [dict(record) for one in report.records["APMPI"] for record in one._records]
json.dump(found, sys.stdout, default=float)
