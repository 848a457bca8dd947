"""The names of PnetCDF's functions that move data, which the C preprocessor makes from
transfers.def."""

from __future__ import annotations

import subprocess
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "runtime" / "modules" / "pnetcdf" / "transfers.def"
# A C source that becomes the names.
ROWS = f"""
#define TRANSFER(api, form, type, mode, arguments) ncmpi_##api##_##form##type##mode
#include "{TABLE}"
"""


def transfers() -> set[str]:
    """Returns the name of each function that transfers.def defines."""
    done = subprocess.run(
        ["cc", "-E", "-P", "-xc", "-"], input=ROWS, text=True, capture_output=True, check=True
    )
    names = done.stdout.split()
    assert len(names) == len(set(names))
    return set(names)
