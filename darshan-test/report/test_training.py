"""The report about a training: its reasons, remedies and findings, from logs that the tests
write."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.finding import NOTICE, PROBLEM, Finding
from darshan_report.diagnose.run import diagnose
from darshan_report.diagnose.training.loading import Verdict, remedy, verdicts
from darshan_report.diagnose.training.making import part_of
from darshan_report.log import open_log
from darshan_report.measure.processes.processes import processes
from darshan_report.report.sections.training import rates, settings
from darshan_report.units import seconds

from report.diagnose.build import MIB, Job, Row, number_of, row, write
from report.diagnose.cases_training import LOADER

# Seconds of the loop LOADER: in total, waiting for data, and until the first batch.
WHOLE, WAIT, FIRST = 8.0, 4.0, 0.1
COMPUTES = {"F_EPOCH_TIME": 4.5, "F_NEXT_PROCESSOR_TIME": WAIT}
EPOCH = row(
    "TRAINING", "epoch 1 of x", **{**LOADER.values, "KIND": 1, "EPOCH": 1, "EPOCHS": 1, "STEPS": 50}
)


def run_of(workers: int, life: float, io: float, busy: float, ready: float, **more: float) -> Job:
    """Returns the log of a training with this many worker processes. life: the sum of the workers'
    lifetimes; io, busy, ready: seconds in file I/O, computing, and ready to run without a
    processor. more: other counters."""
    settings = {"WORKERS": workers, "PREFETCH": 2 if workers else -1, **more}
    loader = number_of(LOADER.name)
    rows: list[Row] = [
        row("TRAINING", LOADER.name, **{**LOADER.values, **settings, "LOADER": loader}),
        row("TRAINING", EPOCH.name, **{**EPOCH.values, **settings, "LOADER": loader}),
    ]
    for rank in range(workers + 1):
        values = {"COUNT": 1, "PROGRAMS": 1, "PARENT_RANK": 0 if rank else -1, "PID": 10 + rank}
        values |= {"F_END_TIMESTAMP": 10.0}
        used = {"PROCESSES": 1}
        if rank:
            values |= {"F_START_TIMESTAMP": 1.05, "F_END_TIMESTAMP": 1.05 + life / workers}
            values |= {"F_READ_TIME": io / workers}
            used |= {"F_USER_TIME": busy / workers, "F_RUNNABLE_TIME": ready / workers}
        rows.append(row("PROCESS", "host: python3 train.py", rank, **values))
        rows.append(row("USAGE", f"usage {rank}", rank, **used))
    return Job(tuple(rows), nprocs=workers + 1)


@pytest.mark.parametrize(
    ("job", "why", "words", "option"),
    [
        (run_of(0, 0, 0, 0, 0), "main", "loads each batch itself", "num_workers=1"),
        # Eight workers that compute need eight processors; eight workers that wait do not.
        (run_of(0, 0, 0, 0, 0, **COMPUTES, PROCESSORS=4), "main", "itself", "num_workers=4"),
        (run_of(0, 0, 0, 0, 0, F_EPOCH_TIME=4.5, PROCESSORS=4), "main", "itself", "num_workers=8"),
        (run_of(0, 0, 0, 0, 0, F_EPOCH_TIME=4.5), "main", "itself", "num_workers=8"),
        (run_of(2, 16, 10, 2, 0), "storage", "62.5 % of their time in file I/O", "num_workers=4"),
        (run_of(2, 16, 2, 10, 0), "computing", "62.5 % computing", "num_workers=4"),
        (run_of(2, 16, 2, 2, 10), "processors", "62.5 % ready to run", "num_workers=2"),
        (
            run_of(2, 16, 2, 2, 0),
            "elsewhere",
            "a network, a lock, or the end of a sleep",
            "prefetch_factor=4",
        ),
        # 26 of 16 seconds: 10 are calls that waited for a processor, and are taken from both.
        (run_of(2, 16, 10, 2, 14), "processors", "36.5 % of their time in file", "num_workers=2"),
        # Workers that compute little and wait little for a processor, but for nothing longer.
        (run_of(2, 16, 4, 3, 2.5), "computing", "the other 40.6 % waiting", "num_workers=4"),
        (run_of(2, 16, 4, 2.5, 3), "processors", "too few processors", "num_workers=2"),
        (run_of(1, 8, 5, 1, 0), "storage", "The worker spent", "num_workers=2"),
        (
            run_of(2, 16, 10, 2, 0, F_FIRST_TIME=3.0),
            "start",
            "75.0 % of it is the way to the first batch",
            "persistent_workers=True",
        ),
        (run_of(2, 16, 10, 2, 0, F_NEXT_TIME=0.7), "nothing", "Data is not the bottleneck", ""),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_verdicts(tmp_path: Path, job: Job, why: str, words: str, option: str) -> None:
    """Each loop has this verdict about its waits, and the remedy for it. why: the verdict. words:
    part of the sentence. option: part of the example; "" for none."""
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        facts = Facts(log, None, processes(log))
        (verdict,) = verdicts(facts)
        assert (verdict.why, verdict.loader.line) == (why, "train.py:31")
        assert words in verdict.sentence
        if option:
            assert option in remedy(verdict)[1]


def made_by(workers: int, whole: float, idle: float, **parts: float) -> tuple[Row, ...]:
    """Returns the TRAINING records of `workers` workers that together made 100 batches in `whole`
    seconds, and had none to make for `idle` seconds. parts: the seconds of parts of this time."""
    loader = number_of(LOADER.name)
    values = {f"F_{name}": value / workers for name, value in parts.items()}
    values |= {"F_FETCH_TIME": whole / workers, "F_IDLE_TIME": idle / workers}
    values.setdefault("F_FETCH_LONGEST", whole / 100)
    return tuple(
        row(
            "TRAINING", f"worker {worker} of x", worker + 1, KIND=3, LOADER=loader, WORKER=worker,
            PROCESSES=1, FETCHES=100 // workers, RANK=-1, **values,
        )
        for worker in range(workers)
    )  # fmt: skip


_FILES = {"FETCH_OPEN_TIME": 6.0, "FETCH_READ_TIME": 1.0, "FETCH_PROCESSOR_TIME": 2.0}


@pytest.mark.parametrize(
    ("job", "made", "expected"),
    [
        (
            run_of(2, 16, 7, 2, 0), made_by(2, 10, 4, **_FILES),
            ("storage", "opening",
             "The 2 workers spent 10.0 s making 100 batches: 6.00 s opening files, 1.00 s reading, "
             "2.00 s computing, 1.00 s waiting for something else. Opening files took most of it. "
             "Between batches, workers were idle for 4.00 s (28.6 %).", "keep files open"),
        ),
        (
            run_of(2, 16, 1, 8, 0),
            made_by(2, 10, 4, COLLATE_TIME=6.0, FETCH_PROCESSOR_TIME=9.0),
            ("computing", "collating", "Of it, collate_fn 6.00 s. collate_fn took most of it.",
             "stack or pad"),
        ),
        (
            run_of(2, 16, 1, 8, 0),
            made_by(2, 10, 4, TRANSFORM_TIME=6.0, FETCH_PROCESSOR_TIME=9.0),
            ("computing", "transforming", "Of it, transforms 6.00 s.", "crop or resize first"),
        ),
        # The reads are those of a thread of the workers, which the thread that loads waits for.
        (
            run_of(2, 16, 7, 2, 0), made_by(2, 10, 4, FETCH_PROCESSOR_TIME=2.0),
            ("storage", "waiting", "8.00 s waiting for something else",
             "Let more workers wait for storage"),
        ),
        # All the waiting is for a processor.
        (
            run_of(2, 16, 0, 2, 9),
            made_by(2, 10, 4, FETCH_PROCESSOR_TIME=2.0, FETCH_READY_TIME=9.0),
            ("processors", "ready", "8.00 s ready to run without a processor", "less work"),
        ),
        (
            run_of(2, 16, 0, 2, 0), made_by(2, 10, 4, FETCH_PROCESSOR_TIME=2.0),
            ("elsewhere", "waiting", "8.00 s waiting for something else", "prefetch_factor"),
        ),
        # Workers were idle while the program worked, for 4 s, and in most of the time it waited.
        (
            run_of(2, 16, 0, 2, 0),
            made_by(2, 4, 13, FETCH_PROCESSOR_TIME=3.0, FETCH_LONGEST=1.0),
            ("uneven", "computing", "the longest took 500 ms", "in_order=False"),
        ),
        (
            run_of(2, 16, 0, 2, 0), made_by(2, 4, 13, FETCH_PROCESSOR_TIME=3.0),
            ("sending", "computing", "sending the finished batches", "few large arrays"),
        ),
        # All batches took 1 s of the 4 s in which the program waited, whatever workers did then.
        (
            run_of(2, 16, 0, 2, 9),
            made_by(2, 1, 4, FETCH_PROCESSOR_TIME=0.1, FETCH_READY_TIME=0.8, FETCH_LONGEST=0.5),
            ("sending", "ready", "sending the finished batches", "few large arrays"),
        ),
        # A single epoch in which only the first batch took long.
        (
            run_of(2, 16, 0, 2, 0, EPOCHS=1, F_FIRST_TIME=3.9),
            made_by(2, 4, 9, FETCH_PROCESSOR_TIME=3.0),
            ("start", "computing", "97.5 % of it is the way to the first batch", "persistent"),
        ),
        (
            run_of(2, 16, 0, 2, 0, F_NEXT_PROCESSOR_TIME=3.0),
            made_by(2, 4, 13, FETCH_PROCESSOR_TIME=3.0),
            ("unpacking", "computing", "was busy for 3.00 s of its waits", "few large arrays"),
        ),
    ],
    ids=[
        "opening", "collating", "transforms", "thread", "processor", "else", "uneven", "sending",
        "short", "start", "objects",
    ],
)  # fmt: skip
def test_parts_of_making_batches(
    tmp_path: Path, job: Job, made: tuple[Row, ...], expected: tuple[str, str, str, str]
) -> None:
    """The time that workers spent in each part of making batches decides which reason the report
    gives for the program's wait. made: these records; expected: the reason, the largest part, and
    words of the sentence and of the remedy."""
    why, part, words, remedy_words = expected
    log = write(replace(job, rows=(*job.rows, *made)), tmp_path / "a.darshan")
    with open_log(log) as opened:
        (verdict,) = verdicts(Facts(opened, None, processes(opened)))
    assert verdict.loader.made is not None
    assert (verdict.why, part_of(verdict.loader.made)) == (why, part)
    assert words in verdict.sentence
    assert remedy_words in remedy(verdict)[0]


def test_parts_without_workers(tmp_path: Path) -> None:
    """Without workers, the report says what the main process spent on batches, and the remedy
    begins with the largest part."""
    job = run_of(0, 0, 0, 0, 0, FETCHES=100, F_FETCH_TIME=3.9, F_FETCH_OPEN_TIME=3.0)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert verdict.why == "main"
    assert "It spent 3.90 s making 100 batches: 3.00 s opening files" in verdict.sentence
    text = remedy(verdict)[0]
    assert text.index("keep files open") < text.index("Load in worker processes")


@pytest.mark.parametrize(("listings", "part"), [(99, "opening"), (100, "listing")])
def test_listings_are_not_opens(tmp_path: Path, listings: int, part: str) -> None:
    """If each batch lists folders, the time of it is not called opening files, and no shards are
    proposed."""
    job = run_of(0, 0, 0, 0, 0, FETCHES=100, F_FETCH_TIME=3.9, F_FETCH_OPEN_TIME=3.0)
    folder = row("POSIX_EXT", "/set", DIR_OPENS=listings, F_LIST_TIME=2.9)
    with open_log(write(replace(job, rows=(*job.rows, folder)), tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert verdict.loader.made is not None and part_of(verdict.loader.made) == part
    if part == "listing":
        assert "2.90 s listing folders" in verdict.sentence
        assert "Listing folders took most of it" in verdict.sentence
    assert ("shards" in remedy(verdict)[0]) == (part == "opening")
    assert ("List folders once" in remedy(verdict)[0]) == (part == "listing")


def test_code_of_the_data_set(tmp_path: Path) -> None:
    """The code of the data set is what remains of computing without collate_fn."""
    parts = {"F_COLLATE_TIME": 1.2, "F_FETCH_PROCESSOR_TIME": 1.72, "F_FETCH_READY_TIME": 1.0}
    job = run_of(0, 0, 0, 0, 0, FETCHES=100, F_FETCH_TIME=2.73, **parts)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert "collate_fn took the largest part of it" in verdict.sentence


def test_a_line_with_workers_and_without(tmp_path: Path) -> None:
    """If a line makes some batches in workers and others in its own process, the report has the sum
    of both."""
    job = run_of(2, 16, 7, 2, 0, FETCHES=20, F_FETCH_TIME=1.5)
    log = write(replace(job, rows=(*job.rows, *made_by(2, 10, 4))), tmp_path / "a.darshan")
    with open_log(log) as opened:
        (verdict,) = verdicts(Facts(opened, None, processes(opened)))
    made = verdict.loader.made
    assert made is not None
    assert (made.batches, made.whole, made.idle) == (120, 11.5, 4.0)


def test_workers_that_were_not_forked(tmp_path: Path) -> None:
    """If the records of workers do not name their loader, they are attributed to the only loader
    that has workers."""
    job = run_of(2, 16, 7, 2, 0)
    made = made_by(2, 10, 4, **_FILES)
    rows = tuple(replace(one, values={**one.values, "LOADER": 0}) for one in made)
    other = row("TRAINING", "DataLoader;/work/check.py:3:f", **{**LOADER.values, "WORKERS": 2})
    other.values["LOADER"] = number_of(other.name)
    for more, known in (((), 2), ((other,), 0)):
        log = write(replace(job, rows=(*job.rows, *rows, *more)), tmp_path / f"{known}.darshan")
        with open_log(log) as opened:
            found = verdicts(Facts(opened, None, processes(opened)))
        assert [len(verdict.loader.by_worker) for verdict in found] == [known] * (1 + len(more))


def test_no_option_that_the_program_has(tmp_path: Path) -> None:
    """The report never suggests an option that the loader already has. Here all options that could
    help are set, so it suggests less work."""
    job = run_of(2, 16, 2, 2, 10, PERSISTENT=1)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    text, option = remedy(verdict)
    assert verdict.why == "processors" and "less work" in text and option == ""


@pytest.mark.parametrize(
    ("made", "processors", "expected"),
    [
        # Workers that compute need a processor each.
        (
            {"FETCH_PROCESSOR_TIME": 9.0}, 2,
            ("computing", "2 processors can be used here", ""),
        ),
        (
            {"FETCH_PROCESSOR_TIME": 9.0}, 3,
            ("computing", "more workers while processors are free", "num_workers=3"),
        ),
        # The report proposes a few workers for each processor if they wait.
        (
            {"FETCH_PROCESSOR_TIME": 1.0}, 1,
            ("elsewhere", "try 4 for each processor first: 1 processor", "num_workers=4"),
        ),
        (
            {"FETCH_READ_TIME": 9.0, "FETCH_PROCESSOR_TIME": 2.0}, 1,
            ("storage", "wait for storage at the same time (num_workers=4)", "num_workers=4"),
        ),
        # Reads that only work have their bytes in memory.
        (
            {"FETCH_READ_TIME": 9.0, "FETCH_PROCESSOR_TIME": 6.0, "FETCH_READY_TIME": 3.9}, 2,
            ("cached", "Make fewer calls on files for each sample", ""),
        ),
    ],
)  # fmt: skip
def test_number_of_workers(
    tmp_path: Path, made: dict[str, float], processors: int, expected: tuple[str, str, str]
) -> None:
    """No more workers are proposed than the processors can serve."""
    why, words, option = expected
    more = {"F_EPOCH_TIME": 4.4, "PROCESSORS": processors, "PERSISTENT": 1}
    job = run_of(2, 16, 9 if "FETCH_READ_TIME" in made else 0, 2, 0, **more)
    log = write(replace(job, rows=(*job.rows, *made_by(2, 10, 0, **made))), tmp_path / "a.darshan")
    with open_log(log) as opened:
        (verdict,) = verdicts(Facts(opened, None, processes(opened)))
    text, example = remedy(verdict)
    assert (verdict.why, words in text) == (why, True), text
    assert option in example and ("Storage is behind it" in verdict.reason) == (why == "storage")
    assert bool(option) == bool(example)


def test_batches_that_cost_less_than_sending(tmp_path: Path) -> None:
    """Workers that make all batches in less time than the program waits for them are not needed.
    The report does not know whether batches are tensors, and says so."""
    for making, alone in ((1, True), (3, False)):
        made = made_by(2, making, 12, FETCH_PROCESSOR_TIME=making)
        job = run_of(2, 16, 0, 2, 0)
        log = write(replace(job, rows=(*job.rows, *made)), tmp_path / f"{making}.darshan")
        with open_log(log) as opened:
            (verdict,) = verdicts(Facts(opened, None, processes(opened)))
        text, example = remedy(verdict)
        assert verdict.why == "sending" and "If they are tensors already" in text
        assert ("all batches together took 1.00 s to make" in text) == alone
        assert ("num_workers=0" in example) == alone


def test_rate_of_several_processes(tmp_path: Path) -> None:
    """The rate of several processes is said to be that of all."""
    job = Job((replace(LOADER, values={**LOADER.values, "PROCESSES": 2}),))
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert rates(verdict.loader) == ("25 batches, 200 samples in a second, 2 processes together.")


def test_short_loop(tmp_path: Path) -> None:
    """A loop whose waits are a very small part of the run is not said to be slowed by its data."""
    job = replace(run_of(0, 0, 0, 0, 0), seconds=1000)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert verdict.sentence == (
        "Waiting for data costs this run little. The training loop of train.py:31 waited for data "
        "4.00 s of 8.00 s (50.0 %)."
    )


def epoch_of(number: int, **values: float) -> Row:
    """Returns the record of an epoch of LOADER. values: its counters."""
    own = {"LOADER": number_of(LOADER.name), "KIND": 1, "EPOCH": number, "EPOCHS": 1, **values}
    return row("TRAINING", f"epoch {number} of y", **{**LOADER.values, **own})


def test_loaders_of_one_line(tmp_path: Path) -> None:
    """A line that iterates over two DataLoaders is shown with the options of both. Only the epochs
    of the one whose workers do not stay can save their starts."""
    options = {"WORKERS": 2, "PREFETCH": 2}
    kept = {**options, "STEPS": 40, "F_EPOCH_TIME": 2.0, "F_NEXT_TIME": 0.5, "F_FIRST_TIME": 0.1}
    anew = {**options, "STEPS": 10, "F_EPOCH_TIME": 2.0, "F_NEXT_TIME": 1.5, "F_FIRST_TIME": 1.4}
    epochs = (
        epoch_of(1, PERSISTENT=1, BATCH_SIZE=8, **kept),
        epoch_of(2, PERSISTENT=0, BATCH_SIZE=32, **anew),
        epoch_of(3, PERSISTENT=1, BATCH_SIZE=8, **kept),
        epoch_of(4, PERSISTENT=0, BATCH_SIZE=32, **anew),
    )
    sums = {"EPOCHS": 4, "COMPLETE": 4, "F_NEXT_TIME": 4.0, "F_FIRST_TIME": 3.0, "PERSISTENT": 1}
    sums |= {"LOADER": number_of(LOADER.name)}
    line = row("TRAINING", LOADER.name, **{**LOADER.values, **options, **sums})
    with open_log(write(Job((line, *epochs)), tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert settings(verdict.loader) == (
        "DataLoader of epochs 1, 3: num_workers=2, prefetch_factor=2, persistent_workers=True, "
        "batch_size=8. DataLoader of epochs 2, 4: num_workers=2, prefetch_factor=2, "
        "persistent_workers=False, batch_size=32."
    )
    assert "12.5 batches, 160 samples in a second" in rates(verdict.loader)
    assert (verdict.why, verdict.loader.persistent) == ("start", False)
    assert verdict.saved == pytest.approx((2.8 - 2 * 2 * 0.05) / 2)


def test_start_of_workers_that_are_not_forked(tmp_path: Path) -> None:
    """Workers that are not forked get the data set through a pipe. Their start is at stake even if
    they stay, and no batch is called slow if none is as slow as the longest wait."""
    job = run_of(1, 8, 0, 2, 0, PERSISTENT=1, F_FIRST_TIME=2.9, F_LONGEST_TIME=0.5)
    made = made_by(1, 0.8, 4, FETCH_PROCESSOR_TIME=0.7, FETCH_LONGEST=0.04)
    rows = tuple(replace(one, values={**one.values, "LOADER": 0}) for one in made)
    log = write(replace(job, rows=(*job.rows, *rows)), tmp_path / "a.darshan")
    with open_log(log) as opened:
        (verdict,) = verdicts(Facts(opened, None, processes(opened)))
    assert verdict.why == "start" and "gets the data set with all its data" in verdict.reason
    text = remedy(verdict)[0]
    assert text.startswith("Let the data set hold little") and "persistent_workers" not in text
    assert 2.7 < verdict.saved < 2.9


def findings_of(tmp_path: Path, job: Job) -> dict[str, Finding]:
    """Returns the findings of a log by name."""
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        return {finding.name: finding for finding in diagnose(log)}


def file_of(name: str, size: int, times: int, ranks: Sequence[int], seconds: float) -> list[Row]:
    """Returns the records of a file that each of these ranks read completely, `times` times. size:
    in bytes; seconds: of the reads."""
    used = {"READS": 8 * times, "CONSEC_READS": 8 * times - 1, "OPENS": 1}
    used |= {"BYTES_READ": size * times, "MAX_BYTE_READ": size - 1, "F_READ_TIME": seconds}
    return [row("POSIX", name, rank, **used) for rank in ranks]


@pytest.mark.parametrize(
    ("frame", "mapped", "kind"),
    [
        ("/work/train.py:5:<module>", 0, NOTICE),
        ("/work/train.py:5:<module>", 1, PROBLEM),  # the samples may be in a mapped file
        ("/usr/lib/python3/torch/utils/data/_utils/fetch.py:51:fetch", 0, PROBLEM),
    ],
)
def test_samples_in_memory(tmp_path: Path, frame: str, mapped: int, kind: str) -> None:
    """If the samples are in memory, a loop that waits for its batches is a notice and not a problem
    of I/O. Call sites of reads within the loader, or a mapped file, show that the samples may come
    from a file."""
    job = run_of(0, 0, 0, 0, 0)
    site = row("SITES", f"read;{frame}", READS=4, BYTES_READ=MIB, F_READ_TIME=0.02)
    file = row("POSIX", "/data/x.npy", OPENS=1, READS=4, BYTES_READ=MIB, MMAPS=mapped)
    found = findings_of(tmp_path, replace(job, rows=(*job.rows, site, file)))
    one = found["loader-bound-training"]
    assert one.kind == kind
    assert ("No call reads a file for these batches." in one.sentence) == (kind == NOTICE)
    assert ("batch = x[rows]" in one.remedy.example) == (kind == NOTICE)


def test_a_small_file_for_each_sample(tmp_path: Path) -> None:
    """If each sample is a small file, the finding says how long opening and reading it takes."""
    job = run_of(2, 16, 10, 2, 0)
    files = [
        row(
            "POSIX", f"/data/{n}.png", OPENS=2, READS=2, BYTES_READ=6000, MAX_BYTE_READ=2999,
            F_META_TIME=0.02,
        )
        for n in range(400)
    ]  # fmt: skip
    found = findings_of(tmp_path, replace(job, rows=(*job.rows, *files)))["loader-bound-training"]
    assert "400 files of at most 2.93 KiB were opened 800 times for 800 samples" in found.sentence
    assert "Opening and reading one took 10.00 ms" in found.sentence
    assert found.stake.epochs > 1
    assert f"{seconds(found.stake.run / found.stake.epochs)} per epoch" in found.stake.text
    assert "webdataset" in found.remedy.example


@pytest.mark.parametrize(
    ("number", "workers", "times", "title"),
    [
        (4, 4, 2, "Each worker reads the whole data set"),
        (4, 4, 8, ""),  # again and again: another problem
        (2, 4, 2, ""),  # two of four workers
        (4, 0, 2, ""),
    ],
)
def test_workers_that_read_the_whole_set(
    tmp_path: Path, number: int, workers: int, times: int, title: str
) -> None:
    """The report says that each worker reads the whole data set only if all workers of the loader
    read it once in each epoch. number: the processes that read it; times: how often each did.
    title: the expected finding; "": none."""
    job = run_of(workers, 16, 2, 10, 0) if workers else run_of(0, 0, 0, 0, 0)
    rows = file_of("/set", 32 * MIB, times, range(1, number + 1), 1.0)
    found = findings_of(tmp_path, replace(job, rows=(*job.rows, *rows), nprocs=5))
    assert (found["read-by-each-worker"].title if title else "") == title
    assert bool(title) == ("read-by-each-worker" in found)


def test_an_index_that_each_worker_reads(tmp_path: Path) -> None:
    """Workers that each read the same index, and different parts of the data, are not reported."""
    job = run_of(4, 16, 2, 10, 0)
    index = file_of("/index", MIB, 2, range(1, 5), 0.1)
    parts = [part for n in range(1, 5) for part in file_of(f"/set{n}", 8 * MIB, 2, [n], 0.5)]
    found = findings_of(tmp_path, replace(job, rows=(*job.rows, *index, *parts)))
    assert "read-by-each-worker" not in found


def test_a_set_that_costs_no_time(tmp_path: Path) -> None:
    """If each worker reads the whole data set but the program does not wait for data, the finding
    is a notice that samples are repeated, without a potential saving."""
    job = run_of(4, 16, 2, 10, 0, F_NEXT_TIME=0.1)
    rows = file_of("/set", 32 * MIB, 2, range(1, 5), 0.001)
    found = findings_of(tmp_path, replace(job, rows=(*job.rows, *rows)))["read-by-each-worker"]
    assert (found.kind, found.stake.seconds) == ("notice", 0.0)
    assert "gets every sample 4 times in an epoch" in found.sentence


def test_numbers(tmp_path: Path) -> None:
    """The report's sums of a training loop are those of the loop's record."""
    with open_log(write(run_of(0, 0, 0, 0, 0), tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    sums = verdict.loader.sums
    assert (sums.whole, sums.wait, sums.begin) == (WHOLE, WAIT, FIRST)
    assert sums.own == pytest.approx(WHOLE - WAIT)
    assert verdict.saved == pytest.approx(WAIT - FIRST)
    # 98 later batches wait 3.9 s, 100 steps take 4 s: one worker loads as fast as the steps go.
    assert verdict.keeps_up == 1


def test_processors_limit_what_workers_save(tmp_path: Path) -> None:
    """Without workers the process loads for 3.9 s. Two processors limit the advice to two workers,
    which load the same in 1.95 s, of which 0.5 s pass during the steps: the rest of 3.9 s is the
    potential saving."""
    job = run_of(0, 0, 0, 0, 0, **COMPUTES, PROCESSORS=2)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        (verdict,) = verdicts(Facts(log, None, processes(log)))
    assert verdict.saved == pytest.approx(3.9 - (1.95 - 0.5))


def test_first_batches_are_saved_if_workers_stay(tmp_path: Path) -> None:
    """Persistent workers save the waits for the first batches of later epochs."""
    # A batch takes one of the two workers 0.1 s: 100 batches in 5 s, beside first batches.
    values = {"F_NEXT_PROCESSOR_TIME": 0.0, "F_FIRST_TIME": 3.0}
    for persistent, saved in ((0, (3.0 - 2 * 0.1) / 2), (1, 1.0)):
        job = run_of(2, 16, 10, 2, 0, PERSISTENT=persistent, **values)
        with open_log(write(job, tmp_path / f"{persistent}.darshan")) as log:
            (verdict,) = verdicts(Facts(log, None, processes(log)))
        assert verdict.saved == pytest.approx(saved)


def test_ranks_that_wait_for_one(tmp_path: Path) -> None:
    """The potential saving is from the wait of the slowest rank. The report lists ranks only if
    their waits differ."""
    loader = number_of(LOADER.name)
    whole = row("TRAINING", LOADER.name, **{**LOADER.values, "LOADER": loader, "PROCESSES": 2})

    def verdict(name: str, *waits: float) -> Verdict:
        ranks = [
            row("TRAINING", f"rank {n} of x", KIND=2, LOADER=loader, RANK=n, EPOCHS=2, STEPS=50,
                F_EPOCH_TIME=4.0, F_NEXT_TIME=wait)
            for n, wait in enumerate(waits)
        ]  # fmt: skip
        with open_log(write(Job((whole, *ranks), nprocs=2), tmp_path / name)) as log:
            (found,) = verdicts(Facts(log, None, processes(log)))
        return found

    slow = verdict("slow", 1.0, 3.0)
    assert "Rank 1 waited 3.00 s for its data, the other rank 1.00 s" in slow.sentence
    assert slow.loader.part_of_run == pytest.approx(3 / 4)
    alike = verdict("alike", 2.0, 2.1)
    assert "Rank" not in alike.sentence
    assert alike.loader.part_of_run == pytest.approx(2.1 / 4.1)
    assert verdict("one", 2.0).loader.slowest is None
    assert verdict("damaged", math.nan, -1.0).loader.part_of_run == pytest.approx(1 / 2)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 1e300])
def test_damaged_times(tmp_path: Path, value: float) -> None:
    """Impossible times cause no impossible fractions or savings. value: of the times."""
    job = run_of(2, 16, 10, 2, 0, F_NEXT_TIME=value, F_EPOCH_TIME=value, STEPS=-5)
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        facts = Facts(log, None, processes(log))
        (verdict,) = verdicts(facts)
        assert 0 <= verdict.loader.sums.share <= 1
        assert 0 <= verdict.saved <= 1e9
        assert verdict.sentence
        assert remedy(verdict) if verdict.why != "nothing" else True


def test_forms(build: Path, tmp_path: Path) -> None:
    """JSON, text and web page have the waits of the training."""
    log = write(run_of(2, 16, 10, 2, 0), tmp_path / "a.darshan")

    def report(form: str) -> str:
        command = [build / "darshan", "report", form, "-o", "-", log]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    (entry,) = json.loads(report("--json"))["training"]
    assert entry["line"]["file"] == "/work/train.py"
    assert entry["all"]["wait_share"] == pytest.approx(WAIT / WHOLE)
    text = report("--text")
    assert "epoch              time       wait" in text
    assert "1. The training waits for its data" in text
    page = report("--html")
    assert "wait for data" in page
    assert "longest later" in page
    screen = subprocess.run(
        [build / "darshan", "stat", "-r", log], capture_output=True, text=True, check=True
    ).stderr
    assert "At the training loop of train.py:31." in page
    assert "At the training loop of train.py:31." in screen
