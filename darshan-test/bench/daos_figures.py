"""Measures the time that the runtime adds to calls of DAOS, whose libraries are replaced by
stand-ins that return results from memory."""

from __future__ import annotations

import subprocess
from pathlib import Path

from machine import Bench, call_cost
from rows import Row

HERE = Path(__file__).resolve().parent
CALLS = 400_000
# By kind: label, and goal in nanoseconds: 100 for a call of libdaos, and twice as much for one of
# libdfs, which calls libdaos; None: no goal.
KINDS = {
    "array": ("daos_array_write of 64 bytes", 100),
    "key": ("daos_kv_get of 64 bytes", 100),
    "write": ("dfs_write of 64 bytes", 200),
    "read": ("dfs_read of 64 bytes", 200),
    "open": ("dfs_open and dfs_release of the same file", None),
}


def compiled(folder: Path) -> str:
    """Compiles the program and its two stand-in libraries into a folder. Returns the program's
    path."""
    libraries, program = HERE.parent / "daos", folder / "daos-cost"
    common = ["gcc", "-std=gnu11", "-O2", f"-L{folder}"]
    for name, below in (("daos", []), ("dfs", ["-ldaos"])):
        source, library = libraries / f"lib{name}.c", folder / f"lib{name}.so"
        subprocess.run([*common, "-shared", "-fPIC", "-o", library, source, *below], check=True)
    found = ["-ldfs", "-ldaos", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}"]
    subprocess.run([*common, "-o", program, HERE / "daos-cost.c", *found], check=True)
    return str(program)


def calls(bench: Bench) -> list[Row]:
    """Measures calls of each kind in KINDS. Returns a row of the table of results for each."""
    program = compiled(bench.folder)
    return [call_cost(bench, [program, kind, str(CALLS)], *row) for kind, row in KINDS.items()]
