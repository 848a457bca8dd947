"""Every function that MPI's header declares has a row in the runtime's tables, or is among the
exceptions here, with a reason. A release of MPI with more functions fails this test until a row or
an exception decides about each."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from mpi.launch import Mpi

from .observe import HERE

MODULES = HERE.parents[1] / "runtime" / "modules"
# The tables of the functions that the runtime wraps.
ROWS = [
    *(MODULES / folder / "calls.def" for folder in ("apmpi", "mpiio")),
    MODULES / "mpiio" / "waits.def",
    MODULES.parent / "mpi" / "calls.def",
]
# A row of a table; the group is the function.
ROW = re.compile(r"^[A-Z_]+\((MPI_\w+)", re.M)

# Functions that communicate but have no counter, by reason. A pattern matches a whole name, without
# MPI_ and without the _c of large counts.
TALKS = {
    "a record of 3.5.0 has no counter for it": (
        r"\w+_init|Start|Startall|Pready\w*|Parrived|I?neighbor_\w+|Neighbor_\w+"
        r"|Reduce_scatter_block|Ireduce_scatter_block|R(put|get|accumulate|get_accumulate)"
        r"|Mrecv|Improbe|Imrecv|Isendrecv|Isendrecv_replace|Win_lock_all"
    ),
    "it makes or ends what one talks by, without a counter": (
        r"(Comm|Intercomm|Win)_(create|allocate|accept|connect|disconnect|join|spawn|idup|merge"
        r"|free|attach|detach)\w*|(Cart|Graph|Dist_graph)_(create|sub)\w*"
    ),
}
# Functions that do not communicate, by reason, in the same form.
SILENT = {
    "it asks or sets what this process knows": (
        r"(Type|Group|Op|Info|Errhandler|Error|Attr|Keyval|Status|Topo|T|Session|Buffer|Is|Query"
        r"|Dims|Cartdim|Graphdims|Pack|Unpack|Message|Grequest|Aint|Add|Remove|Abi)_\w+"
        r"|(Comm|Win)_(c2f|f2c|call|compare|delete|get|group|rank|remote|set|shared|size|test"
        r"|revoke|is|iset|ishrink|shrink|agree|iagree|failure|ack|flush|iflush|fromint|toint)\w*"
        r"|(Cart|Graph|Dist_graph)_(coords|get|map|rank|shift|neighbors)\w*"
        r"|(Request|Op|Type|File)_(c2f|f2c|fromint|toint|get_status\w*)"
        r"|Get_\w+|Address|Aint|Pack|Unpack|Alloc_mem|Free_mem|Cancel|Test_cancelled|Initialized"
        r"|Finalized|Pcontrol|Reduce_local|Register_datarep|W(tick|time)"
    ),
    "of a file it asks only, or sets a handler": (
        r"File_(get|set_errhandler|c2f|f2c|call|create)\w*"
    ),
    "it finds others by a name": r"(Open|Close)_port|(Publish|Lookup|Unpublish)_name",
}


def of_the_header(mpi: Mpi, folder: Path) -> set[str]:
    """Returns the functions that mpi.h declares, without the prefix MPI_. folder: for a source
    file."""
    source = folder / "only-mpi.c"
    source.write_text("#include <mpi.h>\n")
    command = [mpi.command("mpicc"), "-E", "-P", source]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # A return type precedes the name of a declaration, but not a call in an inline function.
    return set(re.findall(r"\b(?:int|double|MPI_Aint|MPI_Fint)\s+MPI_([A-Z]\w*)\s*\(", text))


def test_every_function_of_the_header(mpi: Mpi, tmp_path: Path) -> None:
    """Each function that mpi.h declares has a row in a table of wrappers, or a reason for having
    none."""
    declared = of_the_header(mpi, tmp_path)
    assert {"Send", "Ialltoallw", "Wtime", "File_open"} <= declared and len(declared) > 350
    rows = {name[4:] for table in ROWS for name in ROW.findall(table.read_text())}
    reasons = re.compile("|".join([*TALKS.values(), *SILENT.values()]))
    missing = {name for name in declared - rows if not reasons.fullmatch(name.removesuffix("_c"))}
    assert missing == set()


def test_large_counts_are_counted_as_the_others(mpi: Mpi, tmp_path: Path) -> None:
    """A function with a counter is counted in its form with large counts, too, which headers of MPI
    4 declare."""
    rows = {name[4:] for table in ROWS for name in ROW.findall(table.read_text())}
    without_counter = re.compile("|".join(TALKS.values()))
    large = {name for name in of_the_header(mpi, tmp_path) if name.endswith("_c")}
    small = {name.removesuffix("_c") for name in large - rows}
    assert {name for name in small & rows if not without_counter.fullmatch(name)} == set()
