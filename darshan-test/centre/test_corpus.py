"""The logs of a corpus depend only on the seed, and are those that the log generator makes. An
error leaves no corpus that looks complete."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from lab.command import finished
from logs.encode import module_content
from logs.model import Module
from logs.record_id import record_id
from tree import SOURCE

from . import names, plan
from .made import MAKE, make
from .programs import PROGRAMS, WRITERS, Program, Writer
from .record import Amount, record
from .regions import templates


def content(folder: Path) -> dict[str, bytes]:
    """Returns the content of each file in a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_ids() -> None:
    """names.record_ids returns the same ids as the log generator's record_id, for names of every
    length up to 99 bytes."""
    rng = random.Random(5)
    for length in range(100):
        some = [rng.randbytes(length) for _ in range(3)]
        rows = np.frombuffer(b"".join(some), np.uint8).reshape(3, length)
        assert names.record_ids(rows).tolist() == [record_id(name) for name in some]


def test_names() -> None:
    """names.of_runs returns file names that contain the run's number, with their record ids."""
    for program in PROGRAMS:
        numbers = np.array([7, 12_345_678])
        known, ids = names.of_runs(program.name, program.files, numbers)
        for number, mine, theirs in zip(numbers, known, ids.tolist()):
            want = [
                files.path.format(program=program.name, run=f"{number:08}", index=f"{i:04}")
                for files in program.files
                for i in range(files.number)
            ]
            assert [name.decode() for name in mine] == want
            assert theirs == [record_id(name) for name in mine]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.format + w.order)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_region_is_what_the_model_says(program: Program, writer: Writer) -> None:
    """For each program and writer, the records computed from templates have the same bytes as
    records that the generator encodes one by one."""
    ranks, pace, rounds = program.ranks[-1], 1.7, 1234
    amount = Amount(rounds, rounds * pace, pace, 1000.5, rounds * pace / ranks)
    for files in filter(None, (program.files, program.since)):
        _, ids = names.of_runs(program.name, files, np.array([42]))
        made = {t.module: t for t in templates(files, writer)}
        for module, version in writer.versions:
            want, place = Module(module, version), 0
            for kind in files:
                for index in range(place, place + kind.number) if module in kind.layers else ():
                    one = record(kind, module, version, amount)
                    one.id = int(ids[0, index])
                    one.rank = -1 if kind.shared and ranks > 1 else index % ranks
                    for name in one.counters:
                        if name.endswith(("FASTEST_RANK_BYTES", "SLOWEST_RANK_BYTES")):
                            whole = kind.moved // kind.number * rounds
                            one.counters[name] = whole // ranks if kind.shared else 0
                    want.records.append(one)
                place += kind.number
            if not want.records:
                assert module not in made
                continue
            got = made[module].records(writer.order, ids[0], ranks, amount)
            assert got == module_content(writer.order, want)


def test_the_same_from_a_seed(tmp_path: Path) -> None:
    """make-corpus makes the same logs from the same seed with any number of workers, and other logs
    from another seed."""
    chunk = plan.CHUNK
    logs = chunk + 20
    for name, *more in (("one", "--workers", "1"), ("two", "--workers", "2")):
        done = make(tmp_path / name, "--logs", str(logs), *more)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{logs:,} logs, ")
    one, two = content(tmp_path / "one"), content(tmp_path / "two")
    assert one == two and len(one) == logs + 1
    assert make(tmp_path / "other", "--logs", "30", "--seed", "2").returncode == 0
    assert not set(content(tmp_path / "other").values()) & set(one.values())


@pytest.mark.parametrize("logs", [1, 25])
def test_few(logs: int, tmp_path: Path) -> None:
    """make-corpus makes exactly the requested number of logs, and stories.json, also for a very
    small number."""
    assert make(tmp_path / "few", "--logs", str(logs), "--weeks", "4").returncode == 0
    assert len(content(tmp_path / "few")) == logs + 1


@pytest.mark.parametrize(
    "options, words",
    [
        (["--logs", "0"], "has to be from 1 to 10,000,000"),
        (["--begin", "1066-10-14"], "has to be from 1971 to 2150"),
    ],
)
def test_odd_options(options: list[str], words: str, tmp_path: Path) -> None:
    """For an option out of range, make-corpus prints the range, exits with 2 and creates no
    folder."""
    done = make(tmp_path / "none", *options)
    assert done.returncode == 2 and words in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """If the folder is not empty or cannot be created, make-corpus prints one line, exits with 1,
    and leaves existing files unchanged."""
    (tmp_path / "file").write_text("x")
    for folder, words in ((tmp_path, "is not empty"), (tmp_path / "file" / "below", "irectory")):
        done = make(folder, "--logs", "10")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert words in done.stderr
    assert content(tmp_path) == {"file": b"x"}


def test_a_full_disk(tmp_path: Path) -> None:
    """If a log cannot be written completely, make-corpus prints one line and does not write
    stories.json, which would describe the corpus as complete."""
    made = f"'{sys.executable}' '{MAKE}' '{tmp_path / 'full'}'"
    command = f"ulimit -f 4; exec {made} --logs 300 --workers 2"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "too large" in done.stderr
    assert not (tmp_path / "full" / "stories.json").exists()
    assert max(os.path.getsize(p) for p in (tmp_path / "full").rglob("*.darshan")) <= 4 << 10


def test_interrupted(tmp_path: Path) -> None:
    """If make-corpus is interrupted, it prints one line, leaves no process, and does not write
    stories.json."""
    folder = tmp_path / "part"
    command = [sys.executable, str(MAKE), str(folder), "--logs", "1000000", "--workers", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as making:
        assert making.stderr is not None
        try:
            while making.poll() is None and not any(folder.glob("*/*/*/*.darshan")):
                time.sleep(0.02)
        finally:
            making.terminate()
        said = making.stderr.read()  # returns after the last worker has closed the pipe
        assert making.wait() == 130
    assert said == f"make-corpus: interrupted; {folder} is not whole\n"
    assert not (folder / "stories.json").exists()


@pytest.mark.parametrize(
    "script", ["centre/make-corpus", "bench/make_logs.py", "bench/lake.py", "bench/questions.py"]
)
def test_a_python_that_lacks_numpy(script: str) -> None:
    """With a Python without numpy, these scripts print one line that names numpy and the Python to
    use. The options -S -I hide all packages except Python's own."""
    done = finished(
        [sys.executable, "-S", "-I", SOURCE / "darshan-test" / script, "--help"], timeout=60
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done
    assert "numpy" in done.stderr and ".venv/bin/python" in done.stderr
