"""The call stacks of a log as a tree: the outermost frames, and below each frame the functions that
it called. Frames that have a small part of the time, the bytes and the calls are combined into one
frame "others"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field

from ..classes import dataclass
from ..show.text import visible
from .files import Files
from .installed import is_installed, may_be_program
from .interpreters import is_interpreter
from .lines import Lines, Place, Site, is_users
from .measured import Measured
from .viewers.export import UNKNOWN, frame_name

# Kinds of frames.
OWN, LIBRARY, CALLED, OTHERS = KINDS = ("own", "library", "called", "others")
_LEAST = 0.002  # share of the whole, by any measure
_MOST = 2000  # frames
# Names of libraries whose frames start a program or a thread; the tree leaves them out.
_STARTERS = ("libc.so", "libc-2", "libpthread", "ld-", "ld.so")
_STARTS = 3  # frames: _start and two of libc
_Sums = tuple[float, int, int]
_Key = tuple[str, str, int, str]


@dataclass
class Frame:
    """A frame of the tree, with the sums of all call sites below it. kind: OWN (the user's code),
    LIBRARY, CALLED (the I/O function) or OTHERS."""

    name: str
    file: str  # or the program or library; empty: a function that was called
    line: int  # 0: unknown
    kind: str
    seconds: float = 0.0
    calls: int = 0
    moved: int = 0  # bytes
    children: list[Frame] = field(default_factory=list)
    # Files and times of the sites that end at this frame, without its children.
    files: Files = field(default_factory=Files)
    first: float = float("inf")
    last: float = 0.0
    _places: dict[_Key, Frame] = field(default_factory=dict)

    @property
    def sums(self) -> _Sums:
        """The frame's seconds, calls and bytes."""
        return self.seconds, self.calls, self.moved

    def child(self, name: str, file: str, line: int, kind: str) -> Frame:
        """Returns the child frame with these properties. Adds it if it is missing."""
        key = (name, file, line, kind)
        if key not in self._places:
            self._places[key] = Frame(*key)
            self.children.append(self._places[key])
        return self._places[key]

    def add(self, sums: Measured) -> None:
        """Adds the seconds, calls and bytes of a call site that is below this frame."""
        self.seconds += sums.seconds
        self.calls += sums.calls
        self.moved += sums.read + sums.written

    def end(self, sums: Measured) -> None:
        """Adds the files and the times of a call site to its innermost frame. Frames further out do
        not store them."""
        self.files.add(sums.files)
        self.first = min(self.first, sums.first)
        self.last = max(self.last, sums.last)


def _is_starter(place: Place) -> bool:
    name = place.object.rsplit("/", 1)[-1]
    return place.function == "_start" or name.startswith(_STARTERS)


def _from_main(site: Site) -> tuple[Place, ...]:
    """Returns the places of a site, innermost first, without the functions that started the
    program, such as main's caller."""
    start = len(site.places)
    for number in range(start - 1, max(0, start - _STARTS - 1), -1):
        if _is_starter(site.places[number]):
            start = number
    return site.places[:start]


def _program(site: Site) -> str:
    """Returns the path of the program or script that made the calls of a site; "" if it is
    unknown."""
    outermost = site.places[-1] if site.places else None
    if outermost is None:
        return ""
    if outermost.object:
        name = outermost.object.rsplit("/", 1)[-1]
        is_program = may_be_program(outermost.object) or is_interpreter(name)
        return outermost.object if is_program else ""
    # Modules of Python's own start threads, and run before the script.
    is_script = not outermost.file.startswith("<") and not is_installed(outermost.file)
    return outermost.file if is_script else ""


def _put(site: Site, root: Frame, program: str) -> None:
    """Adds the frames of a call site to the tree, below a frame for `program` if that is not
    empty."""
    frame = root
    frame.add(site.sums)
    if program:
        kind = LIBRARY if is_installed(program) else OWN
        frame = frame.child(visible(program.rsplit("/", 1)[-1]), visible(program), 0, kind)
        frame.add(site.sums)
    for place in reversed(_from_main(site)):
        kind = OWN if is_users(place) else LIBRARY
        at = visible(place.file or place.object)
        frame = frame.child(frame_name(place), at, place.line, kind)
        frame.add(site.sums)
    frame = frame.child(visible(site.stack.called) or UNKNOWN, "", 0, CALLED)
    frame.add(site.sums)
    frame.end(site.sums)


def share(frame: Frame, whole: Frame) -> float:
    """Returns the largest of a frame's three fractions of the whole: of its seconds, calls and
    bytes."""
    return max((part / of for part, of in zip(frame.sums, whole.sums) if of > 0), default=0.0)


def _each(frame: Frame) -> Iterator[Frame]:
    """Yields a frame and all frames below it. After a frame was yielded, the caller may change its
    children."""
    waiting = [frame]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.children


def _limit(root: Frame) -> float:
    """Returns the fraction of the whole, by any measure, that a frame needs in order not to be
    combined into "others". It is at least _LEAST, and so large that at most _MOST frames remain."""
    shares = sorted((share(frame, root) for frame in _each(root)), reverse=True)
    more = math.nextafter(shares[_MOST], math.inf) if len(shares) > _MOST else 0.0
    return max(_LEAST, more)


def _others(frames: Sequence[Frame]) -> Frame:
    """Returns a frame "others" with the sums of the given frames and all frames below them."""
    found = Frame(f"others ({len(frames):,})", "", 0, OTHERS)
    for frame in frames:
        found.seconds += frame.seconds
        found.calls += frame.calls
        found.moved += frame.moved
        for one in _each(frame):
            found.files.add(one.files)
            found.first = min(found.first, one.first)
            found.last = max(found.last, one.last)
    return found


def _shorten(root: Frame) -> None:
    """Combines the small children of each frame into one frame "others", and sorts children by
    time."""
    limit = _limit(root)
    for frame in _each(root):
        small = [child for child in frame.children if share(child, root) < limit]
        if small:
            frame.children = [child for child in frame.children if share(child, root) >= limit]
        frame.children.sort(key=lambda child: (-child.seconds, -child.calls, child.name))
        if small:
            frame.children.append(_others(small))


def _are_several(sites: Sequence[Site], programs: Sequence[str], whole: float) -> bool:
    """Returns whether at least two programs have a fraction _LEAST or more of the time. programs:
    the program of each call site. An interpreter and its script are treated as one program."""
    spent: dict[str, float] = {}
    for site, program in zip(sites, programs):
        if program and may_be_program(program):
            spent[program] = spent.get(program, 0.0) + site.sums.seconds
    return sum(one >= _LEAST * whole for one in spent.values()) > 1


def tree(found: Lines) -> Frame:
    """Returns the root of the tree of all stacks of a log; small frames are combined. If the stacks
    belong to several programs, the children of the root are the programs."""
    root = Frame("all I/O calls", "", 0, OTHERS)
    for line in found.every:
        if _is_large(line.sums, found.sums):
            found.look_up(line)
    sites = [site for line in found.every for site in line.sites]
    programs = [_program(site) for site in sites]
    several = _are_several(sites, programs, found.sums.seconds)
    for site, program in zip(sites, programs):
        _put(site, root, program if several else "")
    _shorten(root)
    return root


def _is_large(part: Measured, whole: Measured) -> bool:
    """Returns whether a line has enough of the time, calls or bytes for its library functions to be
    looked up."""
    pairs = (
        (part.seconds, whole.seconds),
        (part.calls, whole.calls),
        (part.read + part.written, whole.read + whole.written),
    )
    return any(one >= _LEAST * all_ > 0 for one, all_ in pairs)


def flat(root: Frame) -> list[tuple[Frame, int]]:
    """Returns a list of all frames of a tree, each after its caller, with the index of its caller
    in this list (-1: none)."""
    found: list[tuple[Frame, int]] = []
    waiting = [(root, -1)]
    while waiting:
        found.append(waiting.pop())
        number = len(found) - 1
        waiting += [(child, number) for child in reversed(found[-1][0].children)]
    return found
