"""The epochs of a DataLoader in the log are compared with the times that the program measured, with
each installed Python. The DataLoader is a stand-in (standin/), so these tests need no PyTorch."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from lab.environment import minimal
from lab.watch import Outcome, run, watch
from sites.python.test_python import PYTHONS, Command
from tree import SOURCE

HERE = Path(__file__).resolve().parent
# Seconds: times in a log are rounded to microseconds.
ROUNDING = 1e-5
each_python = pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
# For each epoch, the numbers that epochs.py printed.
Told = list[dict[str, float]]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Copies the stand-in for PyTorch, so that its compiled files belong to this test; returns the
    folder."""
    return Path(shutil.copytree(HERE / "standin", tmp_path / "packages"))


def recorded(
    build: Path, folder: Path, packages: Path, python: Command, *words: str, **more: str
) -> Outcome:
    """Runs a program of this folder with the runtime; fails if it does not succeed. Returns its
    output and its log. packages: the folder of the stand-in. words: the program and its arguments.
    more: variables to add."""
    outcome = watch(
        build,
        folder / "run",
        [*python, HERE / words[0], *words[1:]],
        PYTHONPATH=str(packages),
        **more,
    )
    assert outcome.status == 0, outcome.error
    return outcome


def loaders(outcome: Outcome) -> list[dict[str, float]]:
    """Returns the TRAINING records of loaders in the log."""
    return [row for row in outcome.log.of("TRAINING").values() if row["TRAINING_KIND"] == 0]


def epochs(outcome: Outcome) -> list[dict[str, float]]:
    """Returns the TRAINING records of epochs in the log, in the order of their numbers."""
    rows = [row for row in outcome.log.of("TRAINING").values() if row["TRAINING_KIND"] == 1]
    return sorted(rows, key=lambda row: row["TRAINING_EPOCH"])


def waited(row: dict[str, float]) -> float:
    """Returns the seconds that a record of a loader or epoch has as wait for data."""
    return row["TRAINING_F_ITER_TIME"] + row["TRAINING_F_NEXT_TIME"]


def agree(row: dict[str, float], told: dict[str, float]) -> None:
    """Checks an epoch's record against the times that the program measured. Its waiting time is
    between those that the program measured inside and outside of the runtime's clock readings; its
    epoch is not longer than the program's."""
    assert row["TRAINING_STEPS"] == told["steps"]
    assert told["inside"] - ROUNDING <= waited(row) <= told["wait"] + ROUNDING
    assert waited(row) <= row["TRAINING_F_EPOCH_TIME"] + ROUNDING
    assert row["TRAINING_F_EPOCH_TIME"] <= told["whole"] + ROUNDING


@each_python
def test_epochs(build: Path, tmp_path: Path, packages: Path, python: Command) -> None:
    """For three complete epochs, the records of the epochs and of the loader agree with the
    program."""
    outcome = recorded(build, tmp_path, packages, python, "epochs.py", "plain")
    told: Told = json.loads(outcome.out)
    assert len(told) == len(epochs(outcome)) == 3
    for row, one in zip(epochs(outcome), told):
        agree(row, one)
        assert row["TRAINING_COMPLETE"] == 1
    (loader,) = loaders(outcome)
    for name in ("STEPS", "EPOCHS", "COMPLETE", "F_NEXT_TIME", "F_FIRST_TIME"):
        counter = f"TRAINING_{name}"
        assert loader[counter] == pytest.approx(
            sum(row[counter] for row in epochs(outcome)), abs=ROUNDING
        )
    settings = [
        loader[f"TRAINING_{name}"] for name in ("WORKERS", "PREFETCH", "BATCH_SIZE", "PROCESSORS")
    ]
    assert settings == [0, -1, 4, len(os.sched_getaffinity(0))]
    (name,) = (n for n, row in outcome.log.of("TRAINING").items() if row["TRAINING_KIND"] == 0)
    lines = (HERE / "epochs.py").read_text().split("\n")
    line = 1 + lines.index("    iterator = iter(loader)")
    assert name.startswith(f"DataLoader;{HERE / 'epochs.py'}:{line}:epoch;")


@each_python
def test_behaviour_stays(build: Path, tmp_path: Path, packages: Path, python: Command) -> None:
    """With the runtime, behaviour.py prints the same as without it."""
    command = [*python, HERE / "behaviour.py"]
    (tmp_path / "bare").mkdir()
    bare = run(command, tmp_path / "bare", {**minimal(), "PYTHONPATH": str(packages)})
    outcome = recorded(build, tmp_path, packages, python, "behaviour.py")
    assert bare.status == 0, bare.error
    assert (outcome.out, outcome.error) == (bare.out, bare.error)
    assert sum(row["TRAINING_STEPS"] for row in loaders(outcome)) > 8000


@pytest.mark.parametrize("scenario", ["thread", "again", "read"])
def test_imports(build: Path, tmp_path: Path, packages: Path, scenario: str) -> None:
    """If the DataLoader's module is imported in a thread, after a failed import, or after its file
    was read, the epochs are recorded."""
    outcome = recorded(build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", scenario)
    told: Told = json.loads(outcome.out)
    assert len(epochs(outcome)) == len(told)
    for row, one in zip(epochs(outcome), told):
        agree(row, one)


def test_loops_that_are_left(build: Path, tmp_path: Path, packages: Path) -> None:
    """Epochs whose loop is left early are recorded with their steps, as not complete."""
    outcome = recorded(build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", "left")
    told: Told = json.loads(outcome.out)
    assert len(epochs(outcome)) == len(told)
    for row, one in zip(epochs(outcome), told):
        agree(row, one)
        assert row["TRAINING_COMPLETE"] == 0


def test_many_epochs(build: Path, tmp_path: Path, packages: Path) -> None:
    """For 70 epochs, the first 64 have records, and the loader's record has the sums of all."""
    outcome = recorded(build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", "many")
    (loader,) = loaders(outcome)
    assert loader["TRAINING_EPOCHS"] == loader["TRAINING_STEPS"] == 70
    assert [row["TRAINING_EPOCH"] for row in epochs(outcome)] == list(range(1, 65))


def test_a_forked_child(build: Path, tmp_path: Path, packages: Path) -> None:
    """Epochs of a forked child are in the sums, and the child has records of its own rank."""
    outcome = recorded(build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", "child")
    told: Told = json.loads(outcome.out)
    for counter, expected in (("EPOCHS", len(told)), ("STEPS", sum(e["steps"] for e in told))):
        assert sum(row[f"TRAINING_{counter}"] for row in loaders(outcome)) == expected
    wanted = {(row.rank, row.name) for row in outcome.log.rows if row.counter == "TRAINING_EPOCHS"}
    assert {rank for rank, _ in wanted} == {0, 1}  # of the child, too


def test_two_processes(build: Path, tmp_path: Path, packages: Path) -> None:
    """Two processes that run the same program share the records of its loop and epochs, with
    sums."""
    one = f"/usr/bin/python3 -B {HERE / 'epochs.py'} plain"
    command = ["sh", "-c", f"{one} > a & {one}; wait; cat a"]
    outcome = watch(build, tmp_path / "run", command, PYTHONPATH=str(packages))
    first, second = (json.loads(line) for line in outcome.out.splitlines())
    assert len(epochs(outcome)) == len(first) == len(second)
    for row, one_told, other in zip(epochs(outcome), first, second):
        assert row["TRAINING_PROCESSES"] == row["TRAINING_EPOCHS"] == 2
        told = {key: one_told[key] + other[key] for key in one_told}
        agree(row, told)
    (loader,) = loaders(outcome)
    assert loader["TRAINING_EPOCHS"] == 6


def test_ranks(build: Path, tmp_path: Path, packages: Path) -> None:
    """Each rank that a launcher started has a record with the sums of its own epochs."""
    one = f"WORLD_SIZE=2 RANK=%d /usr/bin/python3 -B {HERE / 'epochs.py'} %s"
    command = ["sh", "-c", f"{one % (0, 'waiting')} > a & {one % (1, 'computing')}; wait; cat a"]
    outcome = watch(build, tmp_path / "run", command, PYTHONPATH=str(packages))
    told = [json.loads(line) for line in reversed(outcome.out.splitlines())]
    for rank, sums in enumerate(told):
        rows = [
            row for row in outcome.log.of("TRAINING").values()
            if row["TRAINING_KIND"] == 2 and row["TRAINING_RANK"] == rank
        ]  # fmt: skip
        (row,) = rows
        assert row["TRAINING_EPOCHS"] == row["TRAINING_COMPLETE"] == len(sums)
        agree(row, {key: sum(epoch[key] for epoch in sums) for key in sums[0]})
    assert all(row["TRAINING_RANK"] == -1 for row in epochs(outcome) + loaders(outcome))


def test_no_rank_without_a_launch(build: Path, tmp_path: Path, packages: Path) -> None:
    """With WORLD_SIZE=1 there is no record of a rank."""
    outcome = recorded(
        build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", "plain",
        RANK="0", WORLD_SIZE="1",
    )  # fmt: skip
    kinds = [row["TRAINING_KIND"] for row in outcome.log.of("TRAINING").values()]
    assert sorted(kinds) == [0, 1, 1, 1]


def test_on_the_screen(build: Path, tmp_path: Path, packages: Path) -> None:
    """`darshan stat` of a training that waits for its data prints two lines about the training, and
    the finding."""
    command = [build / "darshan", "stat", "/usr/bin/python3", "-B", HERE / "epochs.py", "waiting"]
    outcome = run(command, tmp_path, {**minimal(), "PYTHONPATH": str(packages)})
    assert outcome.status == 0, outcome.error
    assert "training: waited for data " in outcome.error
    assert "files by time in I/O" in outcome.error
    assert "\n2 epochs with 40 batches, longest wait for a later batch " in outcome.error
    assert re.search(r"^! The training waits for its data:\s+up to ", outcome.error, re.M)


@pytest.mark.parametrize(
    ("loops", "words"),
    [
        ("for loader in (long, short, long, short): list(loader)", "4 passes with 30 batches (5 to "
         "10 each)"),
        ("for _ in 1, 2: list(long)\nlist(short)", "3 passes of 2 loops with 25 batches (5 to 10 "
         "each)"),
        ("child = os.fork()\nfor _ in 1, 2: list(long)\nif child: os.wait()", "4 epochs in 2 "
         "processes with 40 batches"),
        ("for _ in 1, 2: list(long)\nfor batch in long: break", "3 passes of 2 loops with 21 "
         "batches"),
    ],
)  # fmt: skip
def test_what_is_added(build: Path, tmp_path: Path, packages: Path, loops: str, words: str) -> None:
    """`darshan stat` says over how many loops and processes it adds epochs, and that a validation
    of fewer batches is among them."""
    program = tmp_path / "train.py"
    program.write_text(
        "import os, time\nfrom torch.utils.data import DataLoader\n"
        "class Data:\n"
        "    def __len__(self): return self.n\n"
        "    def __getitem__(self, i): time.sleep(0.001); return i\n"
        "a, b = Data(), Data()\na.n, b.n = 40, 20\n"
        f"long, short = DataLoader(a, batch_size=4), DataLoader(b, batch_size=4)\n{loops}\n"
    )
    command = [build / "darshan", "stat", "/usr/bin/python3", "-B", program]
    outcome = run(command, tmp_path, {**minimal(), "PYTHONPATH": str(packages)})
    assert outcome.status == 0, outcome.error
    assert f"\n{words}, longest wait for a later batch " in outcome.error


def test_rates(build: Path, tmp_path: Path, packages: Path) -> None:
    """The report has the samples per second of a process, and says if the imports took longer than
    an epoch."""
    slow = "\n".join(f"import slow{number}" for number in range(60))
    for number in range(60):
        (packages / f"slow{number}.py").write_text("import time\ntime.sleep(0.005)\n")
    program = tmp_path / "train.py"
    program.write_text(
        f"{slow}\nimport time\nfrom torch.utils.data import DataLoader\n"
        "for batch in DataLoader(list(range(40)), batch_size=4):\n    time.sleep(0.01)\n"
    )
    log = tmp_path / "log.darshan"
    command = [build / "darshan", "run", "--sites", "/usr/bin/python3", "-B", program]
    settings = {**minimal(), "PYTHONPATH": str(packages), "DARSHAN_LOGFILE": str(log)}
    assert run(command, tmp_path, settings).status == 0
    said = run([build / "darshan", "report", "--text", log], tmp_path, minimal()).out
    found = re.search(r"^([\d.]+) batches, ([\d,.]+) samples in a second", said, re.M)
    assert found, said
    batches, samples = float(found[1]), float(found[2].replace(",", ""))
    assert 0 < batches <= 100 and samples == pytest.approx(4 * batches, rel=0.02)
    assert re.search(r"Importing modules took at least [\d.]+ m?s, longer than an epoch", said)


def reported(build: Path, packages: Path, program: Path) -> Told:
    """Runs a program in its folder, with call sites; returns the report of its log as data."""
    folder, log = program.parent, program.parent / "log.darshan"
    command = [build / "darshan", "run", "--sites", "/usr/bin/python3", "-B", program]
    settings = {**minimal(), "PYTHONPATH": str(packages), "DARSHAN_LOGFILE": str(log)}
    assert run(command, folder, settings).status == 0
    made = run([build / "darshan", "report", "--json", "-o", "-", log], folder, minimal())
    told: Told = json.loads(made.out)
    return told


@pytest.mark.parametrize("epochs", [1, 3])
def test_cost_of_an_epoch(build: Path, tmp_path: Path, packages: Path, epochs: int) -> None:
    """The finding about a training that waits for its data says what an epoch could save: the
    saving of the run, divided by the epochs. The text says so if there are several."""
    program = tmp_path / "train.py"
    program.write_text(
        "import time\nfrom torch.utils.data import DataLoader\n\n"
        "class Samples:\n    def __len__(self):\n        return 8\n"
        "    def __getitem__(self, place):\n        time.sleep(0.02)\n        return place\n\n"
        f"for _ in range({epochs}):\n"
        "    for batch in DataLoader(Samples(), batch_size=2):\n        pass\n"
    )
    told = reported(build, packages, program)
    (found,) = (one for one in told["findings"] if one["name"] == "loader-bound-training")
    assert found["stake"]["run_seconds"] > 0
    each = found["stake"]["run_seconds"] / epochs
    assert found["stake"]["epoch_seconds"] == pytest.approx(each)
    log = tmp_path / "log.darshan"
    said = run([build / "darshan", "report", "--text", log], tmp_path, minimal()).out
    assert (" per epoch" in said) == (epochs > 1)


@pytest.mark.parametrize("kept", [False, True])
def test_made_before(build: Path, tmp_path: Path, packages: Path, kept: bool) -> None:
    """A finding names a file that the program makes before its training and then reads in it, with
    the line that writes it. It does not name a file that existed before the program (kept)."""
    program, cache = tmp_path / "train.py", tmp_path / "cache.bin"
    program.write_text(
        "import mmap, os, sys, time\nfrom torch.utils.data import DataLoader\n"
        f"name = {str(cache)!r}\n"
        "if not os.path.exists(name):\n"
        "    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end:\n        pass\n"
        "    with open(name + '.tmp', 'wb') as made:\n        made.write(bytes(20 << 20))\n"
        "    os.rename(name + '.tmp', name)\n"
        "file = open(name, 'rb')\ndata = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\n"
        "data[:4096], time.sleep(0.1)\n"
        "for batch in DataLoader(list(range(4)), batch_size=2):\n    time.sleep(0.001)\n"
    )
    if kept:
        cache.write_bytes(bytes(20 << 20))
    told = reported(build, packages, program)
    found = [one for one in told["findings"] if one["name"] == "made-at-start"]
    assert len(found) == (not kept)
    for one in found:
        assert f"The program wrote {cache} (20.0 MiB) before the first epoch" in one["sentence"]
        place = one["line"]["place"]
        assert (place["file"], place["line"]) == (str(program), 9)
        assert 0.3 <= one["stake"]["run_seconds"] <= told["job"]["run_seconds"]


@pytest.mark.parametrize("step", [0.001, 1.0], ids=["short", "long"])
def test_long_imports(build: Path, tmp_path: Path, packages: Path, step: float) -> None:
    """If imports take longer than an epoch, a notice has the lines with their times. All lines but
    the one that takes longest are at stake. It is left out if an epoch takes longer."""
    for package, modules in (("frame", 150), ("extra", 80)):
        (tmp_path / package).mkdir()
        names = [f"part_{number}" for number in range(modules)]
        for name in names:
            (tmp_path / package / f"{name}.py").write_text(
                "import time\nend = time.perf_counter() + 0.003\n"
                "while time.perf_counter() < end:\n    pass\n"
            )
        lines = "".join(f"from . import {name}\n" for name in names)
        (tmp_path / package / "__init__.py").write_text(lines)
    program = tmp_path / "train.py"
    program.write_text(
        "import time\nfrom torch.utils.data import DataLoader\nimport frame\nimport extra\n"
        "for batch in DataLoader(list(range(4)), batch_size=2):\n"
        f"    time.sleep({step})\n"
    )
    told = reported(build, packages, program)
    found = [one for one in told["findings"] if one["name"] == "long-imports"]
    assert len(found) == (step < 1.0)
    for one in found:
        assert re.search(r"[\d.]+ ms at train.py:3, [\d.]+ ms at train.py:4", one["sentence"])
        assert one["line"]["text"] == "at train.py:4"
        assert 0.24 <= one["stake"]["run_seconds"] < 1.5


@pytest.mark.parametrize(
    "case", [("memory", "memory", "notice"), ("waiting", "main", "problem")], ids=lambda c: c[0]
)
def test_samples_of_no_file(
    build: Path, tmp_path: Path, packages: Path, case: tuple[str, str, str]
) -> None:
    """If a process computes its samples, waiting for them is only a notice. If it sleeps for
    them, it may wait for a network, which is a problem. case: scenario, reason and kind of the
    finding."""
    jsonschema = pytest.importorskip("jsonschema")
    log = tmp_path / "log.darshan"
    command = [build / "darshan", "run", "--sites", "/usr/bin/python3", "-B", HERE / "epochs.py"]
    settings = {**minimal(), "PYTHONPATH": str(packages), "DARSHAN_LOGFILE": str(log)}
    scenario, why, kind = case
    assert run([*command, scenario], tmp_path, settings).status == 0
    made = run([build / "darshan", "report", "--json", "-o", "-", log], tmp_path, minimal())
    told = json.loads(made.out)
    jsonschema.validate(told, json.loads((SOURCE / "doc/report.schema.json").read_text("utf-8")))
    (loop,) = told["training"]
    found = next(f for f in told["findings"] if f["name"] == "loader-bound-training")
    assert (loop["why"], found["kind"]) == (why, kind)
    # Ten workers sleep as well on two processors.
    assert scenario != "waiting" or "part of the wait stays" not in found["remedy"]["text"], found


def test_switched_off(build: Path, tmp_path: Path, packages: Path) -> None:
    """If the module TRAINING is switched off, the log has no records of it, and the program runs as
    usual."""
    outcome = recorded(
        build, tmp_path, packages, ["/usr/bin/python3"], "epochs.py", "plain",
        DARSHAN_MOD_DISABLE="TRAINING",
    )  # fmt: skip
    assert outcome.log.of("TRAINING") == {}
