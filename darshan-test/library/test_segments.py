"""libdarshan-util exists for both layouts of trace segments, without and with thread ids; each
reads both versions of traces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lab.command import finished
from lab.compile import compile_c, compiler
from logs.content import standard_log
from logs.encode import encode
from logs.model import Dxt
from tree import SOURCE

HERE = Path(__file__).resolve().parent
# By number of the library: its name, and whether its layout has thread ids (1) or not (0).
LIBRARIES = {"0": ("libdarshan-util.so.0", 0), "1": ("libdarshan-util.so.1", 1)}
# The record versions of DXT_POSIX and DXT_MPIIO, without and with thread ids.
VERSIONS = {"old": (1, 2), "new": (2, 3)}


@pytest.fixture(scope="module")
def libraries(build: Path) -> Path:
    """Returns the folder with both libraries, of which `make install` installs one."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    names = [name for name, _ in LIBRARIES.values()]
    subprocess.run(
        ["make", "-s", "-C", build, *names], env=env, check=True, timeout=300,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return build


def compiled(libraries: Path, folder: Path, library: str, threads: int) -> Path:
    """Compiles segments.c for a layout, with a library. threads: 1 if the layout has thread ids,
    otherwise 0. Returns the program's path."""
    includes = ("util/library", "runtime/format", "runtime")
    own = (f"-DDARSHAN_DXT_THREADS={threads}", *(f"-I{SOURCE / name}" for name in includes))
    first = [*compiler(), "-std=c11", "-Wall", "-Wextra", "-Werror", *own]
    flags = (libraries / library, f"-Wl,-rpath,{libraries}")
    return compile_c(folder, HERE / "segments.c", *flags, name=f"segments-{threads}", first=first)


@pytest.mark.parametrize("number", LIBRARIES)
@pytest.mark.parametrize("age", VERSIONS)
def test_segments(libraries: Path, tmp_path: Path, number: str, age: str) -> None:
    """A program that is compiled for a library's layout prints every segment of a trace as it was
    written, with its thread if the layout has one."""
    library, threads = LIBRARIES[number]
    posix, mpiio = VERSIONS[age]
    log = standard_log({"POSIX": 4, "DXT_POSIX": posix, "DXT_MPIIO": mpiio})
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(log))
    wanted = []
    for module in log.modules:
        for record in module.records:
            if isinstance(record, Dxt):
                kind = 10 if module.name == "DXT_POSIX" else 11
                wanted += [
                    f"{kind} {s.offset} {s.length} {s.start:.4f} {s.end:.4f} {s.thread * threads}"
                    for s in (*record.writes, *record.reads)
                ]
    assert len(wanted) > 10
    assert (len({line.split()[-1] for line in wanted}) > 1) == (age == "new" and threads == 1)
    program = compiled(libraries, tmp_path, library, threads)
    done = subprocess.run([program, path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == wanted
    assert (
        f"[{library}]"
        in subprocess.run(
            ["readelf", "-d", libraries / library], capture_output=True, text=True, check=True
        ).stdout
    )


def test_wrong_layout_is_noticed(libraries: Path, tmp_path: Path) -> None:
    """A program that was compiled for one layout of segments, but runs with the library for the
    other, reports this and exits with 2."""
    program = compiled(libraries, tmp_path, "libdarshan-util.so.1", 0)
    done = finished([program, tmp_path])
    assert (done.returncode, done.stdout) == (2, "compiled for another library\n")
