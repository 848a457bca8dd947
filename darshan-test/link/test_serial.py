"""Programs of one process that are linked with the runtime: dynamic, static, and with a static
HDF5, in C and in Fortran."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from lab.command import finished
from lab.environment import library_of, preload
from lab.log import Row
from place import elsewhere

from .runs import (
    HERE,
    Comparison,
    Installed,
    execute,
    hdf5_flags,
    need,
    need_file,
    program_rows,
    run,
)

# The static C library.
STATIC_LIBC = Path(
    subprocess.run(
        ["gcc", "-print-file-name=libc.a"], capture_output=True, text=True, check=True
    ).stdout.strip()
)
# Options of the compiler for each kind of program.
KINDS = {"dynamic": [], "static": ["-static"], "static-pie": ["-static-pie"]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", ["serial.c", "serial.f90"])
def test_serial(
    installed: Installed, comparison: Comparison, tmp_path: Path, source: str, kind: str
) -> None:
    """The log rows of a program that is linked with the runtime equal those of the preloaded
    program, for both languages and all kinds of linking."""
    compiler = "gcc" if source.endswith(".c") else "gfortran"
    need(compiler)
    need_file(STATIC_LIBC)
    linked, plain = tmp_path / "linked-program", tmp_path / "program"
    run([compiler, "-O2", HERE / source, "-o", plain])
    run([installed.compiler(compiler, tmp_path), "-O2", HERE / source, "-o", linked, *KINDS[kind]])
    found = comparison.same([linked], [plain], modules=["POSIX"])
    if compiler == "gcc":
        (written,) = [row.value for row in found if is_stream(row)]
        assert written == 8 + 5000 + 5000 + 11


def is_stream(row: Row) -> bool:
    """Returns whether a row has the bytes that serial.c wrote to its stream."""
    return row.counter == "STDIO_BYTES_WRITTEN" and row.name.endswith("/stream.dat")


@pytest.mark.parametrize("kind", ["inside", "static"])
def test_hdf5_inside(
    installed: Installed, comparison: Comparison, build: Path, tmp_path: Path, kind: str
) -> None:
    """Calls of an HDF5 library in the program are recorded as those of a shared one, but only if
    the program is linked with the runtime. kind: whether only HDF5 is static, or the whole
    program."""
    compiler, headers = installed.compiler("gcc", tmp_path), hdf5_flags(build, "HDF5_CPPFLAGS")
    library = hdf5_flags(build, "HDF5_STATIC_LIBS")
    if kind == "static" and "-lcurl" in library:
        elsewhere("an HDF5 that reads from object stores is not for static programs")
    plain, linked, unlinked = (tmp_path / name for name in ("shared", "linked-program", "inside"))
    own = [*library, "-laec", *(["-static"] * (kind == "static"))]
    run(["gcc", *headers, HERE / "hdf5.c", "-o", plain, *hdf5_flags(build, "HDF5_LIBS")])
    run(["gcc", *headers, HERE / "hdf5.c", "-o", unlinked, *own])
    run([compiler, *headers, HERE / "hdf5.c", "-o", linked, *own])
    found = comparison.same([linked], [plain], modules=["POSIX", "H5F", "H5D", "H5_META", "LAYERS"])
    assert any((row.counter, row.text) == ("H5D_BYTES_READ", "4096") for row in found)
    if kind == "inside":  # without stubs, and when preloaded, only the POSIX calls
        extra = preload(library_of(build))
        ran = execute([unlinked], tmp_path / "work", tmp_path / "logs", extra)
        found = program_rows(comparison.parser, ran.logs, tmp_path / "work")
        modules = {row.module for row in found}
        assert "POSIX" in modules and not modules & {"H5F", "H5D", "H5_META", "LAYERS"}


@pytest.mark.parametrize("kind", KINDS)
def test_switched_off(installed: Installed, tmp_path: Path, kind: str) -> None:
    """With DARSHAN_DISABLE, a linked program writes no log and prints the same as without the
    runtime."""
    program = tmp_path / "program"
    need_file(STATIC_LIBC)
    run([installed.compiler("gcc", tmp_path), HERE / "serial.c", "-o", program, *KINDS[kind]])
    ran = execute([program], tmp_path / "work", tmp_path / "logs", {"DARSHAN_DISABLE": "1"})
    assert (ran.stdout, ran.stderr, ran.logs) == ("all is well\n", "", [])


@pytest.mark.parametrize("kind", KINDS)
def test_preloaded_as_well(
    installed: Installed, comparison: Comparison, build: Path, tmp_path: Path, kind: str
) -> None:
    """The operations of a program that is linked with the runtime and also runs with the preloaded
    runtime are counted once, and in one log."""
    program = tmp_path / "program"
    need_file(STATIC_LIBC)
    run([installed.compiler("gcc", tmp_path), HERE / "serial.c", "-o", program, *KINDS[kind]])
    logs, work = tmp_path / "logs", tmp_path / "work"
    once = execute([program], work, logs, {})
    expected = program_rows(comparison.parser, once.logs, work)
    twice = execute([program], work, logs, preload(library_of(build)))
    assert program_rows(comparison.parser, twice.logs, work) == expected
    assert len([log for log in twice.logs if "_program_" in log.name]) == 1


def test_flags_for_a_shell(installed: Installed, comparison: Comparison, tmp_path: Path) -> None:
    """The flags of darshan-config link a program in a shell, whatever characters the installation's
    path has. The flags of pkg-config do so, too, except for some paths with blanks."""
    need("pkg-config")
    plain = tmp_path / "plain"
    run(["gcc", HERE / "serial.c", "-o", plain])
    (tmp_path / "here").symlink_to(installed.prefix)
    config, pkgconfig = installed.command("darshan-config"), tmp_path / "here" / "lib" / "pkgconfig"
    scripts = [
        'eval "gcc $("$0" --pre-ld-flags) serial.c -o $1 $("$0" --post-ld-flags)"',
        'eval "gcc serial.c -o $1 $("$0" --dyn-ld-flags)"',
        'eval "gcc serial.c -o $1 $(pkg-config --libs darshan-runtime)"',
        'eval "gcc -static $(pkg-config --variable=pre_ld_flags darshan-runtime) serial.c -o $1'
        ' $(pkg-config --variable=post_ld_flags darshan-runtime)"',
    ]
    for number, script in enumerate(scripts):
        program = tmp_path / f"program-{number}"
        command = ["sh", "-c", script, config, program]
        run(command, cwd=HERE, env={"PATH": "/usr/bin:/bin", "PKG_CONFIG_PATH": str(pkgconfig)})
        comparison.same([program], [plain], modules=["POSIX", "STDIO"])


def test_compiling_only(installed: Installed, tmp_path: Path) -> None:
    """If no program is linked, as with -c or -shared, the command of darshan-gen-cc passes only the
    user's arguments to the compiler."""
    compiler = installed.compiler("gcc", tmp_path)
    object_file, library = tmp_path / "serial.o", tmp_path / "serial.so"
    run([compiler, "-fPIC", "-c", HERE / "serial.c", "-o", object_file])
    run([compiler, "-shared", object_file, "-o", library])
    assert run([compiler, "--version"]).stdout == run(["gcc", "--version"]).stdout
    assert "darshan" not in run(["readelf", "-d", library]).stdout


def test_a_compiler_that_is_none(installed: Installed, tmp_path: Path) -> None:
    """darshan-gen-cc for a missing compiler prints an error of one line, also under its command
    name of 3.5.0, exits with 1, and creates no file."""
    command = installed.command("darshan-gen-cc.pl")
    for compiler in ("/nowhere/gcc", str(tmp_path), "no-such-compiler"):
        done = finished([command, compiler], cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_none(installed: Installed, tmp_path: Path) -> None:
    """If darshan-gen-cc cannot write the file that --output names, it prints one line with that
    name, exits with 1, and creates nothing."""
    command = installed.command("darshan-gen-cc")
    (tmp_path / "folder").mkdir()
    for place in ("folder", "none/cc", "/proc/cc"):
        done = finished([command, "gcc", "--output", place], cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"darshan-gen-cc: cannot write {place}\n"
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_archive_shows_no_more_than_it_must(archives: Path) -> None:
    """The static archive libdarshan.a exports no names except those of wrappers and of the stubs
    for linking."""
    text = run(["nm", "--defined-only", "-g", archives / "libdarshan.a"]).stdout
    names = {line.split()[2] for line in text.splitlines() if len(line.split()) == 3}
    allowed = re.compile(r"darshan_(wrap_\w+|link|register|ask_\w+)$|__wrap_\w+$")
    assert "__wrap_open" in names
    assert [name for name in sorted(names) if not allowed.match(name)] == []


def test_names_that_the_c_library_uses_itself() -> None:
    """runtime/link/libc-own lists all wrapped functions with names that begin with "_" and that
    members of libc.a call, except for a few known ones."""
    text = run(["nm", "-A", "-u", need_file(STATIC_LIBC)]).stdout
    used = {line.split()[-1] for line in text.splitlines() if line.strip()}
    listed = set(
        re.findall(r"^\w+$", (HERE.parents[1] / "runtime/link/libc-own").read_text(), re.M)
    )
    modules = HERE.parents[1] / "runtime" / "modules"
    wrapped = {
        name
        for module in ("posix", "stdio")
        for name in re.findall(
            r"^[A-Z_0-9]+\((\w+)[,)]", (modules / module / "calls.def").read_text(), re.M
        )
    }
    inner = {name for name in wrapped & used if name.startswith("_")}
    # _exit ends a process; the other wrappers detect that they are called inside a call.
    known = {"_exit", "__overflow", "__uflow", "__getdelim", "__sigaction"}
    # The names exist from glibc 2.41 on; programs that are compiled today use them too.
    assert inner - listed <= known | {"__fgets_unlocked_chk", "__fprintf_chk", "__read_chk"}
