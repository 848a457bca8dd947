"""Reasons why I/O calls have no line of the user's code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from . import installed, interpreters
from .lines import Lines, Site
from .stack import IMPORT, UNKNOWN

_JAVA = re.compile(r"lib(?:java|jvm|nio|net|zip)\.so")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*t?|lib(?:python|pypy)3[^/]*\.so[0-9.]*")
_NODE = re.compile(r"lib(?:node|uv)\.so")  # node as Debian builds it
_NO_PROGRAM = re.compile(r".*\.so(?:\.[0-9.]+)?")
_STARTS = re.compile(r"lib(?:c|pthread|stdc\+\+|gcc_s)(?:[-.]|$)|ld-")  # starts any thread
_SHELLS = ("sh", "dash")  # bash can mostly run their scripts
_LEAST = 0.01  # part of the time in calls that is worth a sentence


def reason(site: Site, scripts: Mapping[str, str]) -> str:
    """Returns a clause on why a call site has no line of the user's code; "" if unknown. scripts:
    the script of each interpreter of the run, by the interpreter's name."""
    objects = [place.object.rsplit("/", 1)[-1] for place in site.places if place.object]
    python = [place for place in site.places if not place.object and place.file]
    if not python and any(map(_JAVA.fullmatch, objects)):
        return (
            "the Java machine itself made these calls, or this log has no lines of Java (which "
            "need OpenJDK 11 or later, on x86-64)"
        )
    if python:
        through = f"through {installed.called(python[0].file, python[0].function)}"
        if python[-1].file.endswith(".py") and installed.is_thread(python[-1].file):
            return f"a thread of a library made these calls, {through}"
        return f"the calls came from installed software alone, {through}"
    return _of_program(objects, scripts) if objects else _of_no_program(site)


def _of_no_program(site: Site) -> str:
    """Returns the reason for a call site without frames of a program; "" if unknown."""
    called, frames = site.stack.called, site.stack.frames
    if called == UNKNOWN:
        return "a thread used too many stacks to look at each, or its stack has unknown bounds"
    if called == IMPORT and not frames:
        return "an interpreter made these calls, at its start"
    many = (
        "the process has more call sites or stacks than are recorded, and each function has one "
        "site for all others"
    )
    return "" if frames else many


def program_of(site: Site) -> str:
    """Returns the name of the program that made the calls of a site, without its folder; empty if
    no frame belongs to a program."""
    return _program([place.object.rsplit("/", 1)[-1] for place in site.places if place.object])


def _program(objects: Sequence[str]) -> str:
    return next((name for name in reversed(objects) if not _NO_PROGRAM.fullmatch(name)), "")


def _library(objects: Sequence[str]) -> str:
    """Returns the outermost library that is not part of the C or C++ runtime, which is the one that
    started the thread; "" if there is none."""
    return next((name for name in reversed(objects) if not _STARTS.match(name)), "")


def _of_program(objects: Sequence[str], scripts: Mapping[str, str]) -> str:
    """Returns the reason for a call site whose frames are in these programs and libraries; "" if
    unknown. scripts: the script of each interpreter of the run, by the interpreter's name."""
    if any(map(_PYTHON.fullmatch, objects)):
        return "Python itself made these calls, at its start or its end"
    program = _program(objects)
    if not program and "node" in scripts and any(map(_NODE.match, objects)):
        program = "node"
    if interpreters.is_interpreter(program):
        script = scripts.get(program, "")
        where = f"; look in {script}" if script else ""
        if program == "node":
            # Its threads make the calls of fs.promises and of callbacks.
            return f"node or its thread pool made these calls{where}"
        if program in _SHELLS:
            where += f"; bash instead of {program} gives lines"
        return f"{program} runs a script, and the log does not have the lines of its script{where}"
    if program:
        return installed.programs_told([program])
    if library := _library(objects):
        return f"a thread of {library} made these calls"
    return "no frame of these calls is of a program"


def reasons(found: Lines) -> list[str]:
    """Returns clauses on why costly calls among the shown lines have no line of code. All installed
    programs together have one clause."""
    said, programs = [], []
    for line in found.lines:
        if line.place is not None:
            continue
        least = _LEAST * found.sums.seconds
        costly = [site for site in line.sites if site.sums.seconds >= least]
        # All further sites of such a line are mostly of the same kind.
        others = [site for site in costly[1:] if not site.stack.frames]
        for site in costly[:1] + others:
            text, program = reason(site, found.scripts), program_of(site)
            if program and text == installed.programs_told([program]):
                programs.append(program)
            elif text and text not in said:
                said.append(text)
    return said + ([installed.programs_told(programs)] if programs else [])
