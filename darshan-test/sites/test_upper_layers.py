"""POSIX calls below a call of HDF5 belong to the site of the HDF5 call."""

from __future__ import annotations

import pytest
from place import needs

from .stacks import KINDS, Program


@pytest.mark.parametrize("scenario", ["storage", "streams"])
def test_hdf5_owns_what_is_below(scenario: str, program: Program) -> None:
    """Only HDF5 functions and the program's own `printf` have sites, and the bytes of all sites
    equal those of the POSIX and STDIO records. scenario: of layers.c."""
    needs("hdf5")
    path = program.build / "darshan-test" / "layers" / "layers"
    program.start(path, scenario)
    (log,) = program.logs()
    outcome = program.read(log)
    called = {site.called for site in outcome.sites}
    assert {"H5Fcreate", "H5Dwrite", "H5Fclose"} <= called
    assert {name for name in called if not name.startswith("H5")} <= {"printf"}
    for counter in ("BYTES_READ", "BYTES_WRITTEN"):
        below = sum(
            row[counter]
            for name in ("POSIX", "STDIO")
            for row in outcome.rows.get(name, {}).values()
        )
        assert outcome.total(counter) == below
    for kind in ("READS", "WRITES"):
        rows = outcome.rows["H5D"].values()
        ours = sum(site.row[kind] for site in outcome.sites if site.called.startswith("H5D"))
        assert ours == sum(row[kind] for row in rows)
    spent = sum(site.row[f"F_{kind[:-1]}_TIME"] for site in outcome.sites for kind in KINDS)
    assert spent > 0
