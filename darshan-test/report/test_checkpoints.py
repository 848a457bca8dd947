"""The report finds the checkpoints of a program, how often and how long they were saved, and shows
them in a section."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from darshan_report import open_log
from darshan_report.checkpoints.interval import young
from darshan_report.checkpoints.savers import SAVERS
from darshan_report.checkpoints.saves import Checkpoint, checkpoints
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.run import diagnose
from darshan_report.measure.processes.processes import processes
from darshan_report.report.sections.checkpoints import fate
from lab.compile import compile_c
from lab.environment import plain

from .conftest import Run
from .diagnose.build import MIB, Job, Row, number_of, row, write
from .diagnose.cases_checkpoints import cases, saved
from .diagnose.test_trees import process
from .pages import text_of

PACKAGES = "/home/me/env/lib/python3.11/site-packages"
# For each library that the report knows, a Python frame that saves.
FRAMES = {
    "Lightning's checkpoint": "lightning/pytorch/trainer/connectors/checkpoint_connector.py:3:"
    "_CheckpointConnector.save_checkpoint",
    "transformers' checkpoint": "transformers/trainer.py:2806:Trainer._save_checkpoint",
    "DeepSpeed's checkpoint": "deepspeed/runtime/engine.py:3:DeepSpeedEngine.save_checkpoint",
    "torch.distributed.checkpoint": "torch/distributed/checkpoint/filesystem.py:3:_write_item",
    "torch.save": "torch/serialization.py:423:save",
    "torch.jit.save": "torch/jit/_serialization.py:80:save",
    "safetensors": "safetensors/torch.py:286:save_file",
    "orbax": "orbax/checkpoint/_src/handlers/standard.py:3:StandardHandler.save",
    "flax.training.checkpoints": "flax/training/checkpoints.py:3:save_checkpoint",
    "TensorFlow's checkpoint": "tensorflow/python/checkpoint/checkpoint.py:3:Checkpoint.save",
    "Keras' saving": "keras/src/saving/saving_api.py:3:save_model",
    "joblib.dump": "joblib/numpy_pickle.py:553:dump",
    "numpy.savez": "numpy/lib/_npyio_impl.py:3:savez_compressed",
    "numpy.save": "numpy/lib/npyio.py:522:save",
    "pickle.dump": "pickle.py:3:_dump",
}


def found(job: Job, folder: Path) -> list[Checkpoint]:
    """Returns the checkpoints that the report finds in a log of a job with these records."""
    with open_log(write(job, folder / "a.darshan")) as log:
        return list(checkpoints(Facts(log, None, processes(log))))


def site(frames: str, *names: str, **values: float) -> Row:
    """Returns a call site that used the files `names`, each with one call. frames: its stack;
    values: its counters."""
    files = {f"FILE{n}_BY_CALLS": number_of(name) for n, name in enumerate(names, 1)}
    calls = {f"FILE{n}_CALLS": 1 for n in range(1, len(names) + 1)}
    return row("SITES", frames, **{"FILE_BITS": 1, **files, **calls, **values})


@pytest.mark.parametrize("title", [saver.title for saver in SAVERS if saver.code is not None])
def test_each_function(title: str, tmp_path: Path) -> None:
    """A save is attributed to the outermost library function of the stack that the report knows,
    whatever the file's name is. title: the expected name of this function."""
    files = [saved(f"/out/{step}.bin", 1.0 + 20 * step) for step in range(3)]
    names = [one.name for one in files]
    stack = f"{PACKAGES}/zipfile.py:9:w;{PACKAGES}/{FRAMES[title]};/home/me/train.py:31:main"
    one = site(f"write;{stack}", *names, WRITES=3, BYTES_WRITTEN=300 * MIB, F_WRITE_TIME=12.0)
    (state,) = found(Job((*files, one), seconds=100), tmp_path)
    assert (state.title, state.from_calls, state.beside) == (title, True, False)
    assert (state.name, state.files, state.saves, state.rounds) == ("/out/*.bin", 3, 3, 3)
    assert (state.written, state.wall, state.each, state.interval) == (300 * MIB, 12.0, 4.0, 20.0)
    assert (state.kept, state.replaced, state.removed, state.processes) == (3, 0, 0, 1)
    # The same files without the function are not known to be checkpoints.
    assert not found(Job((*files, replace(one, name="write;/home/me/train.py:31:main"))), tmp_path)


def test_a_file_that_is_opened_twice(tmp_path: Path) -> None:
    """A save that makes a temporary file, opens it again and renames it, as Lightning's, is one
    save, and replaces nothing."""
    files = [saved(f"/out/{step}.bin", 1.0 + 20 * step) for step in range(3)]
    names = [one.name for one in files]
    saver = FRAMES["Lightning's checkpoint"]
    stack = f"{PACKAGES}/{saver};/home/me/train.py:31:main"
    sites = [
        site(f"open64;{frame}{stack}", *names, OPENS=3, F_OPEN_TIME=0.1)
        for frame in ("/usr/lib/python3.11/tempfile.py:256:_mkstemp_inner;", "")
    ]
    sites.append(site(f"write;{stack}", *names, WRITES=3, BYTES_WRITTEN=300 * MIB))
    (state,) = found(Job((*files, *sites), seconds=100), tmp_path)
    assert (state.saves, state.kept, state.replaced) == (3, 3, 0)


def test_cache_of_data(tmp_path: Path) -> None:
    """Files that a data set writes for its batches are no checkpoints. Neither are many files that
    numpy.save writes once, and that the program reads back."""
    fetch = "/a/torch/utils/data/_utils/fetch.py:49:_MapDatasetFetcher.fetch"
    for number, below, read, states in (
        (3, "", 0, 1), (3, f";{fetch}", 0, 0), (25, "", 0, 1), (25, "", 100 * MIB, 0),
        (3, "", 100 * MIB, 1),
    ):  # fmt: skip
        files = [saved(f"/c/{n}.npy", 1.0 + 20 * n, BYTES_READ=read) for n in range(number)]
        stack = f"{PACKAGES}/{FRAMES['numpy.save']};/home/me/train.py:28:get{below}"
        one = site(
            f"write;{stack}", *(file.name for file in files[:3]), WRITES=number,
            BYTES_WRITTEN=number * 100 * MIB,
        )  # fmt: skip
        assert len(found(Job((*files, one), seconds=999), tmp_path)) == states


def test_in_a_thread(tmp_path: Path) -> None:
    """If a save's stack begins at the start of a thread, the save runs in parallel with the
    program, which does not wait for it."""
    files = [saved(f"/ck{step}.pt", 1.0 + 10 * step) for step in range(5)]
    stack = f"{PACKAGES}/torch/serialization.py:423:save;/home/me/train.py:3:keep"
    thread = "/usr/lib/python3.11/threading.py:1002:Thread._bootstrap"
    one = site(f"write;{stack};{thread}", "/ck0.pt", WRITES=5, BYTES_WRITTEN=500 * MIB)
    job = Job((*files, one), seconds=60)
    (state,) = found(job, tmp_path)
    assert state.beside is True
    for rows, told in ((job.rows, False), (job.rows[:-1], True)):
        log = write(replace(job, rows=rows), tmp_path / "b.darshan")
        with open_log(log) as opened:
            assert ("checkpoints-often" in {f.name for f in diagnose(opened)}) == told


def test_by_name(tmp_path: Path) -> None:
    """Without call sites, checkpoints are recognized by their names: some names are always
    checkpoints, others only if such files are saved repeatedly with pauses in between."""

    def of(*names: str, pause: float = 10.0) -> list[str]:
        rows = [saved(name, 1.0 + pause * n) for n, name in enumerate(names)]
        return [state.name for state in found(Job(tuple(rows), seconds=99), tmp_path)]

    assert of("/m/best.pt") == ["/m/best.pt"]
    assert of("/m/x.safetensors") == ["/m/x.safetensors"]
    assert of("/run/restart.0010", "/run/restart.0020") == ["/run/restart.*"]
    assert of("/m/checkpoint-7.npz") == ["/m/checkpoint-7.npz"]
    assert of("/m/x.npz") == of("/m/x.h5") == of("/m/x.csv") == []
    assert of("/m/x1.npz", "/m/x2.npz", "/m/x3.npz") == ["/m/x*.npz"]
    assert of("/m/x1.h5", "/m/x2.h5", "/m/x3.h5") == ["/m/x*.h5"]
    assert of("/m/x1.h5", "/m/x2.h5", "/m/x3.h5", pause=4.0) == []
    of_orbax = [f"/m/{n}/default/ocdbt.process_0/d/{n:032x}" for n in (1, 2)]
    assert of(*of_orbax) == ["/m/*/default/ocdbt.process_0/d/*"]
    assert of("/checkpoints/log.txt") == []
    assert not found(Job((saved("/a.pt", 1.0, BYTES_WRITTEN=60_000),)), tmp_path)


def test_temporary_names(tmp_path: Path) -> None:
    """Files with random names, which safetensors renames by calls that the runtime does not see,
    share a row, which does not say that they were kept."""
    names = ["/out/checkpoint-10/.tmpGhvB83", "/out/checkpoint-20/.tmpb8pN6c", "/out/3/.tmp"]
    files = [saved(name, 1.0 + 20 * step) for step, name in enumerate(names)]
    stack = f"{PACKAGES}/{FRAMES['safetensors']};/home/me/train.py:31:main"
    one = site(f"write;{stack}", *names, WRITES=3, BYTES_WRITTEN=300 * MIB)
    states = found(Job((*files, one), seconds=100), tmp_path)
    told = {state.name: fate(state) for state in states}
    assert set(told) == {"/out/checkpoint-*/.tmp*", "/out/3/.tmp"}
    assert "not recorded" in told["/out/checkpoint-*/.tmp*"]
    assert told["/out/3/.tmp"] == "1 kept"


def test_replaced_and_removed(tmp_path: Path) -> None:
    """A file that is written six times under one name counts as replaced five times. A file that
    was renamed has its last name."""
    again = saved(
        "/last.pt", 1.0, seconds=50.0, OPENS=6, WRITES=6, BYTES_WRITTEN=600 * MIB, F_WRITE_TIME=12.0
    )
    (state,) = found(Job((again,), seconds=60), tmp_path)
    assert (state.files, state.saves, state.replaced, state.kept) == (1, 6, 5, 1)
    assert (state.wall, state.each, state.interval) == (12.0, 2.0, (50.0 - 2.0) / 5)
    new = saved("/n.pt.tmp", 1.0, RENAME_SOURCES=1)
    last = row("POSIX", "/n.pt", RENAME_TARGETS=1, RENAMED_FROM=number_of("/n.pt.tmp"))
    gone = row("POSIX_EXT", "/n.pt", UNLINKS=1)
    (state,) = found(Job((new, last, gone), seconds=60), tmp_path)
    assert (state.name, state.saves, state.removed, state.kept) == ("/n.pt", 1, 1, 0)


def test_processes(tmp_path: Path) -> None:
    """Processes that save files of the same size at the same time may save the same data (their row
    has `even`); processes that run one after another, or save different sizes, do not."""
    job = next(having for name, having, _ in cases() if name == "saved-by-each")
    (state,) = found(job, tmp_path)
    assert (state.processes, state.even, state.saves, state.rounds) == (4, True, 4, 1)
    in_turn = tuple(saved(f"/r{rank}.pt", 1.0 + 5 * rank, rank) for rank in range(4))
    for other in (replace(job, rows=in_turn), job.but(BYTES_WRITTEN=50 * MIB)):
        assert not any(state.even for state in found(other, tmp_path))
    same = tuple(saved("/m.pt", 1.0, rank) for rank in range(4))
    (state,) = found(replace(job, rows=same), tmp_path)
    assert (state.processes, state.even, state.files, state.kept) == (4, True, 1, 1)
    twice = {"OPENS": 8, "BYTES_WRITTEN": 800 * MIB, "F_WRITE_TIME": 40.0}
    combined = replace(saved("/m.pt", 1.0, seconds=20.0, **twice), rank=-1)
    (state,) = found(Job((combined,), nprocs=4, seconds=60), tmp_path)
    assert (state.processes, state.even, state.saves, state.rounds) == (4, True, 8, 2)
    assert (state.replaced, state.wall, state.each) == (1, 10.0, 5.0)


def test_saved_by_one_and_read_by_others(tmp_path: Path) -> None:
    """A combined record of several programs includes those that only loaded the file. These saved
    nothing, and the time until they closed it is not the time of a save."""
    one = replace(saved("/m.pt", 1.0, OPENS=3, F_CLOSE_END_TIMESTAMP=9.0), rank=-1)
    programs = tuple(process(rank, "python3 x.py") for rank in range(3))
    (state,) = found(Job((one, *programs), nprocs=3), tmp_path)
    assert (state.saves, state.rounds, state.processes, state.even) == (1, 1, 1, False)
    assert (state.wall, state.last, state.written) == (4.0, 5.0, 100 * MIB)


def test_hostile_values(tmp_path: Path) -> None:
    """Impossible counters and times in a log cause no rows, or rows with possible numbers."""
    bad = float("nan")
    for values in (
        {"F_OPEN_START_TIMESTAMP": bad, "F_WRITE_START_TIMESTAMP": bad, "F_WRITE_TIME": bad},
        {"BYTES_WRITTEN": -1, "MAX_BYTE_WRITTEN": -1},
        {"OPENS": -1, "F_CLOSE_END_TIMESTAMP": float("inf")},
        {"BYTES_WRITTEN": 1 << 62, "OPENS": 1 << 62, "MAX_BYTE_WRITTEN": 0},
    ):
        for state in found(Job((saved("/a.pt", 1.0, **values),)), tmp_path):
            assert state.saves >= state.rounds >= 1 and 0 <= state.wall < 1e9


def test_young() -> None:
    """young() returns the interval between saves at which the time for saving and for repeated
    computing together is shortest."""
    cost, failures = 7.0, 86_400.0

    def lost(interval: float) -> float:
        return cost / interval + interval / (2 * failures)

    best = young(cost, failures)
    assert all(lost(best) < lost(best * factor) for factor in (0.9, 0.99, 1.01, 1.1))
    assert young(0.0, failures) == 0.0


PROGRAM = """
import os, pickle, sys, threading, time
import h5py, numpy as np

def beside(state):
    np.savez("beside.npz", state=state)

state = np.ones(1 << 19)
for step in range(4):
    time.sleep(0.3)
    np.save(f"state{step % 2}.npy", state)  # saved
    with open("model.ckpt.new", "wb") as file:
        pickle.dump(state, file)  # pickled
    os.replace("model.ckpt.new", "model.ckpt")
    with open("weights.ckpt", "wb") as file:
        pickle.dump(state, file)  # kept
    os.rename("weights.ckpt", f"weights.ckpt.step{step}")
    with h5py.File(f"field{step}.h5", "w") as file:
        file["x"] = state  # field
    if step:
        os.remove(f"field{step - 1}.h5")
    thread = threading.Thread(target=beside, args=(state,))
    thread.start()
    thread.join()
"""


@pytest.fixture(scope="module")
def recorded(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the log of a program that saves its state in five ways, four times each."""
    folder = tmp_path_factory.mktemp("saves")
    (folder / "train.py").write_text(PROGRAM)
    log = folder / "a.darshan"
    command = [build / "darshan", "run", "--sites", "-o", folder, sys.executable, "train.py"]
    settings = {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)}
    subprocess.run(
        command, cwd=folder, env=plain() | settings, check=True, stderr=subprocess.DEVNULL
    )
    return log


def line_of(mark: str) -> int:
    """Returns the number of the line of PROGRAM with the comment `mark`."""
    return next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if f"# {mark}" in line)


def test_program(recorded: Path, summary: Run) -> None:
    """The JSON about a real program has its saves, with replaced and removed files, threads and
    lines."""
    state = json.loads(summary("--json", "-o", "-", recorded).stdout)["checkpoints"]
    rows: dict[str, Any] = {one["name"].rsplit("/", 1)[-1]: one for one in state["files"]}
    told = {
        "state*.npy": ("numpy.save", 2, 4, 2, 0, False, line_of("saved")),
        "model.ckpt": (None, 1, 4, 3, 0, False, line_of("pickled")),
        "weights.ckpt": (None, 4, 4, 0, 0, False, line_of("kept")),
        "field*.h5": (None, 4, 4, 0, 3, False, line_of("field")),
        "beside.npz": ("numpy.savez", 1, 4, 3, 0, True, 6),
    }
    assert set(rows) == set(told)
    for name, (saver, files, saves, replaced, removed, beside, line) in told.items():
        one = rows[name]
        assert saver is None or (one["saved_by"], one["from_calls"]) == (saver, True)
        assert (one["files"], one["saves"], one["rounds"]) == (files, saves, saves), name
        assert (one["replaced"], one["removed"]) == (replaced, removed), name
        assert (one["beside"], one["place"]["line"]) == (beside, line), name
        assert 4 << 20 <= one["bytes_written"] / 4 < (4 << 20) + 10_000
        assert 0.3 < one["interval_seconds"] < one["last_seconds"]
        assert one["call_seconds"] > 0 and 0 < one["seconds"] < one["last_seconds"]
    assert state["rounds"] == 4
    assert state["young_seconds"] == pytest.approx(
        young(state["waited_seconds"] / 4, state["failures_seconds"])
    )


HELD_OPEN = """
#include <fcntl.h>
#include <unistd.h>
static char field[1 << 20];
int main(void) {
  int file = open("heat.ckpt", O_WRONLY | O_CREAT, 0600);
  for (int step = 0; step < 8; step++) {
    usleep(100000);
    if (pwrite(file, field, sizeof field, step * (long)sizeof field) < 0) return 1;
  }
  return close(file);
}
"""


# Saves as TensorFlow does: through a stream of the C library, under a temporary name.
STREAM = """
#include <stdio.h>
#include <unistd.h>
static char state[1 << 20];
int main(void) {
  char from[64], to[64];
  for (int step = 0; step < 4; step++) {
    usleep(100000);
    snprintf(from, sizeof from, "part.tempstate%d71", step);
    snprintf(to, sizeof to, "ckpt-%d.data", step);
    FILE *file = fopen(from, "wb");
    if (!file || fwrite(state, sizeof state, 1, file) != 1 || fclose(file)) return 1;
    if (rename(from, to)) return 1;
    snprintf(to, sizeof to, "ckpt-%d.data", step - 2);
    if (step >= 2 && unlink(to)) return 1;
  }
  return 0;
}
"""


def states_of(build: Path, folder: Path, source: str) -> list[Checkpoint]:
    """Records a program in C; returns the checkpoints in its log."""
    program, log = compile_c(folder, source, "-w"), folder / "a.darshan"
    subprocess.run(
        [build / "darshan", "run", "--sites", "-o", folder, program],
        cwd=folder,
        env=plain() | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with open_log(log) as opened:
        return list(checkpoints(Facts(opened, None, processes(opened))))


def test_renamed_streams(build: Path, tmp_path: Path) -> None:
    """A file that a stream wrote has the name that a rename gave it, and a removal of this name
    counts."""
    (state,) = states_of(build, tmp_path, STREAM)
    assert state.name == str(tmp_path / "ckpt-*.data")
    assert (state.saves, state.removed, state.kept, state.replaced) == (4, 2, 2, 0)
    assert state.written == 4 << 20


def test_file_that_stays_open(build: Path, tmp_path: Path) -> None:
    """For a C program that keeps its checkpoint open, only the time in its calls counts, not the
    time from open to close."""
    state = states_of(build, tmp_path, HELD_OPEN)
    assert [one.written for one in state] == [8 << 20]
    assert state[0].wall < 0.4  # of at least 0.8 seconds


@pytest.mark.parametrize("form", ["txt", "pdf", "html"])
def test_each_form(form: str, recorded: Path, summary: Run, tmp_path: Path) -> None:
    """The report as text, PDF and web page has the section about checkpoints."""
    assert summary(recorded, "-o", f"a.{form}").returncode == 0
    out = tmp_path / f"a.{form}"
    whole = text_of(out) if form == "pdf" else html.unescape(out.read_text("utf-8"))
    text = " ".join(whole.split())
    if form == "html":
        assert 'id="r0-checkpoints"' in text
    for words in (
        "state*.npy",
        f"numpy.save at train.py:{line_of('saved')}",
        "2 kept, 2 replaced",
        "1 kept, 3 removed",
        "The program waited",
        "for each of 4 saves",
        "A thread beside the program made 4 saves of beside.npz.",
    ):
        assert words in text or words.replace("'", "\u2019") in text, words
    assert "Young" not in text  # the run ends before that interval


@pytest.mark.parametrize(("seconds", "told"), [(1100, 0), (2000, 1)])
def test_interval(seconds: int, told: int, summary: Run, tmp_path: Path) -> None:
    """For saves of 10 seconds, the report computes a best interval of 22 minutes, and advises it
    only if the run is longer. seconds: the run time; told: how often the advice occurs."""
    rows = tuple(saved(f"/ck_{step}.pt", 1.0 + 50 * step, seconds=10.0) for step in range(20))
    log = write(Job(rows, seconds=seconds), tmp_path / "often.darshan")
    text = " ".join(summary("--text", log).stdout.split())
    assert "The program waits for checkpoints, which it saves often" in text
    assert text.count("one save every 22 min") == text.count("cost every 22 min loses") == told


def test_none(summary: Run, tmp_path: Path) -> None:
    """The report of a program that saves little, or nothing, has no section about checkpoints."""
    one = saved("/model.pt", 1.0, seconds=0.5)
    for rows in ((one,), (row("POSIX", "/data", READS=1, BYTES_READ=1),)):
        log = write(Job(rows, seconds=1000), tmp_path / "none.darshan")
        assert json.loads(summary("--json", "-o", "-", log).stdout)["checkpoints"] is None
    assert summary(log, "-o", "a.html").returncode == 0
    assert "r0-checkpoints" not in (tmp_path / "a.html").read_text("utf-8")
    assert "checkpoint  " not in summary("--text", log).stdout
