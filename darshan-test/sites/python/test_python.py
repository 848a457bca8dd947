"""The Python frames that the runtime finds, in each installed Python, compared with those that
Python itself reports.

Pythons are searched in PATH and in pyenv's folder. DARSHAN_PYTHONS adds others, one per line: a
path, or a command (`ld.so --library-path FOLDER python3.14`)."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished
from lab.environment import preload
from sample import TOLD
from tree import SOURCE

HERE = Path(__file__).resolve().parent
# Releases for which python-layouts.def has a layout.
RELEASES = [f"3.{minor}" for minor in range(8, 16)]
IMPORTERS = ("<frozen importlib._bootstrap", "<frozen zipimport")
# Files of CPython's library that read sources. Their frames as the innermost ones show such a read.
LOOKS = re.compile(r"/python3[^/]*/(linecache|inspect|importlib/metadata(/__init__)?)\.py$")
READERS = 4
SECONDS = 300
Command = list[str]


@functools.cache
def release_of(*command: str) -> str:
    """Returns the release of a Python, such as "3.11", with "t" for a build without GIL; "" if it
    is not CPython."""
    text = (
        "import sys, sysconfig; print(sys.implementation.name, '%d.%d' % sys.version_info[:2]"
        " + 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED')))"
    )
    done = finished([*command, "-c", text])
    said = done.stdout.split()
    return said[1] if done.returncode == 0 and said[:1] == ["cpython"] else ""


def pythons() -> dict[str, Command]:
    """Returns the commands of the found Pythons by name: the release, with a number if two have the
    same release."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    named = [shutil.which(f"python{release}") for release in ("3", *RELEASES)]
    commands = [shlex.split(line) for line in os.environ.get("DARSHAN_PYTHONS", "").splitlines()]
    commands += [[str(path)] for path in sorted(pyenv.glob("versions/3.*/bin/python3"))]
    commands += [["/usr/bin/python3"], *[[name] for name in named if name]]
    found: dict[str, Command] = {}
    files = set()
    for command in commands:
        file = os.path.realpath(command[-1])
        if not command or file in files or "shims" in command[-1] or not Path(file).exists():
            continue
        files.add(file)
        release = release_of(*command)
        same = sum(name.split(" ")[0] == release for name in found)
        if release in RELEASES:
            found[release if not same else f"{release} number {same + 1}"] = command
    return found


PYTHONS = pythons()


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the library to preload, which writes the Python frames of calls of lseek to a file.
    Returns its path."""
    library = tmp_path_factory.mktemp("probe") / "probe.so"
    sources = [*sorted((SOURCE / "runtime/stacks/python").glob("*.c")), HERE / "probe.c"]
    loader = SOURCE / "runtime/intercept/loader"
    sources += [loader / name for name in ("libc-direct.c", "loader.c")]
    flags = ["-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden"]
    flags += ["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-DDARSHAN_LINK_TIME"]
    folders = ("runtime", "runtime/libc/glibc")
    subprocess.run(
        ["gcc", *flags, "-o", library]
        + [f"-I{SOURCE / folder}" for folder in folders]
        + [*sources, "-ldl"],
        check=True,
    )
    return library


def run(
    probe: Path, command: Command, *words: str | Path, **more: str
) -> tuple[str, list[list[str]]]:
    """Runs Python with the probe. Returns its output, and for each probe its fields (see probe.c).
    more: variables to add."""
    out = probe.parent / "out"
    out.unlink(missing_ok=True)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        **preload(probe),
        "PROBE_OUT": str(out),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LC_ALL": "C.UTF-8",
        **more,
    }
    done = subprocess.run(
        [*command, *words],
        env=environment,
        stdout=subprocess.PIPE,
        timeout=SECONDS,
        check=True,
        text=True,
        cwd=probe.parent,
    )
    text = out.read_bytes().decode() if out.exists() else ""
    return done.stdout, [line.split("\x1c") for line in text.split("\n")[:-1]]


def frames_in(call: list[str]) -> list[list[str]]:
    """Returns [file, function, line, first line, is cut] of each frame of a probe, innermost
    first."""
    return [frame.split("\x1f") for frame in call[5].split("\x1e")] if call[5] else []


each_python = pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)


def test_which_pythons(record_property: Callable[[str, object], None]) -> None:
    """At least one CPython is found. The end of pytest's output names the releases that were tried,
    and those that were not found."""
    found = sorted({name.split(" ")[0] for name in PYTHONS}, key=RELEASES.index)
    missing = [release for release in RELEASES if release not in found]
    line = f"Python frames: tried with {' '.join(found)}"
    if missing:
        line += f"; not found, so not tried: {' '.join(missing)}"
    record_property(TOLD, f"{line}; builds without GIL are refused")
    assert found


def test_every_release_has_a_layout() -> None:
    """The table python-layouts.def has a row for each of RELEASES, and no others."""
    text = (SOURCE / "runtime/stacks/python/python-layouts.def").read_text()
    rows = re.findall(r"^(?:LAYOUT|PUBLISHED)\((\d+),", text, re.M)
    assert [f"3.{minor}" for minor in rows] == RELEASES


@each_python
def test_frames(probe: Path, python: Command) -> None:
    """At each probe of scenarios.py, the runtime finds the same frames (file, function and line) as
    Python itself reports."""
    truth = probe.parent / "truth"
    run_out, calls = run(probe, python, HERE / "scenarios.py", truth)
    told = {int(call[0]): call for call in calls}
    count, cut = 0, 0
    for line in truth.read_text(encoding="utf-8").splitlines():
        number, frames = json.loads(line)
        got = frames_in(told[number])
        assert told[number][4] == ""  # what python_why_not says
        assert len(got) == len(frames), (number, told[number][4])
        for (file, function, at, _, is_cut), (file_there, function_there, at_there) in zip(
            got, frames
        ):
            count, cut = count + 1, cut + int(is_cut)
            assert int(at) == at_there, (number, file, function)
            if is_cut == "1":
                assert file_there.startswith(file) and len(file.encode()) > 400
                assert function_there.startswith(function)
            else:
                assert (file, function) == (file_there, function_there)
    assert f"{len(told)} calls" in run_out and len(told) > 480 and count > 4000
    assert 0 < cut < 10
    assert int(calls[0][3], 16) & 0xFF == int(release_of(*python).split(".")[1])


@each_python
def test_lines(probe: Path, python: Command) -> None:
    """For every instruction of some modules of the standard library, python_line returns the line
    that Python itself reports."""
    out, _ = run(probe, python, HERE / "lines.py", probe)
    assert int(out) > 20000


@each_python
def test_damaged_layouts(probe: Path, python: Command) -> None:
    """If the description of Python's data structures has wrong offsets, walking the frames does not
    crash, and in most cases the description is refused."""
    seeds = 3000
    out, _ = run(probe, python, HERE / "uses.py", probe, "damage", str(seeds))
    unsure, trusted, refused = map(int, out.split())
    assert unsure + trusted + refused == seeds and refused > seeds / 2


@each_python
def test_end_with_daemon_threads(probe: Path, python: Command) -> None:
    """While the interpreter ends and frees the states of threads, walks of these threads' stacks do
    not crash."""
    for _ in range(8):
        run(probe, python, HERE / "uses.py", probe, "daemons")


@each_python
def test_imports(probe: Path, python: Command, tmp_path: Path) -> None:
    """Calls of the import machinery, and reads of source files within an import, belong to the line
    with the import statement. Other reads of source files by CPython's library belong to the
    outermost line."""
    (tmp_path / "outer.py").write_text("x = 1\n\nimport inner\n")
    (tmp_path / "inner.py").write_text(
        "x = open(__file__).read()\nimport traceback\ntraceback.extract_stack()\n"
    )
    (tmp_path / "inspect").mkdir()  # the user's own module of the same name
    (tmp_path / "inspect" / "linecache.py").write_text("open(__file__).read()\n")
    _, calls = run(probe, python, HERE / "uses.py", probe, "imports", tmp_path, PROBE_ALL="1")
    lines, text, sources = set(), (HERE / "uses.py").read_text().split("\n"), set()
    for call in calls:
        frames, outside = frames_in(call), int(call[2])
        inside = [n for n, frame in enumerate(frames) if frame[0].startswith(IMPORTERS)]
        reads = any(LOOKS.search(frame[0]) for frame in frames[:READERS])
        assert call[1] == str(int(reads or inside[:1] == [0]))
        sources.add((reads, bool(inside)))
        at_end = len(frames) - 1 if reads else 0
        is_known = reads or inside[:1] == [0]
        assert outside == (inside[-1] + 1 if inside and is_known else at_end)
        if outside < len(frames):
            lines.add((call[1], Path(frames[outside][0]).name, int(frames[outside][2])))
    at = next(n for n, line in enumerate(text, 1) if "import outer" in line)
    assert {("1", "uses.py", at), ("0", "inner.py", 1), ("0", "linecache.py", 1)} <= lines
    assert ("1", "outer.py", 3) not in lines
    assert {(True, True), (True, False)} <= sources


@each_python
def test_sub_interpreter(probe: Path, python: Command) -> None:
    """In a sub-interpreter, the runtime finds that interpreter's frames from Python 3.12 on, and
    those of the main interpreter before 3.12."""
    _, calls = run(probe, python, HERE / "uses.py", probe, "sub")
    inside, after = [[frame[1:3] for frame in frames_in(call)] for call in calls]
    text = (HERE / "uses.py").read_text().split("\n")
    at = next(n for n, line in enumerate(text, 1) if "run_string(" in line)
    assert [function for function, _ in after] == ["sub", "<module>"]
    if int(release_of(*python).split(".")[1]) >= 12:
        assert inside == [["f", "5"], ["<module>", "8"]]
    else:
        assert inside == [["sub", str(at)], after[1]]


def library_of(python: Command) -> Path | None:
    """Returns the path of the libpython of a Python that was built with a shared one; None for
    other Pythons."""
    text = "import sysconfig as s; print(s.get_config_var('LIBDIR'), s.get_config_var('LDLIBRARY'))"
    done = subprocess.run([*python, "-c", text], capture_output=True, text=True, check=True)
    path = Path(*done.stdout.split())
    return path if ".so" in path.name and path.exists() and len(python) == 1 else None


@each_python
def test_loaded_later(probe: Path, python: Command) -> None:
    """A libpython that a program opens by dlopen is found at its first probe, and forgotten when it
    is closed; three times."""
    library, program = library_of(python), probe.parent / "embed"
    if not library:
        pytest.skip("only elsewhere: this Python has no shared library")
    subprocess.run(["gcc", "-O1", "-o", program, HERE / "embed.c", "-ldl"], check=True)
    text = "import os\ndef f():\n  os.lseek(1000007, 0, 0)\nf()"
    out, calls = run(probe, [str(program)], library, "3", text)
    assert len(calls) == 3
    for call in calls:
        assert [frame[:3] for frame in frames_in(call)] == [
            ["<string>", "f", "3"],
            ["<string>", "<module>", "4"],
        ]
    for line in out.splitlines():
        is_gone, state = map(int, line.split())
        assert state == (0 if is_gone else 10)


COPIES = """#include <Python.h>
int main(void) {
  Py_Initialize();
  PyRun_SimpleString("import os\\ndef f():\\n  os.lseek(1000007, 0, 0)\\nf()");
  return !&PyCode_Type || !&PyUnicode_Type || Py_FinalizeEx();
}
"""


@each_python
def test_copied_variables(probe: Path, python: Command) -> None:
    """Python is also found in a program that is not position-independent, to which the linker
    copied variables of libpython."""
    library, program = library_of(python), probe.parent / "copies"
    text = "import sysconfig as s; print(s.get_path('include'))"
    headers = subprocess.run([*python, "-c", text], capture_output=True, text=True, check=True)
    include = Path(headers.stdout.strip())
    if not library or not (include / "Python.h").exists():
        pytest.skip("only elsewhere: this Python has no shared library or no headers")
    flags = ["-w", "-no-pie", "-fno-pic", "-O1", f"-I{include}", "-x", "c", "-", "-x", "none"]
    subprocess.run(
        ["gcc", *flags, library, f"-Wl,-rpath,{library.parent}", "-o", program],
        input=COPIES,
        text=True,
        check=True,
    )
    _, calls = run(probe, [str(program)])
    assert [[frame[1:3] for frame in frames_in(call)] for call in calls] == [
        [["f", "3"], ["<module>", "4"]]
    ]


def test_no_python(probe: Path) -> None:
    """A probe in a program without Python has no frames."""
    program = probe.parent / "none"
    source = "#include <unistd.h>\nint main(void) { return lseek(1000001, 0, 0) != 0; }"
    subprocess.run(["gcc", "-x", "c", "-o", program, "-"], input=source, text=True, check=True)
    _, calls = run(probe, [str(program)])
    assert calls == [["1", "0", "0", "0", "", ""]]
