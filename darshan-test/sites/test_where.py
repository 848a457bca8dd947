"""`darshan where` for programs in several languages, whose I/O comes from known lines."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mpi.launch import Runner
from place import needs

from .where import C_SOURCE, SECONDS, Where, at, line_of, tools

CXX_SOURCE = """
#include <fstream>
#include <fcntl.h>
#include <unistd.h>
namespace io {
template <class T> struct File {
  int number;
  __attribute__((always_inline)) inline void put(T one) {
    if (::write(number, &one, sizeof(one)) < 0) _exit(1); // put
  }
};
} // namespace io
int main(int, char **argv) {
  io::File<int> file{::open(argv[1], O_WRONLY | O_CREAT, 0600)}; // open
  for (int i = 0; i < 70; i++) file.put(i);
  std::ofstream stream(argv[2]); // stream
  for (int i = 0; i < 40; i++)
    stream << i << std::endl; // flush
  return 0;
}
"""
FORTRAN_SOURCE = """module table
  implicit none
contains
  subroutine fill(unit)
    integer, intent(in) :: unit
    integer :: i
    do i = 1, 300
      write(unit, *) i  ! row
      flush(unit)       ! flush
    end do
  end subroutine
end module
program rows
  use table
  open(unit=10, file='rows.txt', status='replace')
  call fill(10)
  close(10)
end program
"""
SCRIPT = """import sys
import numpy


def load(name):
    numpy.save(name, numpy.arange(1000.0))
    for _ in range(30):
        numpy.load(name)  # numpy
    with open(name, "rb", buffering=0) as file:
        for _ in range(50):
            file.read(10)  # plain


load(sys.argv[1])
"""
DATASET = """import h5py, numpy
with h5py.File("rows.h5", "w") as file:
    data = file.create_dataset("x", (60, 100), "f8")
    for row in range(60):
        data[row] = numpy.arange(100.0)  # row
"""
MPI_SOURCE = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  MPI_File file;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < 25; i++)
    MPI_File_write_at(file, 100 * (2 * i + rank), argv, 1, MPI_CHAR, MPI_STATUS_IGNORE); /* put */
  MPI_File_close(&file);
  return MPI_Finalize();
}
"""


@pytest.mark.parametrize("flags", [(), ("-no-pie", "-fno-pie"), ("-O0",)], ids=str)
def test_a_program_in_c(flags: tuple[str, ...], where: Where) -> None:
    """Each line of a C program has its calls and bytes; an inlined function has its own line, and
    its caller is on the stack. flags: of the compiler."""
    source = where.folder / "program.c"
    found = where.run(where.compile(*flags), "data")
    put = at(found, source, line_of(C_SOURCE, "/* put */"))
    assert (put["calls"], put["bytes_written"], put["through"]) == (50, 50_000, None)
    assert put["called"]["write"]["calls"] == 50
    assert [place["function"] for place in put["stack"][:3]] == ["put", "work", "main"]
    get = at(found, source, line_of(C_SOURCE, "/* get */"))
    assert (get["calls"], get["bytes_read"], get["place"]["function"]) == (30, 3000, "work")
    assert at(found, source, line_of(C_SOURCE, "/* open */"))["calls"] == 1
    assert found["calls"] == 82 and found["problems"] == []
    assert found["seconds"] == pytest.approx(sum(row["seconds"] for row in found["lines"]))


def test_the_text(where: Where) -> None:
    """The text of `darshan where` has the same lines as its JSON, those with most time first, in at
    most 80 columns; --top prints fewer."""
    where.run(where.compile(), "data")
    done = where.ask()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    put = next(n for n, x in enumerate(lines) if f"program.c:{line_of(C_SOURCE, '/* put */')}" in x)
    assert lines[put].split()[-3:] == ["50", "48.8", "KiB"]
    assert lines[put + 1] == "  put: write"
    first = where.found()["lines"][0]["place"]["line"]
    done = where.ask("--top", "1")
    assert f"program.c:{first}" in done.stdout and done.stdout.count("program.c:") == 1
    assert "belong to these 1 of 4 lines" in " ".join(done.stdout.split())


def test_the_newest_log(where: Where) -> None:
    """Without LOG, `darshan where` reads the newest log of the log folder, and stderr says
    which."""
    where.run(where.compile(), "data")
    done = subprocess.run(
        [where.program.build / "darshan", "where"],
        env={"DARSHAN_LOGPATH": str(where.log.parent), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    assert "program.c:" in done.stdout and "newest log" in done.stderr


def test_a_program_in_cxx(where: Where) -> None:
    """Lines of inlined templates are found, and calls of iostreams belong to the line that used the
    stream."""
    source = where.folder / "program.cc"
    source.write_text(CXX_SOURCE)
    path = where.folder / "program"
    subprocess.run(["g++", "-g", "-O2", "-o", path, source], check=True)
    found = where.run(path, "one", "two")
    put = at(found, source, line_of(CXX_SOURCE, "// put"))
    assert (put["calls"], put["bytes_written"]) == (70, 280)
    assert put["place"]["function"].startswith("io::File<int>::put")
    assert put["stack"][1]["function"] == "main"
    flush = at(found, source, line_of(CXX_SOURCE, "// flush"))
    assert flush["bytes_written"] == sum(len(f"{i}\n") for i in range(40))
    assert flush["through"] == "std::ostream::operator<<"
    assert at(found, source, line_of(CXX_SOURCE, "// stream"))["through"].startswith("std::")


def test_a_program_in_fortran(where: Where) -> None:
    """Statements of I/O are attributed to their lines, although calls pass through the library of
    Fortran."""
    needs("program:gfortran")
    source = where.folder / "rows.f90"
    source.write_text(FORTRAN_SOURCE)
    path = where.folder / "rows"
    subprocess.run(["gfortran", "-g", "-O1", "-o", path, source], cwd=where.folder, check=True)
    found = where.run(path)
    row = at(found, source, line_of(FORTRAN_SOURCE, "! flush"))
    assert row["called"]["write"]["calls"] == 300
    assert row["through"] == "_gfortran_st_flush"
    assert row["place"]["function"] == "table::fill"


@pytest.mark.parametrize("tool", ["eu-addr2line", "addr2line"])
def test_each_tool(tool: str, where: Where) -> None:
    """Both eu-addr2line (elfutils) and addr2line (binutils) find the same line if only one of them
    is installed."""
    needs(f"program:{tool}")
    where.program.start(where.compile(), "data")
    found = where.found(PATH=tools(where.folder / "bin", [tool]), DARSHAN_PYTHON=sys.executable)
    put = at(found, where.folder / "program.c", line_of(C_SOURCE, "/* put */"))
    assert put["calls"] == 50 and put["stack"][1]["function"] == "work"


def test_without_a_tool(where: Where) -> None:
    """Without any addr2line, functions are found by symbol tables, without lines, and a message
    says what is missing."""
    where.program.start(where.compile("-fno-inline"), "data")
    found = where.found(PATH=tools(where.folder / "bin", []), DARSHAN_PYTHON=sys.executable)
    assert {row["place"]["function"] for row in found["lines"]} == {"work"}
    assert all(row["place"]["file"] is None and row["place"]["offset"] for row in found["lines"])
    (problem,) = found["problems"]
    assert "neither eu-addr2line nor addr2line is installed" in problem


def test_a_program_with_a_hole(where: Where) -> None:
    """Lines are found in a program with a gap between its segments, for which the loader reports
    only the address of the code."""
    path = where.compile("-Wl,-Tdata=0x8000000")
    found = where.run(path, "data")
    put = at(found, where.folder / "program.c", line_of(C_SOURCE, "/* put */"))
    assert put["calls"] == 50 and put["stack"][1]["function"] == "work"


def test_a_program_without_debug_information(where: Where) -> None:
    """For a program without debug information, `darshan where` shows its functions and the
    addresses of calls, and says to compile with -g."""
    path = where.compile("-g0")
    found = where.run(path, "data")
    assert {row["place"]["function"] for row in found["lines"]} == {"work"}
    assert sorted(row["calls"] for row in found["lines"]) == [1, 1, 30, 50]
    assert found["problems"] == [f"{path} has no debug information; compile with -g"]
    assert "work: write" in where.ask().stdout


def test_a_stripped_program(where: Where) -> None:
    """For a stripped program, `darshan where` shows only the addresses of calls."""
    path = where.compile()
    subprocess.run(["strip", path], check=True)
    found = where.run(path, "data")
    assert {row["place"]["object"] for row in found["lines"]} == {str(path)}
    assert {row["place"]["function"] for row in found["lines"]} == {None}
    assert sorted(row["calls"] for row in found["lines"]) == [1, 1, 30, 50]
    put = next(row for row in found["lines"] if row["calls"] == 50)
    assert f"program+{put['place']['offset']:x}" in where.ask().stdout


@pytest.mark.parametrize("change", ["another", "gone", "pipe", "text", "folder"])
def test_a_program_that_has_changed(change: str, where: Where) -> None:
    """If another file is at the program's path, `darshan where` shows no lines from it, and does
    not block on a pipe. change: what is there now."""
    path = where.compile()
    where.program.start(path, "data")
    if change == "another":
        where.compile(source="\n\n" + C_SOURCE)
    else:
        path.unlink()
    if change == "pipe":
        subprocess.run(["mkfifo", path], check=True)
    elif change == "text":
        path.write_text("no program")
    elif change == "folder":
        path.mkdir()
    found = where.found()
    assert {row["place"]["object"] for row in found["lines"]} == {str(path)}
    assert not any(row["place"]["file"] or row["place"]["function"] for row in found["lines"])
    (problem,) = found["problems"]
    said = {
        "another": "its build id differs",
        "gone": "no longer exists",
        "pipe": "is not a regular file",
        "text": "is not a 64-bit, little-endian ELF file",
        "folder": "is not a regular file",
    }
    assert problem.startswith(f"{path} ") and said[change] in problem
    assert "program+" in where.ask().stdout


def test_a_program_without_a_build_id(where: Where) -> None:
    """`darshan where` reads no lines from a program without a build id, because it may not be the
    one that ran; a message says so."""
    path = where.compile("-Wl,--build-id=none")
    found = where.run(path, "data")
    assert not any(row["place"]["file"] for row in found["lines"])
    (problem,) = found["problems"]
    assert "has no build id" in problem


def test_a_library_of_the_user(where: Where) -> None:
    """A call through a library of the user belongs to the line in this library."""
    library = where.compile("-shared", "-fPIC", name="libwork.so")
    main = "int work(const char *); int main(int n, char **a) { return n > 1 ? work(a[1]) : 2; }"
    path = where.compile(str(library), f"-Wl,-rpath,{where.folder}", source=main, name="main")
    found = where.run(path, "data")
    put = at(found, where.folder / "libwork.so.c", line_of(C_SOURCE, "/* put */"))
    assert (put["calls"], put["through"]) == (50, None)


def test_installed_software(where: Where) -> None:
    """A library below a folder of DARSHAN_INSTALLED counts as installed: its calls belong to the
    line of the program that called it."""
    folder = where.folder / "apps"
    folder.mkdir()
    library = where.compile("-shared", "-fPIC", name="libwork.so")
    shutil.move(library, folder)
    main = "int work(const char *);\nint main(int n, char **a) { return n > 1 ? work(a[1]) : 2; }"
    path = where.compile(
        str(folder / library.name), f"-Wl,-rpath,{folder}", source=main, name="main"
    )
    where.run(path, "data")
    found = where.found(DARSHAN_INSTALLED=f"/nowhere:{folder}")
    (row,) = found["lines"]
    assert (row["place"]["file"], row["place"]["line"]) == (str(where.folder / "main.c"), 2)
    assert (row["calls"], row["through"]) == (82, "work")


def test_a_script_in_python(where: Where) -> None:
    """Calls of a Python script belong to its lines; calls within numpy belong to the line that
    called numpy."""
    script = where.folder / "script.py"
    script.write_text(SCRIPT)
    found = where.run(sys.executable, script, "data.npy")
    plain = at(found, script, line_of(SCRIPT, "# plain"))
    assert (plain["calls"], plain["bytes_read"], plain["through"]) == (50, 500, None)
    assert (plain["place"]["function"], plain["place"]["object"]) == ("load", None)
    load = at(found, script, line_of(SCRIPT, "# numpy"))
    assert load["through"] == "numpy.load"
    assert load["bytes_read"] >= 30 * 8000
    assert at(found, script, line_of(SCRIPT, "numpy.save"))["through"] == "numpy.save"
    assert "through numpy.load" in where.ask().stdout


def test_a_long_line_keeps_whole_names(where: Where) -> None:
    """If not all functions that a line called fit into its row, one of them is printed in full, and
    none is cut."""
    script = where.folder / "script.py"
    script.write_text(
        "import tempfile\ndef rows():\n    for i in range(9):\n"
        "        with tempfile.TemporaryDirectory() as folder:\n"
        "            open(f'{folder}/a', 'w').close()\nrows()\n"
    )
    where.run(sys.executable, script)
    lines = where.ask().stdout.splitlines()
    (line,) = [line for line in lines if "through tempfile.TemporaryDirectory" in line]
    assert re.match(r"  rows: \w+, \.\.\. through \S+; \d other ways?$", line), line
    assert len(line) <= 80


def test_hdf5_in_python(where: Where) -> None:
    """`darshan where` shows an assignment to a dataset in Python as a call through h5py."""
    script = where.folder / "script.py"
    script.write_text(DATASET)
    found = where.run(sys.executable, script)
    row = at(found, script, line_of(DATASET, "# row"))
    name = "Dataset.__setitem__" if sys.version_info >= (3, 11) else "__setitem__"
    assert row["called"]["H5Dwrite"]["calls"] == 60
    assert row["through"] == f"h5py.{name}"


def test_code_on_the_command_line(where: Where) -> None:
    """The text of `python -c` counts as the user's code: its calls have its lines."""
    found = where.run(sys.executable, "-c", "open('a', 'w').close()\nopen('b', 'w').close()")
    assert at(found, "<string>", 1)["calls"] > 0
    assert at(found, "<string>", 2)["called"]["open64"]["calls"] == 1


def test_an_installed_program(where: Where) -> None:
    """For an installed program, `darshan where` shows addresses in the program itself, and not in
    the libraries that it uses."""
    found = where.run("/usr/bin/cp", where.compile(), "copy")
    objects = {row["place"]["object"] for row in found["lines"]}
    assert objects == {str(Path("/usr/bin/cp").resolve())}


def _both_ranks(line: dict[str, Any]) -> None:
    """Checks that a line has the least and the most seconds of two ranks, which add up to its
    seconds."""
    ranks = line["ranks"]
    assert (line["processes"], ranks["number"]) == (2, 2)
    assert 0 < ranks["seconds_min"] <= ranks["seconds_max"]
    assert ranks["seconds_min"] + ranks["seconds_max"] == pytest.approx(line["seconds"])
    assert ranks["slowest"] in (0, 1)


def test_ranks_of_a_job(where: Where, runner: Runner) -> None:
    """Calls of two MPI ranks at the same line are one row, with the number of processes and the
    times of the ranks."""
    source = where.folder / "ranks.c"
    source.write_text(MPI_SOURCE)
    path = runner.build(str(source), "-g")
    job = runner.run(2, [str(path), "shared"], {"DARSHAN_SITES": "1"})
    assert job.code == 0, job
    (log,) = job.logs
    put = at(where.found(log=log), source, line_of(MPI_SOURCE, "/* put */"))
    assert put["called"] == {"MPI_File_write_at": {"calls": 50, "seconds": put["seconds"]}}
    assert put["bytes_written"] == 50
    # A merged record has the fastest and the slowest rank.
    _both_ranks(put)
    job = runner.run(
        2, [str(path), "shared"], {"DARSHAN_SITES": "1", "DARSHAN_DISABLE_SHARED_REDUCTION": "1"}
    )
    (log,) = set(job.logs) - {log}
    put = at(where.found(log=log), source, line_of(MPI_SOURCE, "/* put */"))
    _both_ranks(put)


def test_a_log_without_sites(where: Where) -> None:
    """For a log without call sites, a message of one line says how to record them."""
    path = where.compile()
    where.program.start(path, "data", DARSHAN_SITES="0")
    done = where.ask()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"darshan where: {where.log}: the log has no call sites; "
        "record them by darshan run --sites, or with DARSHAN_SITES=1\n"
    )


def test_an_anonymous_log(where: Where) -> None:
    """For a log that darshan-convert has anonymized, `darshan where` says that its names are
    anonymous."""
    where.program.start(where.compile(), "data")
    hidden = where.folder / "hidden.darshan"
    command = [where.program.build / "darshan-convert", "--obfuscate=strong", where.log, hidden]
    subprocess.run(command, check=True, capture_output=True)
    done = where.ask(log=hidden)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "The names in this log are anonymous: it cannot tell lines of code.\n"
    assert where.found(log=hidden)["anonymous"]


def test_wrong_arguments(where: Where) -> None:
    """A usage error ends with status 2, a file that is not a log with status 1."""
    for arguments in (("--top", "0"), ("--top", "x"), ("--unknown",)):
        assert where.ask(*arguments, log=Path("/dev/null")).returncode == 2
    done = where.ask(log=Path("/dev/null"))
    assert done.returncode == 1 and done.stderr.startswith("darshan where: /dev/null")
