"""Each remedy of `darshan try` helps a program that has the problem, is refused for another
program, and breaks none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lab.compile import compile_c

from .conftest import Try, bytes_of
from .programs import COLUMNS, COPIES, ENDS, HEALTHY, MAKE, OPENED_AGAIN, writes

pytest.importorskip("h5py")


def script(trial: Try, text: str, name: str = "program.py") -> list[str]:
    """Writes a Python program into the user's folder. Returns its command."""
    (trial.user / name).write_text(text)
    return [sys.executable, name]


@pytest.fixture
def field(trial: Try) -> Try:
    """Makes an HDF5 file in the user's folder. Returns the trial."""
    trial.log(*script(trial, MAKE, "make.py"))
    return trial


def test_a_chunk_cache_helps(field: Try) -> None:
    """For a program that decompresses chunks again and again, the finding suggests chunk-cache.
    `darshan try` finds that it helps, and names the line to edit."""
    command = script(field, COLUMNS)
    log = field.log(*command)
    before = bytes_of(field.user)
    status, rows, whole = field.found(log, "--", *command)
    row = rows["chunk-cache"]
    assert (status, row["result"]) == (0, "helped"), whole
    assert row["low"] >= 1.10 and row["gain_seconds"] >= 0.1
    line = 1 + COLUMNS.splitlines().index('with h5py.File("field.h5") as file:')
    (keep,) = row["keep"]
    assert keep.startswith(f"program.py:{line} "), keep
    # With the arguments that `keep` names, the program reads no chunk twice.
    arguments = keep.partition("(path, ")[2].rstrip(")")
    cured = script(field, COLUMNS.replace('"field.h5")', f'"field.h5", {arguments})'), "cured.py")
    status, rows, whole = field.found("--", *cured)
    assert (status, rows["chunk-cache"]["result"]) == (1, "not tried"), whole
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["bytes read"]["after"] < changes["bytes read"]["before"] / 2
    assert {"program.py", "make.py", "field.h5"} <= before.keys()
    assert all(bytes_of(field.user)[name] == old for name, old in before.items())


def test_no_cache_for_a_dataset_that_is_opened_again(field: Try) -> None:
    """For a dataset that is opened for each read, the remedy chunk-cache is not tried, and the
    reason is given."""
    command = script(field, OPENED_AGAIN)
    status, rows, _ = field.found("--", *command)
    assert status == 1
    assert rows["chunk-cache"]["result"] == "not tried"
    assert "closed each time" in rows["chunk-cache"]["reason"]


def test_no_cache_beyond_the_memory(field: Try) -> None:
    """For the same log, chunk-cache is suggested on a machine with enough free memory, and refused
    on one where the cache would take more than half of it."""
    from darshan_report.diagnose.facts import Facts  # noqa: PLC0415
    from darshan_report.log import open_log  # noqa: PLC0415
    from darshan_report.trial.planning.case import Case  # noqa: PLC0415
    from darshan_report.trial.remedies import chunk_cache  # noqa: PLC0415

    with open_log(field.log(*script(field, COLUMNS))) as log:
        facts = Facts(log)
        assert not isinstance(chunk_cache.plan(Case(facts, None, 1 << 30)), str)
        told = chunk_cache.plan(Case(facts, None, 100 << 20))
    assert isinstance(told, str) and "more than half of the free memory" in told


def test_a_cache_does_not_break_a_copy(field: Try) -> None:
    """With chunk-cache, chunks are written in another order, so the bytes of an HDF5 file may
    differ. Its values are the same, so the result is not "changed the output"."""
    command = script(field, COPIES)
    done = field.run("--only", "chunk-cache", "--copy", ".", "--", *command)
    assert done.returncode in (0, 1), done
    assert "changed the output" not in done.stdout
    assert not (field.user / "copy.h5").exists()


def test_temporary_files_in_memory(trial: Try) -> None:
    """With the remedy tmpdir, TMPDIR is a folder in memory for the program, as its output shows."""
    command = script(
        trial,
        "import os, tempfile, time\n"
        "for _ in range(60):\n"
        "    with tempfile.NamedTemporaryFile() as file:\n"
        "        file.write(b'x' * 5000), file.flush(), os.fsync(file.fileno())\n"
        "where = os.path.realpath(tempfile.gettempdir())\n"
        "time.sleep(0 if where.startswith('/dev/shm') else 0.3)\n",
    )
    status, rows, whole = trial.found("--only", "tmpdir", "--", *command)
    assert (status, rows["tmpdir"]["result"]) == (0, "helped"), whole
    assert rows["tmpdir"]["keep"] == ["export TMPDIR=/dev/shm"]
    assert rows["tmpdir"]["changes"] == [], "the recorder does not see files of /dev/shm"


def test_a_program_that_fails_as_in_its_log(trial: Try) -> None:
    """`darshan try` tries remedies on a program with a failing exit status only if it has a log of
    a run that ended with the same status."""
    program = compile_c(
        trial.user, writes(ENDS["closes"]).replace("return fclose", "return 3 + fclose")
    )
    options = ("--only", "stdio-buffer", "--copy", ".")
    refused = trial.run(*options, "--", program)
    assert refused.returncode == 1 and "failed with exit status 3" in refused.stderr, refused
    log = trial.log(program, clean=True)
    status, rows, whole = trial.found(*options, log, "--", program)
    assert (status, rows["stdio-buffer"]["result"]) == (0, "helped"), whole


def test_a_healthy_program(trial: Try) -> None:
    """`darshan try` says of no remedy that it helps a program without a problem."""
    (trial.user / "input").write_text("7")
    program = compile_c(trial.user, HEALTHY)
    status, rows, _ = trial.found("--all", "--", program)
    assert status == 1
    assert {row["result"] for row in rows.values()} <= {"not tried", "no gain shown"}


def test_the_library_needs_the_variable(trial: Try) -> None:
    """`darshan run` loads libdarshan.so, which has no remedies. If DARSHAN_TRY names remedies, it
    loads another library, which applies them."""
    (trial.user / "read.sh").write_text("grep -o 'libdarshan[a-z-]*.so' /proc/self/maps | uniq\n")
    run = [trial.build / "darshan", "run", "-o", trial.user.parent / "logs", "--", "sh", "read.sh"]
    loaded = {}
    for name in ("", "chunk-cache=1"):
        trial.variables = {"DARSHAN_TRY": name} if name else {}
        loaded[name] = trial.run_words(list(map(str, run))).stdout.split()
    assert loaded == {"": ["libdarshan.so"], "chunk-cache=1": ["libdarshan-try.so"]}
    program = compile_c(trial.user, writes(ENDS["closes"]))
    calls = {}
    for setting in ("", "chunk-cache=1", "stdio-buffer=1048576"):
        trial.variables = {"DARSHAN_TRY": setting}
        log = trial.log(program)
        calls[setting] = _drains(log)
    assert calls[""] == calls["chunk-cache=1"] >= 600_000
    assert calls["stdio-buffer=1048576"] <= 2


def _drains(path: Path) -> int:
    """Returns the number of writes of stream buffers in a log."""
    from darshan_report.log import open_log  # noqa: PLC0415

    with open_log(path) as log:
        return int(log.records("STDIO_EXT")["STDIO_EXT_DRAINS"].sum())
