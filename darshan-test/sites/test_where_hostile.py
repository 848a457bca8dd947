"""`darshan where` with changed logs, and with files that are made to cause harm; and how names of
call sites are read and shown."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from darshan_report.call_sites import installed
from darshan_report.call_sites.lines import Place
from darshan_report.call_sites.stack import Native, Object, Python, object_of, stack_of
from darshan_report.call_sites.symbols import addr2line, elf
from darshan_report.call_sites.told import name_of, plain_name
from lab.command import finished
from report.diagnose.build import Job, Row, row, write

from .where import Where

# Seconds that a command may take which normally takes one.
QUICK = 30


def site(name: str, **values: float) -> Row:
    """Returns a SITES record with ten reads that took a second. name: of the record; values: other
    counters."""
    return row("SITES", name, **{"READS": 10, "F_READ_TIME": 1.0, **values})


def an_object(short: str, build_id: str, path: str | Path) -> Row:
    """Returns the SITES record that describes a program or library. short: its name in call
    sites."""
    return row("SITES", f"object {short} {build_id} {path}", KIND=1)


@pytest.mark.parametrize(
    "name, called, frames",
    [
        ("read", "read", ()),
        ("read;9f3c2a11+1136;libc.so+6+a;?", "read",
         (Native("9f3c2a11", 0x1136), Native("libc.so+6", 10))),
        ("import;/a/b.py:31:f;...", "import", (Python("/a/b.py", 31, "f"),)),
        ("read;/a:1:x/b.py:7:T.f.<locals>.<lambda>", "read",
         (Python("/a:1:x/b.py", 7, "T.f.<locals>.<lambda>"),)),
        ("read;/a%3Bb%25.py:7:f", "read", (Python("/a;b%.py", 7, "f"),)),
        ("read;;/a.py:7:f", "read", ()),
        ("read;x+;/a.py:7:f", "read", ()),
        ("read;x+12345678901234567;/a.py:7:f", "read", ()),
        ("read;/a.py:12345678901:f", "read", ()),
        ("", "", ()),
        ("read" + ";x+1" * 100_000, "read", (Native("x", 1),) * 255),
    ],
    ids=str,
)  # fmt: skip
def test_names(name: str, called: str, frames: tuple[object, ...]) -> None:
    """stack_of() reads the name of a call site up to the first element that breaks the grammar.
    called, frames: the expected result."""
    found = stack_of(name)
    assert (found.called, found.frames) == (called, frames)


def test_names_of_objects() -> None:
    """object_of() accepts the name of an object's record only with a short name, a valid build id
    and an absolute path; otherwise it returns None."""
    assert object_of("object ab 0a1b /x y") == Object("ab", "0a1b", "/x y")
    assert object_of("object x%20y.so - /x%20y.so") == Object("x y.so", "", "/x y.so")
    for name in ("object", "object ab 0a1b relative", "object ab xyz /x", "object ab 0a1 /x", "/x"):
        assert object_of(name) is None


@pytest.mark.parametrize(
    "function, name",
    [
        ("main", "main"),
        ("io::File<int>::put(int)", "io::File::put"),
        ("void std::f<A<B>, (C)1>(int (*)(int))", "std::f"),
        ("std::ostream::operator<<(std::ostream& (*)(std::ostream&))", "std::ostream::operator<<"),
        ("(anonymous namespace)::T::operator()(int) const", "{anonymous}::T::operator()"),
        ("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
         "std::ostream& std::operator<<"),
        ("load.<locals>.<listcomp>", "load"),
        ("Loader.read.<locals>.<lambda>", "Loader.read.lambda"),
        ("<module>", "<module>"),
        ("<", "<"),
        ("", ""),
    ],
)  # fmt: skip
def test_names_of_functions(function: str, name: str) -> None:
    """plain_name() removes return types, parameters and template arguments, and what Python adds to
    names of nested functions."""
    assert plain_name(function) == name


@pytest.mark.parametrize(
    "function, name",
    [
        ("__pyx_pw_6mpi4py_3MPI_4File_55Read", "mpi4py.MPI.File.Read"),
        ("__pyx_pw_6mpi4py_3MPI_4File_4Get_size", "mpi4py.MPI.File.Get_size"),
        ("__pyx_pf_7netCDF4_8_netCDF4_8Variable_70_get", "netCDF4._netCDF4.Variable._get"),
        ("__Pyx_CyFunction_CallAsMethod", ""),
        ("__pyx_pw_6mpi4py_999999999999999", "mpi4py."),
        ("H5Dread", "H5Dread"),
        ("", "IO.so"),
    ],
)
def test_names_that_cython_makes(function: str, name: str) -> None:
    """A Cython function is shown as the user knows it. "": a function of Cython's own runtime."""
    assert name_of(Place(function, "", 0, "/opt/IO.so", 0x2587)) == name


def test_module_of_perl() -> None:
    """A Perl module in machine code without symbols is shown with its module name, which its path
    contains."""
    for where in ("/usr/lib/x86_64-linux-gnu/perl-base/auto", "/usr/lib/aarch64/perl/5.36/auto"):
        assert name_of(Place("", "", 0, f"{where}/File/Glob/Glob.so", 16)) == "File::Glob"


def test_module_of_python() -> None:
    """A Python extension without symbols is shown with the name by which programs import it;
    another library with its file name."""
    for name in ("_sqlite3.cpython-311-x86_64-linux-gnu.so", "_sqlite3.abi3.so"):
        assert name_of(Place("", "", 0, f"/usr/lib/python3.11/lib-dynload/{name}", 16)) == "sqlite3"
    assert name_of(Place("", "", 0, "/usr/lib/libsqlite3.so.0", 16)) == "libsqlite3.so.0"


@pytest.mark.parametrize(
    "path, is_installed",
    [
        ("/usr/bin/cp", True),
        ("/home/me/train.py", False),
        ("/home/me/venv/lib/python3.11/site-packages/numpy/lib/npyio.py", True),
        ("/home/me/lib/python/tool.py", False),
        ("/home/me/conda/lib/libhdf5.so.310.2.0", True),
        ("/home/me/conda/lib/libstdc++.so.6", True),
        ("/home/me/lib/libsolver.so", False),
        ("/home/me/libhdf5.c", False),
        ("<string>", False),
        ("<frozen runpy>", True),
        ("/apps/x/bin/tool", True),
        ("/appsx/tool", False),
    ],
)
def test_installed(path: str, is_installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """is_installed() decides by the built-in table of paths and by DARSHAN_INSTALLED, of which
    relative paths are ignored."""
    monkeypatch.setenv(installed.VARIABLE, "relative::/apps/")
    assert installed.is_installed(path) == is_installed


def test_modules_of_python() -> None:
    """module_of returns the top-level package of a Python file, by its path."""
    for path, module in (
        ("/v/lib/python3.11/site-packages/numpy/lib/npyio.py", "numpy"),
        ("/usr/lib/python3/dist-packages/h5py/_hl/files.py", "h5py"),
        ("/usr/lib/python3.11/gzip.py", "gzip"),
        ("/apps/tool.py", "tool"),
    ):
        assert installed.module_of(path) == module


def test_impossible_numbers(where: Where) -> None:
    """Negative, infinite and huge values of call sites cause no error: impossible times count as 0
    s, and a site with a negative READS or an unknown KIND has no row."""
    path = where.folder / "made.darshan"
    rows = (
        site("read;/home/a.py:1:f"),
        site("read;/home/a.py:2:f", F_READ_TIME=float("nan")),
        site("read;/home/a.py:3:f", F_READ_TIME=float("inf"), READS=2**62, OPENS=2**62),
        site("read;/home/a.py:4:f", READS=-5),
        site("read;/home/a.py:5:f", KIND=7),
        site("read;/home/a.py:6:f", BYTES_READ=-1, F_READ_TIME=-3.0),
    )
    write(Job(rows), path)
    found = where.found(log=path)
    assert found["lines"][0]["place"]["line"] == 1
    assert sorted(row["place"]["line"] for row in found["lines"]) == [1, 2, 3, 6]
    assert found["seconds"] == 1.0 and found["lines"][-1]["bytes_read"] == 0


def test_a_damaged_annex(where: Where) -> None:
    """If the annex is damaged, the message says so, and not that call sites were not recorded."""
    path = where.folder / "made.darshan"
    write(Job((site("read;/home/a.py:1:f"),)), path)
    content = bytearray(path.read_bytes())
    content[-80] ^= 0xFF  # the annex is the end of a log, and has a checksum
    path.write_bytes(content)
    done = where.ask(log=path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{path}: cannot read the annex: " in done.stderr


def test_names_that_would_do_something(where: Where) -> None:
    """Control characters in names are printed neither in the text nor in the JSON of `darshan
    where`."""
    path = where.folder / "made.darshan"
    write(Job((site("re\x1b[2Jad;/home/\x1b]0;x\x07.py:1:\x1b[31mf"),)), path)
    done = where.ask(log=path)
    assert done.returncode == 0 and "\x1b" not in done.stdout
    assert "\x1b" not in where.ask("--json", log=path).stdout


def test_paths_that_wait(where: Where) -> None:
    """If objects have the paths of pipes, devices or files of the kernel, `darshan where` does not
    open them, and so does not block."""
    path = where.folder / "made.darshan"
    os.mkfifo(where.folder / "pipe")
    bad = [where.folder / "pipe", "/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem", "/proc",
           "/" + "x/" * 1000, "/home/\x00x", "/home/a\x01b"]  # fmt: skip
    rows = []
    for number, name in enumerate(bad):
        short = f"{number:08x}"
        rows += [site(f"read;{short}+1136"), an_object(short, short * 5, name)]
    write(Job(tuple(rows)), path)
    start = time.monotonic()
    found = where.found(log=path)
    assert time.monotonic() - start < QUICK
    assert not any(row["place"] and row["place"]["file"] for row in found["lines"])


def test_many_sites_and_objects(where: Where) -> None:
    """For a log with thousands of call sites and objects, `darshan where` opens few files and ends
    in QUICK seconds."""
    program = where.compile()
    with elf.Elf(str(program)) as file:
        build_id = file.build_id()
    rows = [site(f"read;{n:08x}+1136;{n:08x}+1137", F_READ_TIME=1 + n / 1e6) for n in range(9000)]
    for number in range(3000):
        link = f"{where.folder}/./{'./' * (number % 7)}program"
        rows.append(an_object(f"{number:08x}", build_id, link))
    path = where.folder / "made.darshan"
    write(Job(tuple(rows)), path)
    start = time.monotonic()
    done = where.ask(log=path)
    assert time.monotonic() - start < QUICK
    assert done.returncode == 0 and len(done.stdout.splitlines()) < 40


def test_two_objects_of_one_short_name(where: Where) -> None:
    """If two objects have the same short name, frames in them have no line."""
    program = where.compile()
    with elf.Elf(str(program)) as file:
        build_id = file.build_id()
    short = build_id[:8]
    other = an_object(short, f"{short}{'0' * 32}", "/home/other")
    path = where.folder / "made.darshan"
    write(Job((site(f"read;{short}+1136"), an_object(short, build_id, program), other)), path)
    (line,) = where.found(log=path)["lines"]
    assert line["place"]["file"] is None and line["place"]["function"] is None


def test_damaged_programs(where: Where) -> None:
    """Programs with the right build id and damaged contents cause no error."""
    program = where.compile()
    whole = program.read_bytes()
    with elf.Elf(str(program)) as file:
        build_id = file.build_id()
    addresses = list(range(0x1000, 0x1400, 7))
    draw = random.Random(24)
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 20, 400))):
            first = draw.choice((0x40, 0x1000, len(whole) - 4000))
            damaged[draw.randrange(first, len(whole))] = draw.randrange(256)
        program.write_bytes(damaged[: draw.choice((len(whole), draw.randrange(64, len(whole))))])
        try:
            with elf.Elf(str(program)) as file:
                assert isinstance(file.build_id(), str)
                for name in file.functions(addresses).values():
                    assert len(name) <= 4096
        except elf.NotReadableError:
            continue
        for sources in addr2line.sources(str(program), addresses, 20).values():
            assert len(sources) <= 64
    assert build_id


def test_a_tool_that_hangs(where: Where, monkeypatch: pytest.MonkeyPatch) -> None:
    """If addr2line takes too long, prints without end, crashes or fails, it is killed, and no
    address has a source line."""
    folder = where.folder / "bin"
    folder.mkdir()
    tool = folder / "eu-addr2line"
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(addr2line, "_OUTPUT", 1 << 20)
    for script in ("exec sleep 1000", "exec yes", "kill -SEGV $$", "exit 1"):
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        start = time.monotonic()
        assert addr2line.sources("/bin/sh", [1], 1.0) == {}
        assert time.monotonic() - start < QUICK


def test_the_report_has_the_same(where: Where) -> None:
    """A report of a log with markup and TeX in names of call sites can be made in every form,
    without a message."""
    path = where.folder / "made.darshan"
    write(Job((site("read;/home/%3Cb%3E&\\x.py:1:f_$^{}"),)), path)
    for form, options in (("txt", ()), ("html", ()), ("pdf", ()), ("pdf", ("--no-latex",))):
        out = where.folder / f"made.{form}"
        command = [where.program.build / "darshan-job-summary", *options, "-o", out, path]
        done = finished(command, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        out.unlink()
