"""The remedy that gives HDF5 a larger chunk cache, for chunks that the program reads or writes
again."""

from __future__ import annotations

from ...diagnose.rules.hdf5 import chunk_cache, chunks_rewritten
from ...units import amount
from ..planning.case import Case, Plan

NAME = "chunk-cache"
WHAT = "opens HDF5 files with a larger chunk cache"
CURES = ("chunk-cache", "chunks-rewritten")
_DEFAULT = 64 << 20  # bytes, if no finding has the size
_SLOTS = 12421  # a prime, about 100 for each of 124 chunks


def plan(case: Case) -> Plan | str:
    """Returns the plan, or the reason why there is none: the program uses no chunked dataset, each
    close would empty the cache, or memory may not hold it."""
    facts = case.facts
    chunked = [upper for upper in facts.datasets if upper.counters["CHUNK_BYTES"] > 0]
    if not chunked:
        return "the program uses no dataset of HDF5 with chunks"
    wanted = _DEFAULT
    if case.finding is not None:
        rule = chunks_rewritten if case.finding.name == chunks_rewritten.NAME else chunk_cache
        if rule.is_lost(facts):
            return "a cache lives as long as its dataset is open, and this one is closed each time"
        wanted = rule.wanted_bytes(facts)
    # The size counts for each dataset of the file, in each process.
    table = facts.table("H5D")
    users = max(1, int(table.processes.max())) if table is not None else 1
    needed = wanted * len(chunked) * users
    if 2 * needed > case.memory:
        return (
            f"caches of {amount(wanted)} may take {amount(needed)}, which is more than half of the "
            f"free memory ({amount(case.memory)})"
        )
    return Plan(
        f"{NAME}={wanted};chunk-slots={_SLOTS}",
        keep=f"Python: h5py.File(path, rdcc_nbytes={wanted}, rdcc_nslots={_SLOTS})\n"
        f"C: H5Pset_cache(fapl, 0, {_SLOTS}, {wanted}, 0.75);  H5Fopen(path, flags, fapl)\n"
        f"Fortran: call h5pset_cache_f(fapl, 0, {_SLOTS}_size_t, {wanted}_size_t, 0.75, ierr)\n"
        f"PyTables: tables.open_file(path, CHUNK_CACHE_SIZE={wanted}, "
        f"CHUNK_CACHE_NELMTS={_SLOTS})\n"
        f"netCDF: nc_set_chunk_cache({wanted}, {_SLOTS}, 0.75) before nc_open",
        opens="H5Fopen|H5Fcreate",
    )
