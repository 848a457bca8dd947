"""Selects, from the example calls of a remedy, those for the program's language and libraries."""

from __future__ import annotations

import re
from dataclasses import replace

from ..facts import Facts
from ..finding import Finding
from .language import spoken

_BETWEEN = ";  "  # two calls on one line
_HDF5 = re.compile(r"\bH5[A-Z][a-z]|\bnc_[a-z]|\bh5py\.|\bnetCDF4\.")
_PNETCDF = re.compile(r"\bncmpi_")
_MPI = re.compile(r"\bMPI_|\bromio_|\bcb_")
_LUSTRE = re.compile(r"\blfs ")


def fitted(facts: Facts, finding: Finding) -> Finding:
    """Returns the finding without example calls of languages and libraries that its program does
    not use; unchanged if no call would remain."""
    if not finding.remedy.example:
        return finding
    example = spoken(facts, finding.programs, finding.remedy.example)
    finding = replace(finding, remedy=replace(finding.remedy, example=example))
    unknown = _unknown(facts)
    if not example or not unknown:
        return finding
    kept = []
    for line in example.split("\n"):
        calls = [c for c in line.split(_BETWEEN) if not any(u.search(c) for u in unknown)]
        if calls:
            kept.append(_BETWEEN.join(calls))
    if not kept:
        return finding
    return replace(finding, remedy=replace(finding.remedy, example="\n".join(kept)))


def _unknown(facts: Facts) -> list[re.Pattern[str]]:
    """Returns the patterns of the libraries and file systems of which the log has no sign."""
    there = {
        _HDF5: ("H5F", "H5D"),
        _PNETCDF: ("PNETCDF_FILE", "PNETCDF_VAR"),
        _MPI: ("MPI-IO",),
    }
    found = [words for words, modules in there.items() if not any(map(facts.info.region, modules))]
    if facts.together and _MPI in found:
        found.remove(_MPI)
    if not any(kind == "lustre" for _, kind in facts.info.mounts):
        found.append(_LUSTRE)
    return found
