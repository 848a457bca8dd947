"""Formats lines of code as text, for darshan where and the report."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from ..show.text import printable, shorten, visible
from ..units import amount, brief, plural, seconds, share
from . import installed
from .lines import Line, Lines, Place, Site
from .stack import IMPORT, STARTS
from .without import reasons

TOP = 10  # lines that are shown
_WIDTH = 80
_CALLED = 2  # largest number of functions that are named
_PLACE = 38  # characters
_ROW = f"{{:<{_PLACE}}}{{:>10}}{{:>12}}{{:>10}}{{:>10}}"
_TEMPLATE = re.compile(r"<[^<>]*>")
_PYTHON = re.compile(r"\.<(?:locals|listcomp|setcomp|dictcomp|genexpr)>")  # parts of a qualname
_OPERATOR = re.compile(r"operator *(?:<=>|<<=?|>>=?|<=|>=|->\*?|<|>|\(\))")
# Replacements for the brackets in names of operators, while brackets of templates and parameters
# are removed.
_MARKS = str.maketrans("<>()", "\ue000\ue001\ue002\ue003")
_BRACKETS = {mark: bracket for bracket, mark in _MARKS.items()}
_NO_LINE = "(no line)"
# Functions that Cython makes: "__pyx_pw_6mpi4py_3MPI_4File_55Read" is the entry of Read() of class
# File of module MPI in package mpi4py. All other functions belong to Cython's runtime.
_CYTHON = re.compile(r"__pyx_", re.IGNORECASE)
_CYTHON_ENTRY = re.compile(r"__pyx_(?:pw|pf|f)_(?=\d)")
_EXTENSION_OF_PYTHON = re.compile(r"_?(\w+)\.(?:cpython|abi3|pypy)[\w.-]*\.so")
_MODULE_OF_PERL = re.compile(r".*/(?:lib|share)/[^ ]*perl[^ ]*/auto/(.+)/[^/]+\.so")


def plain_name(function: str) -> str:
    """Returns the name of a function as in source code, without return type, parameters and
    template arguments, and without Python's "<locals>"."""
    function = _PYTHON.sub("", function).replace(".<lambda>", ".lambda")
    marked = _OPERATOR.sub(lambda found: found[0].translate(_MARKS), function)
    marked = marked.replace("(anonymous namespace)", "{anonymous}")
    before = ""
    while before != marked:
        before, marked = marked, _TEMPLATE.sub("", marked)
    name = marked.partition("(")[0].strip()
    if "operator" not in name and not name.startswith("new "):
        name = name.rsplit(" ", 1)[-1]
    return name.translate(_BRACKETS) or function


def _file_names(places: Sequence[Place | None]) -> dict[str, str]:
    """Returns, for each file, the shortest end of its path that no other file has ("io/read.c");
    the whole path if four components do not suffice. Leaves out None."""
    files = {place.file or place.object for place in places if place}
    found: dict[str, str] = {}
    for depth in range(1, 5):
        ends = {file: "/".join(file.split("/")[-depth:]) for file in files - found.keys()}
        several = Counter(ends.values())
        found.update((file, end) for file, end in ends.items() if several[end] == 1)
    return {file: found.get(file, file) for file in files}


def places_of(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Returns, for each line, its place ("train.py:31") and the name of its function; "" if the
    function is unknown."""
    names = _file_names([line.place for line in lines])
    found = []
    for line in lines:
        place = line.place
        if place is None:
            found.append((_NO_LINE, ""))
            continue
        name = names[place.file or place.object]
        where = f"{name}:{place.line}" if place.file else f"{name}+{place.offset:x}"
        if place.file and not place.line:
            where = name
        found.append((where, plain_name(place.function) if place.function else ""))
    return found


def _is_wrapper(place: Place) -> bool:
    """Returns whether a place is a Python function that a decorator made, whose name is of little
    use."""
    return not place.object and ("<locals>" in place.function or place.file.startswith("<"))


def library_call(site: Site) -> str:
    """Returns the library function that the user's line called, "numpy.load", and through which it
    made the I/O call. Returns "" if the line made the I/O call itself, or if the site has no line
    of the user."""
    if site.user <= 0:
        return ""
    inside = site.user - 1
    if re.match(STARTS, site.stack.called) and site.places[inside].object:
        return ""  # libc's own functions below fork
    while inside > 0 and _is_wrapper(site.places[inside]) and not site.places[inside - 1].object:
        inside -= 1
    while inside > 0 and not name_of(site.places[inside]):
        inside -= 1
    return name_of(site.places[inside])


def name_of(place: Place) -> str:
    """Returns the function of a place in a library, "numpy.load". If the function is unknown,
    returns the library, "libz.so.1", or the module of Python or Perl, "sqlite3", "IO". Empty for
    functions of Cython's runtime, whose names mean nothing to a user."""
    if not place.object:
        return installed.called(place.file, place.function)
    if _CYTHON.match(place.function):
        return _of_cython(place.function)
    if not place.function:
        if module := _MODULE_OF_PERL.fullmatch(place.object):
            return module[1].replace("/", "::")
        name = place.object.rsplit("/", 1)[-1]
        extension = _EXTENSION_OF_PYTHON.fullmatch(name)
        return extension[1] if extension else name
    return plain_name(place.function)


def _of_cython(function: str) -> str:
    """Returns the Python name of an entry function that Cython generated, "mpi4py.MPI.File.Read";
    "" for other functions."""
    entry = _CYTHON_ENTRY.match(function)
    rest = function[entry.end() :] if entry else ""
    parts: list[str] = []
    while length := re.match(r"\d+", rest):
        size, after = int(length[0]), rest[length.end() :]
        if not re.match(r"_\d", after[size:]):  # a counter is in front of the last name
            return ".".join([*parts, after])
        parts, rest = [*parts, after[:size]], after[size + 1 :]
    return ""


def _calls_of(line: Line, names: int) -> str:
    """Returns the I/O functions that the line called, at most `names`, and the library function
    between: "read, open64, through numpy.load"."""
    ways: dict[str, Counter[str]] = {}
    for site in line.sites:
        way = ways.setdefault(library_call(site), Counter())
        way[site.stack.called or "?"] += site.sums.seconds  # type: ignore[assignment]
    through, called = max(ways.items(), key=lambda way: sum(way[1].values()))
    some = [name for name, _ in called.most_common(names)]
    text = ", ".join(some) + (", ..." if len(called) > names else "")
    if some == [IMPORT]:
        text = "an import"
    if through:
        text += f" through {through}"
    if len(ways) > 1:
        text += f"; {plural(len(ways) - 1, 'other way')}"
    return text


def whole_call(line: Line, function: str, width: int) -> str:
    """Returns the function that contains a line and the functions that the line called: "load:
    read, open64". width: largest number of characters; names fewer functions if that is enough to
    fit, else cuts the middle out."""
    start = f"{function}: " if function else ""
    texts = [printable(start + _calls_of(line, names)) for names in range(_CALLED, 0, -1)]
    return next((text for text in texts if len(text) <= width), shorten(texts[-1], width))


def _short(name: str) -> str:
    """Returns a file name without its folder. The name of a group record ("out/*") keeps the last
    folder. The name of an object in an HDF5 file keeps its path in the file."""
    file, colon, inside = name.partition(":/")
    parts = file.rstrip("/").rsplit("/", 2)
    short = "/".join(parts[-2:] if parts[-1] == "*" else parts[-1:])
    return f"{short}{colon}{inside}" if short else name


def files_of(found: Lines, line: Line) -> str:
    """Returns the file with which a line moved most bytes, and the approximate number of its other
    files: "data.bin and about 3 more". Returns "" if no file is known. found: has the names of
    files."""
    files = line.sums.files
    named = [found.names[one] for one in files.most()[:1] if found.names.get(one)]
    if not named:
        return ""
    name, number = _short(named[0]), files.number()
    if number == 1:
        return name
    return f"{name} and {'many' if number is None else f'about {number - 1:,}'} more"


def count(number: int) -> str:
    """Returns a number of calls as text of at most nine characters: "1,234", "12.3 M"."""
    return f"{number:,}" if number < 10_000_000 else brief(number)


def summary(found: Lines) -> list[str]:
    """Returns sentences: how much of the time the shown lines have, and why some calls have no
    line."""
    if found.is_anonymous:
        return ["The names in this log are anonymous: it cannot tell lines of code."]
    shown = sum(line.sums.seconds for line in found.lines)
    part = share(shown, found.sums.seconds)
    said = [
        f"Of {seconds(found.sums.seconds)} in I/O calls, summed over processes and threads, "
        + (
            f"{part} belong to these {len(found.lines)} of {found.number:,} lines."
            if found.number > len(found.lines)
            else f"all belong to {'this line' if found.number == 1 else 'these lines'}."
        )
        + " A gap is the time since the thread's last call, if that is below 10 ms: what the "
        "program and its libraries do for each call, such as formatting, parsing or computing."
    ]
    return said + [f"No line: {why}." for why in dict.fromkeys((*found.problems, *reasons(found)))]


def text(found: Lines) -> Iterator[str]:
    """Yields lines of text of at most 80 columns: a table of the lines of code with their files,
    then sentences on how much of the time they have, and why some calls have no line."""
    if not found.is_anonymous:
        yield _ROW.format("where in the code", "in calls", "gaps", "calls", "bytes")
        for line, (where, function) in zip(found.lines, places_of(found.lines)):
            sums = line.sums
            yield _ROW.format(
                shorten(where, _PLACE - 1),
                seconds(sums.seconds),
                seconds(sums.shown_gaps),
                count(sums.calls),
                amount(sums.read + sums.written),
            )
            yield f"  {whole_call(line, function, _WIDTH - 2)}"
            if files := files_of(found, line):
                yield f"  files: {shorten(files, _WIDTH - 9)}"
    for sentence in summary(found):
        yield from textwrap.wrap(visible(sentence), _WIDTH, break_on_hyphens=False)
