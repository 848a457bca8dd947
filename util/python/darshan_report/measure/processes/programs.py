"""The names by which users know programs, made from the command lines of processes."""

from __future__ import annotations

import functools
import os
import re

from ...classes import dataclass

_UNKNOWN = "(unknown)"
# Separates the programs that a process ran one after another (runtime/modules/process).
_BECAME = " -> "
_LONGEST = 32  # characters of a name, because sentences contain it
# Interpreters, which users know by the name of their script.
INTERPRETER = re.compile(
    r"(python|pypy)[0-9.]*|(ba|da|z|k|a)?sh|perl[0-9.]*|ruby[0-9.]*|lua[0-9.]*|php[0-9.]*|"
    r"node|nodejs|Rscript|julia|tclsh"
)
SHELL = re.compile(r"(ba|da|z|k|a)?sh")
_PYTHON = re.compile(r"(python|pypy)[0-9.]*")
# For each kind of interpreter: the option that precedes program text in the command line, and the
# options that take a value.
_OPTIONS = (
    (SHELL, re.compile(r"-[a-z]*c[a-z]*"), frozenset(("-o", "+o", "-O", "+O"))),
    (_PYTHON, re.compile(r"-[a-zA-Z]*c"), frozenset(("-W", "-X"))),
    (re.compile(r".*"), re.compile(r"-[eEp]"), frozenset(("-r", "-I"))),
)
# The code with which Python's multiprocessing starts workers that are not forked copies.
_SPAWNED = re.compile(r"from multiprocessing\.(spawn|forkserver) import")
_TRACKER = re.compile(r"from multiprocessing\.(\w+_tracker) import")


@dataclass(frozen=True)
class Program:
    """The properties by which processes are grouped into programs and named. name: as a user knows
    the program, such as "train.py"."""

    name: str
    worker: bool = False  # a forked copy of its parent, or started as its worker
    shell: bool = False
    job_ranks: int = 0  # number of ranks of the MPI job to which it belongs; 0 without a job
    launcher: bool = False  # starts ranks, as mpirun or torchrun

    def times(self, number: int) -> str:
        """Returns text for this number of processes of the program: "train.py's 8 workers"."""
        if self.worker:
            what = "subshell" if self.shell else "worker"
            return f"{self.name}'s {what}" if number == 1 else f"{self.name}'s {number:,} {what}s"
        return self.name if number == 1 else f"{self.name} \u00d7 {number:,}"


def is_named(name: str, told: str) -> bool:
    """Returns whether a text that lists programs, such as that of Processes.told, has this one:
    "sh" is in "sh \u00d7 3 and make" and in "2 sh", but not in "bash". name: of the program."""
    one = rf"(?:^|, | and )(?:[\d,]+ )?{re.escape(name)}(?:$|, | and | \u00d7 |'s )"
    return re.search(one, told) is not None


def split(name: str, programs: int) -> tuple[str, str]:
    """Splits the name of a PROCESS record. Returns the host, and the command line of the last
    program. programs: how many programs the process ran one after another."""
    host, colon, commands = name.partition(": ")
    if not colon:
        host, commands = "", name
    # An argument may contain an arrow, too.
    return host, commands.rpartition(_BECAME)[2] if programs > 1 else commands


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}\u2026"


def script_place(words: list[str], program: str) -> int | None:
    """Returns the index of the script or module that an interpreter runs; None if it runs none.
    words: the interpreter's arguments. program: its name."""
    code, valued = next((c, v) for kind, c, v in _OPTIONS if kind.fullmatch(program))
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
        elif code.fullmatch(word):
            return None
        elif word == "-m" and _PYTHON.fullmatch(program) and place + 1 < len(words):
            return place + 1
        elif word in valued:
            skip = True
        elif not word.startswith("-"):
            return place
    return None


def _base(word: str) -> str:
    return os.path.basename(word.rstrip("/"))


@functools.lru_cache(maxsize=8192)
def program_name(command: str) -> tuple[str, bool]:
    """Returns the name by which a user knows the program of a command line (that of the script if
    it is an interpreter), and whether it is a shell. The name is at most 32 characters; "(unknown)"
    if the command line is empty."""
    if not is_command(command):
        return _short(command) or _UNKNOWN, False
    words = command[:4096].split()
    program = _base(words[0]).lstrip("-") if words else ""
    if not program:
        return _UNKNOWN, False
    tracker = _TRACKER.search(command)
    if tracker:
        return f"multiprocessing.{tracker[1]}", False
    if INTERPRETER.fullmatch(program):
        place = script_place(words[1:], program)
        found = program if place is None else _base(words[1 + place]) or program
        return _short(found), bool(SHELL.fullmatch(program))
    return _short(program), False


def first_command(name: str, programs: int) -> str:
    """Returns the command line of the first program in the name of a PROCESS record ("HOST:
    COMMAND"); "" if the name has no host. programs: how many programs the process ran one after
    another."""
    commands = name.partition(": ")[2]
    return commands.partition(_BECAME)[0] if programs > 1 else commands


def without_folders(command: str) -> str:
    """Returns a command line in which program and script have no folders, as a user would type
    it."""
    tracker = _TRACKER.search(command)
    if tracker:
        return f"multiprocessing.{tracker[1]}"
    words = command.split(" ")
    program = _base(words[0])
    if not is_command(command) or not program:
        return command
    words[0] = program
    place = script_place(words[1:], program) if INTERPRETER.fullmatch(program) else None
    if place is not None:
        words[1 + place] = _base(words[1 + place]) or words[1 + place]
    return " ".join(words)


def is_command(command: str) -> bool:
    """Returns whether text is a command line, not a remark such as "(not seen)"."""
    return bool(command) and not command.startswith("(")


def is_spawned(command: str) -> bool:
    """Returns whether a command line is that of a worker process that Python's multiprocessing
    started by exec."""
    return bool(_SPAWNED.search(command))
