"""The report as a command: its output files, invalid logs, names with special characters, systems
without LaTeX or numpy, and usage errors."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from logs.bad import half_readable, unreadable
from logs.content import file_name, standard_log
from logs.encode import encode
from logs.record_id import record_id

from .conftest import INCOMPLETE, Run
from .pages import reports_of, text_of

# Names of files that contain TeX, markup, control characters and invalid UTF-8.
HOSTILE = [
    rb"\input{/etc/passwd}$x^2$ %&#_{}~",
    rb"/a/\end{document}\write18{id}",
    "/tmp/données/文件-\u202egnp.exe\U0001f600".encode(),
    b"/tmp/\xff\xfe\x1b[31mred\n\tx",
    b"--''``\"\"<<>>?`!`[a]*{b}",
    b"@BODY@@INFO@",
    b"/long/" + b"$" * 3000,
]
# The same names as the PDF shows them.
SHOWN = [
    r"\input{/etc/passwd}$x^2$ %&#_{}~",
    r"/a/\end{document}\write18{id}",
    r"/tmp/données/<U+6587><U+4EF6>-\u202egnp.exe<U+1F600>",
    r"/tmp/\xff\xfe\x1b[31mred\x0a\x09x",
    "--''``\"\"<<>>?`!`[a]*{b}",
    "@BODY@@INFO@",
    "$$$…$$$",
]


@pytest.fixture
def summary(command: Run) -> Run:
    """Replaces the fixture of conftest.py: runs the command itself in a new Python."""
    return command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Writes a log with several modules; returns its path."""
    path = tmp_path / "job.darshan"
    path.write_bytes(encode(standard_log({"POSIX": 4, "STDIO": 2, "HEATMAP": 1})))
    return path


def without_latex(folder: Path) -> dict[str, str]:
    """Returns an environment whose PATH has the programs that the command needs, but not LaTeX."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for tool in ("dirname", "readlink"):
        found = next(
            Path(p) / tool for p in os.environ["PATH"].split(":") if (Path(p) / tool).exists()
        )
        (bin_folder / tool).symlink_to(found)
    return {"PATH": str(bin_folder)}


def embedded(pdf: Path) -> None:
    """Checks that every font is embedded in the PDF."""
    done = subprocess.run(["pdffonts", pdf], capture_output=True, text=True, check=True)
    fonts = done.stdout.split("\n")[2:-1]
    assert fonts
    # Columns from the right: object id (two words), unicode, subset, embedded.
    assert all(line.split()[-5] == "yes" for line in fonts), done.stdout


def test_default_name_and_mode(summary: Run, log: Path, tmp_path: Path) -> None:
    """The PDF is named after the log, is in the current folder, and has the mode that the umask
    allows."""
    old = os.umask(0o027)
    try:
        done = summary(log)
    finally:
        os.umask(old)
    assert (done.returncode, done.stdout, done.stderr) == (0, "job.pdf\n", "")
    assert stat.S_IMODE((tmp_path / "job.pdf").stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["job.darshan", "job.pdf"]
    embedded(tmp_path / "job.pdf")


def test_metadata(summary: Run, log: Path, tmp_path: Path) -> None:
    """The PDF has a title and A4 pages, and page 1 has the first four headings."""
    assert summary(log, "-o", "a b.pdf").returncode == 0
    done = subprocess.run(["pdfinfo", tmp_path / "a b.pdf"], capture_output=True, check=True)
    info = done.stdout.decode()
    assert "I/O report: app, 2023-11-14" in info
    assert "(A4)" in info
    first = text_of(tmp_path / "a b.pdf").split("\f")[0]
    for heading in ("What to change first", "The run", "Job", "Layers"):
        assert f"{heading}" in first


@pytest.mark.parametrize("latex", [True, False], ids=["latex", "no-latex"])
def test_hostile_names(latex: bool, summary: Run, tmp_path: Path) -> None:
    """Names are printed as they are, with escapes for what cannot be printed; no name is executed
    as a command or as TeX, or changes the layout of the page."""
    names = [(record_id(file_name(i)), name) for i, name in enumerate(HOSTILE)]
    made = standard_log({"POSIX": 4, "STDIO": 2}, names=names)
    made.exe = b"./\\app $HOME `id` %s \xff \x1b[0m"
    made.metadata = b"lib_ver=\\evil$\n"
    path = tmp_path / "it's \\$% #1.darshan"
    path.write_bytes(encode(made))
    done = summary(path, "-o", "out.pdf", *([] if latex else ["--no-latex"]))
    assert (done.returncode, done.stderr) == (0, "")
    # LaTeX's ellipsis is read as three dots.
    text = text_of(tmp_path / "out.pdf").replace("...", "…")
    assert "root:" not in text
    squeezed = text.replace(" ", "")
    for name in SHOWN:
        assert name.replace(" ", "") in squeezed, name
    assert r"\xff" in text and r"\x1b[0m" in text
    assert r"it's\$%#1.darshan" in squeezed


def test_without_latex(summary: Run, log: Path, tmp_path: Path) -> None:
    """Without LaTeX the report has the same tables, and stderr has a message of one line about
    it."""
    environment = without_latex(tmp_path)
    done = summary(log, "-o", "plain.pdf", environment=environment)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1 and "without LaTeX" in done.stderr
    plain = text_of(tmp_path / "plain.pdf")
    embedded(tmp_path / "plain.pdf")
    assert summary(log, "-o", "latex.pdf").stderr == ""
    latex = text_of(tmp_path / "latex.pdf")

    def table(text: str) -> list[str]:
        lines = text[text.index("POSIX: files by time") :].split("\n")
        return ["".join(line.split()) for line in lines if ".dat " in line]

    assert table(plain) == table(latex) != []


def test_broken_latex(summary: Run, log: Path, tmp_path: Path) -> None:
    """If LaTeX fails, stderr has a message of one line, and the report is made without it."""
    environment = without_latex(tmp_path)
    broken = tmp_path / "bin" / "pdflatex"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    done = summary(log, "-o", "out.pdf", environment=environment)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1 and "pdflatex failed" in done.stderr
    assert "Layers" in text_of(tmp_path / "out.pdf")


def test_bad_logs(summary: Run, tmp_path: Path) -> None:
    """Each invalid log causes a message of one line and the exit status 1; a valid log in the same
    command has its report."""
    paths = []
    for number, bad in enumerate(unreadable()):
        if number % 5 == 0:  # the reader's own tests use all of them
            path = tmp_path / bad.name
            path.write_bytes(bad.data)
            paths.append(path)
    good = tmp_path / "good.darshan"
    good.write_bytes(encode(standard_log({"STDIO": 2})))
    missing = tmp_path / "miss\x1b[31ming"
    done = summary(*paths, missing, good)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == len(paths) + 1 > 5
    assert all(line.startswith("darshan-job-summary: ") for line in lines)
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr
    assert all(path.name in done.stderr for path in paths)
    assert [p.name for p in tmp_path.glob("*.pdf")] == ["good.pdf"]


def test_damaged_module(summary: Run, tmp_path: Path) -> None:
    """The report of a log with one damaged module has the other modules and a warning."""
    bad = next(b for b, _ in half_readable() if b.name == "bad-stream")
    path = tmp_path / "bad.darshan"
    path.write_bytes(bad.data)
    assert summary(path).returncode == INCOMPLETE
    text = " ".join(text_of(tmp_path / "bad.pdf").split())
    assert "The records of module STDIO are damaged and were skipped" in text
    assert "HDF5 files" in text


def test_output_is_all_or_nothing(summary: Run, log: Path, tmp_path: Path) -> None:
    """If the target cannot be replaced, it stays unchanged, and no other file remains."""
    target = tmp_path / "taken.pdf"
    target.mkdir()
    done = summary(log, "-o", target)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "cannot write" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["job.darshan", "taken.pdf"]
    done = summary(log, "-o", tmp_path / "no" / "where.pdf")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_temporary_folder_is_removed(summary: Run, log: Path, tmp_path: Path) -> None:
    """No file remains in TMPDIR, even with a space in its name; --keep preserves a copy."""
    scratch = tmp_path / "scratch folder"
    scratch.mkdir()
    environment = {"TMPDIR": str(scratch)}
    done = summary(log, "-o", "out.pdf", "--keep", "kept", environment=environment)
    assert done.returncode == 0
    assert list(scratch.iterdir()) == []
    kept = {p.name for p in (tmp_path / "kept").iterdir()}
    assert {"report.tex", "figures.pdf", "report.log"} <= kept


def test_modules_of_the_current_folder_are_not_imported(
    summary: Run, log: Path, tmp_path: Path
) -> None:
    """The report does not run a numpy.py of the current folder."""
    (tmp_path / "numpy.py").write_text("open('was-run', 'w')\nraise SystemExit(9)\n")
    assert summary(log).returncode == 0
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(
    "python, how",
    [
        ("/usr/bin/python3", "/usr/bin/python3 needs it; Debian: apt install python3-numpy"),
        (sys.executable, f"install it with {sys.executable} -m pip install numpy"),
    ],
)
def test_a_python_without_numpy(
    python: str, how: str, summary: Run, log: Path, tmp_path: Path
) -> None:
    """A message of one line says how this Python gets numpy: Debian's Python accepts nothing from
    pip."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "numpy.py").write_text(
        "raise ModuleNotFoundError('there is no numpy', name='numpy')\n"
    )
    environment = {"DARSHAN_PYTHON": python, "PYTHONPATH": str(tmp_path / "hidden")}
    done = summary(log, environment=environment)
    said = f"darshan-job-summary: there is no numpy ({how})\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_usage(summary: Run) -> None:
    """A missing log is a usage error; --help names the options."""
    assert summary().returncode == 2
    done = summary("--help")
    assert done.returncode == 0
    for option in ("--output", "--keep", "--no-latex"):
        assert option in done.stdout


def test_two_logs_of_one_name(summary: Run, log: Path, tmp_path: Path) -> None:
    """The second report does not replace the first, although the logs have the same name; -o writes
    both into one file."""
    other = tmp_path / "other" / log.name
    other.parent.mkdir()
    other.write_bytes(encode(standard_log({"H5F": 3})))
    done = summary(log, other)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "use -o" in done.stderr
    assert "HDF5 files" not in text_of(tmp_path / "job.pdf")
    assert summary(log, other, "-o", "both.pdf").returncode == 0
    first, second = reports_of(text_of(tmp_path / "both.pdf"))
    assert "POSIX" in first and "HDF5 files" in second


def test_limits_of_the_counts_are_named(summary: Run, tmp_path: Path) -> None:
    """The report says how many stdio calls the compiler inlined, and how many io_uring requests the
    runtime could not see: neither is counted."""
    made = standard_log({"STDIO": 2})
    made.annex = standard_log({"POSIX_EXT": 4}, files=3).modules
    unseen = sum(r.counters["POSIX_EXT_URING_UNSEEN"] for r in made.annex[0].records)
    inlined = sum(r.counters["POSIX_EXT_INLINED"] for r in made.annex[0].records)
    path = tmp_path / "log"
    path.write_bytes(encode(made))
    assert summary(path, "-o", "out.pdf").returncode == 0
    text = " ".join(text_of(tmp_path / "out.pdf").split())
    assert f"{unseen:,} requests of io_uring were not recorded" in text
    assert f"(seen {inlined:,} times)" in text
