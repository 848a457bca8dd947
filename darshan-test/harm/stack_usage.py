"""Computes how much of the caller's stack each exported function needs, from the compiler's output.

GCC's -fcallgraph-info=su writes a .ci file beside each object: every function with the size of its
frame, and the functions that it calls. From these files this program computes, for each wrapper,
the deepest path through functions of the runtime. The path ends where a real function is called
(the application needs that stack without the runtime, too), and where intercept/stack.h switches to
a stack of the runtime.

    stack_usage.py BUILD       prints the errors: paths that need too much, and what is not known
    stack_usage.py BUILD -v    also prints the worst path of each function, deepest first"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

REALIGNED = 32  # bytes at most, by which a wrapper realigns its stack (ANY_STACK)
MOST = 1536 + REALIGNED  # bytes of the caller's stack, on any path

NODE = re.compile(
    r'^node: \{ title: "\*?([^"]+)" label: "[^"\\]*\\n([^"\\]+):\d+:\d+'
    r"(?:\\n(\d+) bytes \(([a-z,]+)\))?"
)
EDGE = re.compile(r'^edge: \{ sourcename: "\*?([^"]+)" targetname: "\*?([^"]+)"')
INDIRECT = "__indirect_call"

# The frames of these wrappers hold the program's own arguments, as in the C library's functions of
# these names.
CALLERS_OWN = {"execl", "execle", "execlp"}

# Programs do not call this; it runs at their start, on the stack of main.
START = {"darshan_link"}

# Stack bytes of C library functions that the runtime calls on the caller's stack, measured with
# glibc 2.36 and rounded up.
LIBC = {
    **dict.fromkeys(
        (
            "strlen",
            "strnlen",
            "strcmp",
            "strncmp",
            "strncasecmp",
            "strchr",
            "strrchr",
            "strstr",
            "strcspn",
            "strspn",
        ),
        64,
    ),
    **dict.fromkeys(("memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "wcslen"), 64),
    **dict.fromkeys(
        ("__errno_location", "__ctype_get_mb_cur_max", "dirfd", "_setjmp", "getauxval"), 64
    ),
    **dict.fromkeys(("__divti3", "__udivti3", "clock_gettime"), 96),
    "_dl_find_object": 128,
    "ftello": 320,
    "memmem": 448,  # for needles below 256 bytes
    "wcrtomb": 448,
    "vsnprintf": 0,  # less than error() itself, of which it is a part
    "stack_switch": 24,  # assembly, exact
    "vfork": 16 + 64,  # including its call of real_resolve's switch
    "dlopen": 24 + 272 + 64,  # including its call of deepbind_note and the functions below it
}

# Assembly that saves its arguments, gets its target from a C function, frees its own frame and
# jumps to the target (modules/stdio/messages-enter.S).
ENTERS = ("warn", "warnx", "vwarn", "vwarnx", "err", "errx", "verr", "verrx")
ENTERS += ("error", "error_at_line")
ENTER_FRAME = 232

# Stack bytes of other functions on the runtime's own stack, such as the loader and compression.
OTHERS = 32 << 10
AREA = 128 << 10  # STACK_BYTES of intercept/stack.h
# Stack bytes in use between a wrapper of MPI_Finalize and the point where it switches to the
# runtime's own stack. Functions that run on the caller's stack again begin there.
HOME = 640

SWITCH = re.compile(r"\bstack_run(?:_anyway|_with_room)?\(([a-z_]+),")
BACK = re.compile(r"\bstack_run_at_home\(([a-z_]+),")


@dataclass
class Function:
    """A function: its source file, the bytes of its frame, whether the frame's size varies, and the
    functions that it calls."""

    name: str
    place: str  # source file; "" for a function that is not the runtime's
    frame: int = 0
    unbounded: bool = False
    calls: set[str] = field(default_factory=set)


@dataclass
class Path_:
    """The deepest path of calls from a function: how many bytes of stack it needs, and its
    functions."""

    depth: int
    names: tuple[str, ...]


class CallGraph:
    """All functions in the .ci files, with their calls."""

    def __init__(self, files: Iterable[Path], *, on_ours: bool = False) -> None:
        self.on_ours = on_ours  # this graph is about functions on the runtime's own stack
        self.functions: dict[str, Function] = {}
        self.deepest: dict[str, Path_] = {}
        self.problems: set[str] = set()
        for file in files:
            self.read(file)
        for name in ENTERS:
            asks = Function(f"ask_{name}", "messages-enter.S", ENTER_FRAME)
            asks.calls = set(self.named({"stdio_message_target"}))
            self.functions[asks.name] = asks
            self.functions[name] = Function(name, "messages-enter.S")
            self.functions[name].calls = {asks.name, *self.named({f"count_{name}"})}

    def read(self, file: Path) -> None:
        """Adds the functions of one .ci file, with their calls."""
        # A wrapper that is exported conditionally has a name with a prefix (conditional-export.h).
        text = file.read_text().replace("darshan_wrap_", "")
        for line in text.splitlines():
            if node := NODE.match(line):
                name, place, size, kind = node.groups()
                if size is not None:
                    function = self.functions.setdefault(name, Function(name, place))
                    function.frame = int(size)
                    function.unbounded = kind == "dynamic"
            elif edge := EDGE.match(line):
                source = self.functions.setdefault(edge[1], Function(edge[1], ""))
                source.calls.add(edge[2])

    def targets(self, function: Function) -> set[str]:
        """Returns the names of the functions that this function calls by name, including those of
        libc. Calls through pointers are not known."""
        return {name for name in function.calls if name != INDIRECT}

    def named(self, names: set[str]) -> list[str]:
        """Returns the runtime's functions with these names, in any file."""
        return [
            name for name, item in self.functions.items() if item.place and short(name) in names
        ]

    def worst(self, name: str, above: tuple[str, ...] = ()) -> Path_:
        """Returns the path of calls from this function that takes most stack. above: the callers of
        this function on the current path. Notes as problems: recursion and frames of variable size;
        functions of unknown need as well, unless the graph is about the runtime's own stack
        (on_ours)."""
        if name in self.deepest:
            return self.deepest[name]
        if name in above:
            self.problems.add(f"recursion: {' -> '.join(map(short, (*above, name)))}")
            return Path_(0, ())
        function = self.functions.get(name)
        if function is None or not function.place:
            plain = short(name)
            if plain not in LIBC and not self.on_ours:
                caller = short(above[-1]) if above else "programs"
                self.problems.add(f"not known what {plain} needs, called by {caller}")
            return Path_(LIBC.get(plain, OTHERS), (plain,))
        if function.unbounded and short(name) not in CALLERS_OWN:
            self.problems.add(f"unbounded frame: {short(name)}")
        below = [self.worst(target, (*above, name)) for target in self.targets(function)]
        deepest = max(below, key=lambda path: path.depth, default=Path_(0, ()))
        self.deepest[name] = Path_(
            function.frame + deepest.depth, (f"{short(name)}:{function.frame}", *deepest.names)
        )
        return self.deepest[name]


def short(name: str) -> str:
    """Returns the name of a static function without the file in front of it."""
    return name.rsplit(":", 1)[-1]


def exported(library: Path) -> set[str]:
    """Returns the names of the functions that a program can call."""
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] in "TW"}


def switched(runtime: Path, pattern: re.Pattern[str]) -> set[str]:
    """Returns the names of the functions that the sources call through stack.h, on a stack of the
    runtime. pattern: finds such calls."""
    return {
        name for file in runtime.glob("**/*.c") for name in pattern.findall(file.read_text())
    } - {"function"}


def graphs_of(build: Path, runtime: Path) -> list[Path]:
    """Returns the .ci files of the present sources. A build folder may also have those of removed
    sources."""
    found = []
    for file in build.glob("runtime/**/libdarshan_so-*.ci"):
        source = runtime.parent / file.relative_to(build)
        if source.with_name(source.name.partition("-")[2]).with_suffix(".c").exists():
            found.append(file)
    return found


def judge(build: Path, runtime: Path) -> tuple[list[Path_], list[str]]:
    """Returns the deepest path of each exported function, deepest first, and a line for each error:
    a path that needs more than MOST, and what CallGraph.worst notes."""
    files = graphs_of(build, runtime)
    graph, ours = CallGraph(files), CallGraph(files, on_ours=True)
    names = exported(build / "libdarshan.so") - START
    paths = sorted(map(graph.worst, names), key=lambda path: -path.depth)
    wrong = [f"{path.depth}: {' > '.join(path.names)}" for path in paths if path.depth > MOST]
    for entry in graph.named(switched(runtime, BACK)):
        path = graph.worst(entry)
        if path.depth > MOST - HOME:
            wrong.append(f"{path.depth} at home: {' > '.join(path.names)}")
    entries = ours.named(switched(runtime, SWITCH))
    for entry in entries:
        path = ours.worst(entry)
        if path.depth > AREA:
            wrong.append(f"{path.depth} on memory of ours: {' > '.join(path.names)}")
    if len(paths) < 1000 or len(entries) < 10:
        wrong.append(f"only {len(paths)} functions and {len(entries)} entries were found")
    return paths, wrong + sorted(graph.problems)


def main() -> int:
    """Prints the errors about the stack of exported functions; with -v also the deepest path of
    each. Returns 1 if there are errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("build", type=Path)
    parser.add_argument("-v", action="store_true", help="print every path")
    options = parser.parse_args()
    paths, wrong = judge(options.build, Path(__file__).parents[2] / "runtime")
    for path in paths if options.v else []:
        print(path.depth, " > ".join(path.names))
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
