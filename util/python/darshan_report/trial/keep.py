"""The change that makes a remedy permanent: the code to write, in the program's language, and the
line at which to write it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ..call_sites import told
from ..call_sites.lines import Line, Lines, lines_of
from ..call_sites.measured import OPEN
from ..diagnose.blame import blame
from ..diagnose.facts import Facts
from ..diagnose.finding import Finding
from ..diagnose.remedies.language import languages, of_program
from .planning.case import Plan

_ENDINGS = {
    ".py": "Python", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++",
    ".hpp": "C++", ".f": "Fortran", ".f90": "Fortran", ".F90": "Fortran", ".rs": "Rust",
    ".go": "Go", ".R": "R", ".jl": "Julia", ".pl": "Perl", ".rb": "Ruby", ".java": "Java",
}  # fmt: skip
_LABELS = re.compile(r"([A-Z][A-Za-z+]*|netCDF|shell|dd): (.*)")
# Libraries that a program may use HDF5 through, and how paths of their files or names of their
# functions look.
_THROUGH = (
    ("netCDF", re.compile(r"netCDF4|libnetcdf")),
    ("PyTables", re.compile(r"-packages/tables/|^tables\.")),
)


def _opening(found: Lines, opens: str) -> Line | None:
    """Returns the line that opened most files by functions whose names match the pattern `opens`;
    None if there is none."""
    counts = [
        (sum(s.sums.calls_of[OPEN] for s in line.sites if re.fullmatch(opens, s.stack.called)), n)
        for n, line in enumerate(found.every)
        if line.place is not None
    ]
    most = max(counts, default=(0, 0), key=lambda pair: pair[0])
    return found.every[most[1]] if most[0] > 0 else None


def line_of(facts: Facts, finding: Finding | None, plan: Plan) -> tuple[str, str, str]:
    """Returns the line at which to write the remedy ("train.py:4"), the extension of its file
    (".py"), and the library through which the line uses HDF5, "netCDF" or "PyTables". Unknown
    values are "". The line is that of the finding, or the one that opened most files if the plan
    says so (Plan.opens)."""
    found = lines_of(facts.log, 1)
    if found is None or found.is_anonymous:
        return "", "", ""
    if plan.opens:
        line = _opening(found, plan.opens)
    else:
        said = blame(found, finding) if finding is not None else None
        line = said.line if said else None
    if line is None or line.place is None:
        return "", "", ""
    found.look_up(line)
    # The program may use netCDF by another library, as NCO's programs and GDAL do.
    used = [place.object or place.file for site in line.sites for place in site.places]
    used += [told.library_call(site) for site in line.sites]
    through = [name for name, pattern in _THROUGH if any(map(pattern.search, used))]
    ((where, _),) = told.places_of([line])
    return where, os.path.splitext(line.place.file)[1], next(iter(through), "")


# Libraries whose functions lie between a program of a language and libc.
_RUNTIMES = (("libstdc++", "C++"), ("libc++", "C++"), ("libgfortran", "Fortran"))


def behind_shell(facts: Facts) -> set[str]:
    """Returns the language of a program that a shell became (exec), from its call sites: the log of
    the process has the command and the language of the shell. Returns an empty set if no shell
    hides the program, or if it is unknown or a script."""
    first = facts.info.exe.partition(" ")[0]
    found = lines_of(facts.log, 1) if facts.tree is None and of_program(first) == "shell" else None
    if found is None or found.is_anonymous:
        return set()
    counts: dict[str, float] = {}
    libraries: set[str] = set()
    for site in (site for line in found.every for site in line.sites):
        names = [os.path.basename(place.object) for place in site.places if place.object]
        libraries.update(name.partition(".so")[0] for name in names)
        own = [name for name in names if ".so" not in name]
        name = own[-1] if own else ""
        counts[name] = counts.get(name, 0.0) + sum(site.sums.calls_of)
    program = max(counts, key=lambda name: counts[name], default="")
    if not program:
        return set()
    known = {language for library, language in _RUNTIMES if library in libraries}
    return {of_program(program)} if of_program(program) else known or {"C"}


def labelled(
    rows: Sequence[str],
    facts: Facts,
    ending: str,
    *,
    through: str = "",
    programs: str = "",
) -> list[str]:
    """Returns the rows that are in the program's language, without the name of the language.
    Returns all rows unless exactly one row is in it. rows: "language: code". ending: extension of
    the file to edit. through: "netCDF" or "PyTables" if the line uses HDF5 through it. programs: as
    the finding names them, empty if it names none."""
    by_language = {m[1]: m[2] for row in rows if (m := _LABELS.fullmatch(row))}
    known = {_ENDINGS[ending]} if ending in _ENDINGS else set(languages(facts, programs))
    if ending not in _ENDINGS:
        known = behind_shell(facts) or known
    if through in by_language:
        known = {through}
    if "C++" in known and "C++" not in by_language:
        known = known - {"C++"} | {"C"}
    found = [by_language[language] for language in by_language if language in known]
    return found if len(found) == 1 else [row for row in rows if row]


def keep(facts: Facts, finding: Finding | None, plan: Plan) -> list[str]:
    """Returns the lines of code that make a remedy permanent, in the program's language if it is
    known. Each line begins with the place at which to write it, if the log shows it. For a plan
    that is no remedy, returns advice on what to do instead."""
    # A variable is not set at a line of the program.
    nowhere = ("", "", "")
    where, ending, through = nowhere if plan.variables else line_of(facts, finding, plan)
    rows = (plan.keep or plan.instead).split("\n")
    programs = finding.programs if finding is not None else ""
    rows = labelled(rows, facts, ending, through=through, programs=programs)
    return [f"{where}  {row}" if where else row for row in rows]
