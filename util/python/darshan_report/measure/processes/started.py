"""Finds the program that a user wanted to run, in a command line that begins with another program:
`env`, `srun`, a shell, or the shim of a version manager."""

from __future__ import annotations

import os
import re

from ...classes import dataclass
from .programs import INTERPRETER, SHELL, program_name, script_place


@dataclass(frozen=True)
class _Wrapper:
    """How the command line of a wrapper such as `env` is built: where the wrapped command
    begins."""

    valued: str = ""  # options that are followed by a value
    pairs: str = ""  # options that are followed by two values
    before: int = 0  # number of own arguments before the command


# Programs with which lines in batch jobs and shells often begin, by name without folder.
_WRAPPERS = {
    "env": _Wrapper("-u --unset -C --chdir"),
    "time": _Wrapper("-f --format -o --output"),
    "nice": _Wrapper("-n --adjustment"),
    "ionice": _Wrapper("-c --class -n --classdata"),
    "timeout": _Wrapper("-s --signal -k --kill-after", before=1),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "stdbuf": _Wrapper("-i -o -e"),
    "unbuffer": _Wrapper(),
    "taskset": _Wrapper(before=1),
    "chrt": _Wrapper(before=1),
    "numactl": _Wrapper("-m -N -C -i -p -w"),
    "sudo": _Wrapper("-u -g -h -p"),
    "exec": _Wrapper("-a"),
    "xvfb-run": _Wrapper("-s -n -f"),
    "srun": _Wrapper(
        "-n --ntasks -N --nodes -c --cpus-per-task -p --partition -A --account -t --time -J "
        "--job-name -w --nodelist -x --exclude -o --output -e --error -i --input -D --chdir "
        "-m --distribution -q --qos"
    ),
    **dict.fromkeys(
        ("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun"),
        _Wrapper(
            "-n -np --np -c -N -ppn --ppn -perhost -host --host -hosts -hostfile --hostfile -f "
            "-machinefile --machinefile --map-by --bind-to --rank-by -x -wdir --wdir -d -l --tag",
            "-env -genv --mca -mca --prtemca --pmixmca -gmca",
        ),
    ),
}
_RUNNERS = {  # PROGRAM run [options] COMMAND
    "conda": _Wrapper("-n --name -p --prefix --cwd"),
    "mamba": _Wrapper("-n --name -p --prefix --cwd"),
    "micromamba": _Wrapper("-n --name -p --prefix --cwd"),
    "poetry": _Wrapper("-C --directory"),
    "pipenv": _Wrapper(),
    "uv": _Wrapper("--with --python -p"),
    "pixi": _Wrapper("-e --environment"),
}
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z_0-9]*=")
# Folders of commands. The user starts a script in such a folder by its name; the kernel or a shim
# then puts the interpreter before it.
_COMMANDS = re.compile(r"/(?:.*/)?(?:s?bin|shims|condabin|libexec)/[^/]+")
_PREPARES = frozenset(("cd", "export", "set", "source", ".", "ulimit", "module", "umask", "trap",
                       "true", ":", "mkdir", "unset", "conda", "eval", "ml"))  # fmt: skip
_COMPOUND = re.compile(r"[|&;(){}`]|\$\(")
_KEYWORDS = frozenset(("if", "for", "while", "until", "case", "function", "select", "!", "[", "[["))
_NESTED = 8


def _base(word: str) -> str:
    return os.path.basename(word.rstrip("/"))


def _behind(words: list[str], wrapper: _Wrapper) -> list[str]:
    """Returns the wrapped command: the words after the wrapper's options, their values, and its own
    arguments; [] if no command follows."""
    valued, pairs = wrapper.valued.split(), wrapper.pairs.split()
    skip, left = 0, wrapper.before
    for place, word in enumerate(words):
        if skip:
            skip -= 1
        elif word in valued:
            skip = 1
        elif word in pairs:
            skip = 2
        elif word == "--":
            return words[place + 1 + left :]
        elif not word.startswith("-") and not _ASSIGNED.match(word):
            if not left:
                return words[place:]
            left -= 1
    return []


def _without_assignments(words: list[str]) -> list[str]:
    """Returns the words of a shell command without variable assignments at its beginning."""
    while words and _ASSIGNED.match(words[0]):
        words = words[1:]
    return words


def _parts(text: str) -> list[str]:
    """Returns the parts of a shell's text between &&, ; and newlines; a pipeline is one part. Parts
    that only prepare, such as `cd`, are left out."""
    parts = [p.strip() for p in re.split(r"&&|;|\n", text)]
    return [p for p in parts if p and p.split()[0] not in _PREPARES]


def _of_shell(text: str) -> list[str]:
    """Returns the words of the only command in a shell's text; empty if there are several, or if it
    is not a program."""
    parts = _parts(text)
    if len(parts) != 1:
        return []
    command = re.split(r"\s[0-9]?[<>]|[0-9]?>&", parts[0])[0]
    words = _without_assignments(command.split())
    return [] if _COMPOUND.search(command) or not words or words[0] in _KEYWORDS else words


def _code_of_shell(words: list[str]) -> str | None:
    """Returns the text after a shell's option -c; None without this option. words: the command
    line."""
    for place, word in enumerate(words[1:], 1):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word):
            return " ".join(words[place + 1 :])
        if not word.startswith("-"):
            break
    return None


def _inner(words: list[str]) -> list[str]:
    """Returns the command line that another command line starts; empty if it starts none, or if it
    is unknown. words: the outer command line."""
    program = _base(words[0])
    if wrapper := _WRAPPERS.get(program):
        return _behind(words[1:], wrapper)
    if len(words) > 1 and words[1] == "run" and program in _RUNNERS:
        return _behind(words[2:], _RUNNERS[program])
    if INTERPRETER.fullmatch(program):
        if SHELL.fullmatch(program) and (code := _code_of_shell(words)) is not None:
            return _of_shell(code)
        place = script_place(words[1:], program)
        if place is not None and _COMMANDS.fullmatch(words[1 + place]):
            return words[1 + place :]
    return []


def asked_for(command: str) -> str:
    """Returns the name of the program that a user means by a command line: not `env` or `srun` at
    its beginning, but the program that they start. For a shell with several commands, returns the
    shell and the first of them, "sh -c make…"."""
    words = command[:4096].split()
    for _ in range(_NESTED):
        inner = _inner(words) if words else []
        if not inner:
            break
        words = inner
    name, is_shell = program_name(" ".join(words))
    code = _code_of_shell(words) if is_shell else None
    if code is None:
        return name
    first = _without_assignments("".join(_parts(code)[:1] or [code]).split())
    return f"{name} -c {_base(first[0])} \u2026" if first else name
