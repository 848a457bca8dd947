"""The wheel, for users who only read logs, works without the rest of Darshan. It is made from the
source package, and tested with logs of each kind."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab.command import finished
from lab.log import rows_in
from logs.bad import small_log
from logs.encode import encode
from logs.model import BZIP2
from logs.tools import data_lines
from tree import SOURCE

SECONDS = 120
# Calls setuptools as pip does: kind of package, and arguments.
MAKE = "import setuptools.build_meta as made; made.build_{}(*{})"
# Runs the examples of doc/python.md with the Python that has the wheel, and prints the library that
# it uses.
EXAMPLES = """
import doctest, re, sys
blocks = re.findall(r"^```pycon\\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S)
test = doctest.DocTestParser().get_doctest("\\n".join(blocks), {}, "python.md", None, 0)
print(doctest.DocTestRunner().run(test))
import darshan_report.library
print(darshan_report.library.load()._name)
"""


def run(*command: str | Path, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with a small environment without Darshan's variables. cwd: its folder;
    settings: variables to add. Returns its exit status and output."""
    kept = {"HOME": str(cwd), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    return finished(command, cwd=cwd, env=kept | settings, timeout=SECONDS)


def made(*command: str | Path, cwd: Path, **settings: str) -> str:
    """Returns the output of a command, which must succeed."""
    done = run(*command, cwd=cwd, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Place:
    """A virtual environment in which the wheel is installed, the wheel's file, and a log to
    read."""

    wheel: Path
    folder: Path  # of the virtual environment
    log: Path

    def says(self, *command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Runs a command of the virtual environment. Returns its output and exit status."""
        return run(self.folder / "bin" / command[0], *command[1:], cwd=cwd)


@pytest.fixture(scope="module")
def place(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Makes the source package and the wheel, and installs the wheel in a new virtual
    environment."""
    scratch = tmp_path_factory.mktemp("wheel")
    # Compiles without optimization to save time; other tests cover the compiled code.
    quick = {"CFLAGS": "-O0"}
    made(sys.executable, "-c", MAKE.format("sdist", [str(scratch)]), cwd=SOURCE)
    (package,) = scratch.glob("darshan_report-*.tar.gz")
    made("tar", "-xf", package, cwd=scratch)
    source = scratch / package.name.removesuffix(".tar.gz")
    made(sys.executable, "-c", MAKE.format("wheel", [str(scratch)]), cwd=source, **quick)
    (wheel,) = scratch.glob("*.whl")
    folder = scratch / "with blank"
    made(sys.executable, "-m", "venv", "--without-pip", folder, cwd=scratch)
    made(sys.executable, "-m", "pip", "-q", "--python", folder / "bin" / "python", "install",
         "--no-index", "--no-deps", "--disable-pip-version-check", wheel, cwd=scratch)  # fmt: skip
    # The tests' numpy, matplotlib and pandas are used.
    (library,) = (folder / "lib").glob("python*/site-packages")
    (library / "borrowed.pth").write_text(
        "".join(f"{path}\n" for path in sys.path if "site-packages" in path)
    )
    command = ["dd", "if=/dev/zero", "of=data.bin", "bs=8", "count=600000", "status=none"]
    made(
        build / "darshan", "run", "-o", "logs", "--", *command, cwd=scratch, DXT_ENABLE_IO_TRACE="1"
    )
    (log,) = (scratch / "logs").glob("*.darshan")
    return Place(wheel, folder, log.rename(scratch / "job.darshan"))


def test_what_is_in_it(place: Place) -> None:
    """The wheel has the version in configure.ac, a tag without a Python version, the licence files,
    and no path of this machine."""
    names = zipfile.ZipFile(place.wheel).namelist()
    (version,) = re.findall(
        r"^AC_INIT\(\[darshan\], \[(.*?)\]\)", (SOURCE / "configure.ac").read_text(), re.M
    )
    assert re.fullmatch(
        rf"darshan_report-{re.escape(version)}-py3-none-linux_\w+\.whl", place.wheel.name
    )
    assert sum("/licenses/" in name for name in names) == 2
    assert any(name.endswith("uPlot-LICENSE") for name in names)
    modules = {path.relative_to(SOURCE / "util/python").as_posix()
               for path in (SOURCE / "util/python/darshan_report").rglob("*")
               if path.suffix in (".py", ".typed", ".js", ".css", ".tex")}  # fmt: skip
    assert modules - set(names) == set()
    with zipfile.ZipFile(place.wheel) as archive:
        assert [n for n in names if bytes(SOURCE) in archive.read(n)] == []


def test_pages_name_what_is_there(place: Place) -> None:
    """The manual pages in the wheel name the folder in which the wheel has the guides, and only
    guides that are there."""
    named: set[str] = set()
    for page in (place.folder / "share/man/man1").glob("*.1"):
        text = page.read_text("utf-8").replace("\\-", "-")
        assert text.startswith(".so") or "share/doc/darshan of what is installed" in text
        named |= set(re.findall(r"([\w-]+\.md)", text))
    assert "centre.md" in named
    assert named <= {path.name for path in (place.folder / "share/doc/darshan").iterdir()}


def test_nothing_newer_is_needed(place: Place) -> None:
    """The library and the programs need no symbol of a newer glibc. libz and libbz2 are added to
    the wheel later."""
    needs = SOURCE / "darshan-test" / "glibc" / "needs.py"
    said = run(sys.executable, needs, place.folder, cwd=place.folder).stdout.splitlines()
    wrong = [
        line
        for line in said[:-1]
        if not re.search(r": needs lib(z|bz2|deflate)\.so\.[\d.]+$", line)
    ]
    assert wrong == [] and int(said[-1].split()[0]) >= 6


def test_the_reader_is_inside(place: Place) -> None:
    """The examples of doc/python.md work with the C library in the wheel, not with another one on
    the machine."""
    python = place.folder / "bin" / "python"
    said = made(python, "-c", EXAMPLES, SOURCE / "doc" / "python.md", cwd=place.log.parent)
    results, library = said.splitlines()[-2:]
    assert re.fullmatch(r"TestResults\(failed=0, attempted=\d\d+\)", results), said
    assert Path(library).is_relative_to(place.folder)


def test_reports(place: Place, tmp_path: Path) -> None:
    """The installed wheel makes reports as text, JSON and HTML, and as PDF without LaTeX."""
    text = place.says("darshan", "report", "--text", place.log, cwd=tmp_path)
    assert text.returncode == 0 and "Many small writes" in text.stdout
    for name, start in (("a.json", "{"), ("a.html", "<!DOCTYPE html>"), ("a.pdf", "%PDF-")):
        options = ["--no-latex"] if name == "a.pdf" else []
        done = place.says("darshan", "report", *options, "-o", name, place.log, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).read_bytes().startswith(start.encode())
    assert "small-accesses-write" in json.dumps(json.loads((tmp_path / "a.json").read_text()))
    path = place.says("darshan", "report", "--python-path", cwd=tmp_path).stdout.strip()
    assert Path(path).is_relative_to(place.folder)


def test_commands(place: Place, tmp_path: Path) -> None:
    """Commands that do not need the runtime work from the wheel, both as `darshan COMMAND` and by
    their own names."""
    rows = place.says("darshan", "parse", place.log, cwd=tmp_path).stdout
    (row,) = (
        row
        for row in rows_in(rows, "POSIX")
        if row.name.endswith("/data.bin") and row.counter == "POSIX_BYTES_WRITTEN"
    )
    assert (row.rank, row.value) == (0, 4800000)
    assert rows == place.says("darshan-parser", place.log, cwd=tmp_path).stdout
    assert "4.58 MiB" in place.says("darshan", "stat", "-r", place.log, cwd=tmp_path).stderr
    for command in (
        ["darshan", "trace", "-o", "trace.json", place.log],
        ["darshan", "convert", "--obfuscate", place.log, "hidden.darshan"],
        ["darshan-dxt-analyzer", place.log],
        ["darshan-dxt-parser", place.log],
        ["darshan-analyzer", place.log],
        ["darshan", "report", "--per-file", "each", place.log, "--text"],
    ):
        done = place.says(*command, cwd=tmp_path)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    assert (tmp_path / "trace.json").exists() and list(
        (tmp_path / "each").glob("data.bin*.darshan")
    )
    other = place.says("darshan", "diff", place.log, "hidden.darshan", cwd=tmp_path)
    assert other.returncode == 1 and other.stdout


def test_commands_of_lakes_name_what_pip_installs(place: Place, tmp_path: Path) -> None:
    """The messages of commands for lakes say how to install packages for the wheel's own Python,
    and DARSHAN_PYTHON has no effect."""
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError(name='pyarrow')\n")
    command = [place.folder / "bin" / "darshan", "collect", "."]
    done = run(*command, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    said = done.stderr.splitlines()
    assert done.returncode == 1 and len(said) == 2 and "lacks pyarrow" in said[0], done
    python, *words = shlex.split(said[1])
    assert words == ["-m", "pip", "install", "darshan-report[centre]"]
    assert Path(python).parent == place.folder / "bin"
    assert run(*command, cwd=tmp_path).returncode == 0


def test_old_and_bad_logs(place: Place, tmp_path: Path) -> None:
    """Commands of the wheel read a log that is compressed by bzip2; for a damaged log they print an
    error of one line, exit with 1, and write no report."""
    (tmp_path / "old.darshan").write_bytes(encode(small_log(BZIP2)))
    assert data_lines(place.says("darshan", "parse", "old.darshan", cwd=tmp_path).stdout.encode())
    (tmp_path / "bad.darshan").write_bytes(place.log.read_bytes()[:900])
    for command in (["report", "-o", "bad.html"], ["parse"]):
        done = place.says("darshan", *command, "bad.darshan", cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
        assert "bad.darshan" in done.stderr
    assert not (tmp_path / "bad.html").exists()


@pytest.mark.parametrize(
    ("command", "status", "missing"),
    [
        (["run", "true"], 125, "libdarshan.so"),
        (["stat", "--", "true"], 125, "libdarshan.so"),
        (["merge", "x"], 127, "darshan-merge"),
        (["recover"], 1, "darshan-merge"),
        (["recover", "--dry-run", "."], 1, "darshan-merge"),
        (["mk-log-dirs", "logs"], 127, "darshan-mk-log-dirs"),
    ],
)
def test_what_takes_the_runtime(
    command: list[str], status: int, missing: str, place: Place, tmp_path: Path
) -> None:
    """For a command that needs a missing part of Darshan, the wheel prints one line, in the words
    of doc/python.md, and leaves no file. status: the exit status; missing: the part that the line
    names."""
    done = place.says("darshan", *command, cwd=tmp_path)
    (promised,) = re.findall(
        r"They print one line: `(.*?)`", (SOURCE / "doc" / "python.md").read_text()
    )
    assert done.stderr == promised.replace("libdarshan.so", missing) + "\n"
    assert (done.returncode, done.stdout) == (status, "")
    assert os.listdir(tmp_path) == []


def test_without_a_compiler(place: Place, tmp_path: Path) -> None:
    """If the compiler or a header is missing, the last line of the failed build names it."""
    (source,) = (path for path in place.log.parent.glob("darshan_report-*") if path.is_dir())
    code = MAKE.format("wheel", [str(tmp_path)])
    for settings, missing in (
        ({"CC": "/no/compiler"}, "/no/compiler"),
        ({"CC": "cc -nostdinc"}, "zlib.h"),
    ):
        done = run(sys.executable, "-c", code, cwd=source, **settings)
        assert done.returncode == 1
        assert [line for line in done.stderr.splitlines() if missing in line] == [
            done.stderr.splitlines()[-1]
        ]


def test_without_libdeflate(place: Place, tmp_path: Path) -> None:
    """Without libdeflate.h, the wheel is built and the build reports that it is missing; logs are
    read with the same results."""
    (source,) = (path for path in place.log.parent.glob("darshan_report-*") if path.is_dir())
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "libdeflate.h").write_text("#error there is none\n")
    code = MAKE.format("wheel", [str(tmp_path)])
    settings = {"CC": f"cc -I{headers}", "CFLAGS": "-O0"}
    done = run(sys.executable, "-c", code, cwd=source, **settings)
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "without libdeflate" in line)
    assert "darshan-convert" in said
    (wheel,) = tmp_path.glob("*.whl")
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    (scripts,) = folder.glob("*.data/scripts")
    assert "darshan-parser" in os.listdir(scripts)
    assert "darshan-convert" not in os.listdir(scripts)
    parser = scripts / "darshan-parser"
    parser.chmod(0o755)
    library = folder / "darshan_report" / "libdarshan-read.so.0"
    assert b"libdeflate" not in library.read_bytes() + parser.read_bytes()
    (tmp_path / "bad.darshan").write_bytes(place.log.read_bytes()[:900])
    for log in (place.log, "bad.darshan"):
        here = run(parser, log, cwd=tmp_path)
        other = place.says("darshan-parser", log, cwd=tmp_path)
        assert (here.returncode, here.stdout, here.stderr) == (
            other.returncode, other.stdout, other.stderr
        )  # fmt: skip
