"""Tests the installed libraries libdarshan-util and libdarshan-read: their symbols, the examples of
the documentation, and how programs find them."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lab.command import finished
from lab.log import parsed, rows_in
from logs.content import standard_log
from logs.encode import encode
from place import absent, elsewhere
from sample import everything
from tree import SOURCE

PAGE = SOURCE / "doc" / "library.md"
# By soname: the name for pkg-config, and the list of exported symbols.
LIBRARIES = {
    "libdarshan-util.so.0": ("darshan-util", "util/library/exports.map"),
    "libdarshan-read.so.0": ("darshan-read", "util/reader/exports.map"),
}


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a log with records of POSIX and STDIO."""
    path = tmp_path_factory.mktemp("logs") / "log.darshan"
    path.write_bytes(encode(standard_log({"POSIX": 4, "STDIO": 2})))
    return path


def output(*command: str | Path, env: dict[str, str] | None = None) -> str:
    """Returns the output of a command, which must succeed. env: further variables."""
    done = finished(command, env=os.environ | (env or {}))
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_library_shows(library: str, prefix: Path) -> None:
    """An installed library has its soname and its development link, and exports exactly the public
    symbols."""
    path = prefix / "lib" / library
    assert f"Library soname: [{library}]" in output("readelf", "-dW", path)
    assert (prefix / "lib" / library[:-2]).resolve() == path.resolve()
    table = [line.split() for line in output("nm", "-D", "--defined-only", path).splitlines()]
    text = (SOURCE / LIBRARIES[library][1]).read_text()
    public = set(re.findall(r"^ *(?:\w+; )*(\w+);|(?<=; )(\w+);", text, re.MULTILINE))
    wanted = {name for pair in public for name in pair if name} | set(re.findall(r"(\w+);", text))
    assert {row[-1] for row in table} == wanted


def test_a_program_may_use_both() -> None:
    """libdarshan-util and libdarshan-read export no symbol of the same name, so a program can be
    linked with both."""
    names = [
        set(re.findall(r"(\w+);", (SOURCE / path).read_text())) for _, path in LIBRARIES.values()
    ]
    assert all(names)
    assert not names[0] & names[1]


def built_of(page: str, name: str, prefix: Path, folder: Path) -> Path:
    """Compiles the example program `name` of a documentation page with the page's own command.
    page: its text; prefix: of the installation. Returns the program's path."""
    source, command = re.search(
        rf"```c\n(/\* {name}\.c.*?)```.*?```sh\n(cc [^\n]*)\n", page, re.DOTALL
    ).groups()  # type: ignore[union-attr]
    (folder / f"{name}.c").write_text(source)
    env = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    strict = command.replace("cc ", "cc -std=c11 -Wall -Wextra -Werror ", 1)
    subprocess.run(["bash", "-ec", strict], cwd=folder, env=env, check=True)
    return folder / name


def test_the_example(prefix: Path, log: Path, tmp_path: Path, build: Path) -> None:
    """The documentation's example program prints the same values as darshan-parser."""
    program = built_of(PAGE.read_text(), "most-read", prefix, tmp_path)
    lines = output(program, log).splitlines()
    rows = rows_in(parsed(build / "darshan-parser", log), "POSIX")
    names = {row.record: row.name for row in rows}
    read = dict.fromkeys(names, 0)
    for row in rows:
        if row.counter == "POSIX_BYTES_READ":
            read[row.record] += int(row.text)
    perf = output(build / "darshan-parser", "--perf", log)
    most = max(read, key=lambda number: read[number])
    assert lines[0] == f"most read: {names[most]}, {read[most]} bytes"
    seconds = re.search(r"# agg_time_by_slowest: (\S+)", perf)[1]  # type: ignore[index]
    assert lines[1] == f"seconds of the slowest: {seconds}"


def test_the_example_of_the_reader(prefix: Path, log: Path, tmp_path: Path) -> None:
    """The example of the reader's library prints the modules of a log, and the reason if a file is
    not a log."""
    program = built_of(PAGE.read_text(), "modules", prefix, tmp_path)
    assert output(program, log).splitlines() == ["POSIX: 9 records", "STDIO: 9 records"]
    (tmp_path / "no log").write_bytes(b"no log")
    done = finished([program, tmp_path / "no log"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{tmp_path / 'no log'}: is not a Darshan log (6 bytes)\n"


@pytest.fixture(scope="session")
def pydarshan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns PyDarshan as installed from its sources, without a copy of the C library."""
    found = importlib.util.find_spec("darshan")
    if not found or not found.origin:
        absent("PyDarshan is not installed")
    folder = tmp_path_factory.mktemp("pydarshan")
    shutil.copytree(
        Path(found.origin).parent, folder / "darshan",
        ignore=shutil.ignore_patterns("*.so", "*.c", "tests", "examples", "__pycache__"),
    )  # fmt: skip
    return folder


# Prints facts of a log as PyDarshan reads them, and the library that it uses.
READ = """
import sys
import darshan
report = darshan.DarshanReport(sys.argv[1])
print(len(report.records["POSIX"]), report.metadata["job"]["log_ver"], report.metadata["exe"])
print({line.split(None, 5)[5] for line in open("/proc/self/maps") if "libdarshan-util" in line})
"""


@pytest.mark.parametrize("way", ["PATH", "LD_LIBRARY_PATH"])
def test_pydarshan_finds_it(way: str, pydarshan: Path, prefix: Path, log: Path) -> None:
    """PyDarshan finds the installed library by PATH, or by LD_LIBRARY_PATH, and reads a log with
    it. way: the variable."""
    folder = prefix / ("bin" if way == "PATH" else "lib")
    env = {way: f"{folder}:{os.environ.get(way, '')}", "PYTHONPATH": str(pydarshan)}
    first, second = output(sys.executable, "-W", "ignore", "-c", READ, log, env=env).splitlines()
    assert first == "9 3.41 ./app -x 1"
    assert second == str({f"{prefix.resolve() / 'lib' / 'libdarshan-util.so.0'}\n"})


def test_pydarshan_makes_its_summary(
    pydarshan: Path, prefix: Path, log: Path, tmp_path: Path
) -> None:
    """PyDarshan makes its summary with the installed library."""
    if not everything():
        elsewhere("in ./dev full, for it takes half a minute")
    env = {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(pydarshan)}
    page = tmp_path / "summary.html"
    output(sys.executable, "-m", "darshan", "summary", log, "--output", page, env=env)
    text = page.read_text()
    assert "<img" in text
    assert "POSIX" in text
    assert shlex.quote("./app") in text
