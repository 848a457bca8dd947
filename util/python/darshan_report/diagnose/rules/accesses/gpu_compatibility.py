"""GPUDirect Storage uses its compatibility path."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, count, seconds, share
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...reached import needs

NAME = "gpu-compatibility"
ROLE = REMARK


@needs("GDS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a notice if POSIX calls moved most bytes of GPUDirect Storage (cuFile's compatibility
    mode), and this took time; otherwise nothing. A notice and not a problem, because the log does
    not show how fast the direct path would be."""
    table = facts.table("GDS")
    if table is None:
        return
    moved = table.sum("BYTES_READ") + table.sum("BYTES_WRITTEN")
    # Unknown bytes (-1) count as 0 in a table.
    compat = table.sum("COMPAT_BYTES_READ") + table.sum("COMPAT_BYTES_WRITTEN")
    time = table.sum("F_READ_TIME") + table.sum("F_WRITE_TIME")
    worth = facts.worth(facts.stake(time, "time in transfers of cuFile and hipFile"))
    if not worth or compat <= facts.limits["gpu.compat"] * moved:
        return
    kinds = ("READS", "WRITES", "BATCH_READS", "BATCH_WRITES", "NB_READS", "NB_WRITES")
    calls, odd = sum(table.sum(kind) for kind in kinds), table.sum("UNALIGNED")
    alignment = ""
    if odd:
        alignment = (
            f" {count(odd)} of {count(calls)} transfers have a size or an offset in the file that "
            "is not a multiple of 4 KiB."
        )
    yield Finding(
        NAME,
        "GPU direct goes through the compatibility path",
        f"{amount(compat)} of {amount(moved)} ({share(compat, moved)}) that cuFile or hipFile "
        "moved were read or written by POSIX calls, and copied through the memory of the "
        f"processor. All transfers took {seconds(time)}.{alignment}",
        NOTICE,
        evidence=facts.sums(
            table, "BYTES_READ", "COMPAT_BYTES_READ", "BYTES_WRITTEN", "COMPAT_BYTES_WRITTEN",
            "UNALIGNED",
        ),
        remedy=Remedy(
            "Keep the files on a file system from which the GPU can read directly (gdscheck -p "
            "lists those of a machine with cuFile), and make sizes and offsets multiples of 4 KiB. "
            "To have an error instead of the compatibility path, set allow_compat_mode to false in "
            "cufile.json, or HIPFILE_ALLOW_COMPAT_MODE=false for hipFile.",
            'cufile.json: "properties": { "allow_compat_mode": false }',
        ),
        limits=("gpu.compat",),
    )  # fmt: skip
