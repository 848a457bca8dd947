"""Table of the interpreters of scripts (Python, bash, Perl, awk and so on). The functions of an
interpreter's own program file are not lines of a script."""

from __future__ import annotations

import re

_INTERPRETER = re.compile(
    r"(?:python|pypy)[0-9.]*t?|perl[0-9.]*|ruby[0-9.]*|node(?:js)?|java|R|octave-cli[^/]*|julia"
    r"|lua[0-9.]*|tclsh[0-9.]*|php[0-9.]*|(?:ba|da|z|k|c|tc|fi)?sh|busybox"
    r"|[mgn]?awk|original-awk|g?sed|sqlite3"
)
# Names of one program, which may be links to each other.
_FAMILIES = (
    frozenset(("sh", "bash", "dash", "busybox")),
    frozenset(("awk", "mawk", "gawk", "nawk", "original-awk", "busybox")),
)
_TEXT = ("-c", "-e", "-E")  # options before the text of a program
_SHOWN = 48  # characters of the text of a program
_FILE = "-f"  # option of awk and sed before the file of a program


def is_interpreter(name: str) -> bool:
    """Returns whether a program runs scripts. name: file name of the program, without a folder."""
    return bool(_INTERPRETER.fullmatch(name))


def script_of(command: str) -> dict[str, str]:
    """Returns the file name of the script that a command line runs, without folder, once under each
    name that its interpreter may have: {"sh": "job.sh", "bash": "job.sh", ...}. Empty if it runs no
    script."""
    words = command[:4096].split()
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if not is_interpreter(program):
        return {}
    if "awk" in program or program.endswith("sed"):
        place = words.index(_FILE) + 1 if _FILE in words else 0
    else:
        place = next((n for n, word in enumerate(words) if n and not word.startswith("-")), 0)
        if set(_TEXT) & set(words[:place]):
            return {}
    if not 0 < place < len(words):
        return {}
    return dict.fromkeys(_names(program), words[place].rsplit("/", 1)[-1])


def text_of(command: str) -> dict[str, str]:
    """Returns a phrase with the program text in a command line (-c TEXT), shortened to 48
    characters, once under each name that its interpreter may have; empty if there is no such
    text."""
    words = command[:4096].split()
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if not is_interpreter(program) or _FILE in words:
        return {}
    place = next((n for n, word in enumerate(words) if n and word in _TEXT), 0)
    if not place and not ("awk" in program or program.endswith("sed")):
        return {}
    place = place or next((n for n, w in enumerate(words[:-1]) if words[n + 1][0] != "-"), 0)
    text = " ".join(words[place + 1 :])
    text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}\u2026"
    return dict.fromkeys(_names(program), f'its text, "{text}"') if text else {}


def _names(program: str) -> frozenset[str]:
    """Returns all file names of a shell or of awk: "sh", "bash", and so on. For other programs
    returns only `program`."""
    return next((family for family in _FAMILIES if program in family), frozenset((program,)))
