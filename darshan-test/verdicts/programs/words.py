"""Programs for which the report once printed a wrong sentence: words.py CASE [cured|prepare]."""

from __future__ import annotations

import fcntl
import functools
import gzip
import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

# Each case uses only one library, because each library brings its own HDF5.
if sys.argv[1].startswith("h5-"):
    import h5py
elif sys.argv[1].startswith("table-"):
    import tables
elif sys.argv[1] == "log-rotated":  # imports that cost other cases more than they do
    import logging
    from logging.handlers import RotatingFileHandler

ROWS, COLUMNS = 3072, 4096


# --- Text --------------------------------------------------------------------------


def text_out(_: bool) -> None:
    """Numbers are written as text."""
    np.savetxt("stage.txt", np.arange(400_000.0).reshape(-1, 8) / 7)


def text_in(_: bool) -> None:
    """Numbers are read from text."""
    assert np.loadtxt("numbers.txt").shape == (200_000, 8)


def prepare_text_in() -> None:
    """Writes a table of numbers as text."""
    np.savetxt("numbers.txt", np.arange(1_600_000.0).reshape(-1, 8) / 7, fmt="%.6f")


# --- HDF5 --------------------------------------------------------------------------


def h5_part_of_packed(_: bool) -> None:
    """Reads a quarter of the columns of a compressed dataset."""
    with h5py.File("packed.h5") as file:
        part = file["x"][:, : COLUMNS // 4]
    assert part.shape == (ROWS, COLUMNS // 4)


def prepare_h5_part_of_packed() -> None:
    """Writes values that compression makes a quarter of their size."""
    values = np.random.default_rng(1).integers(0, 256, (ROWS, COLUMNS)).astype("u4")
    with h5py.File("packed.h5", "w") as file:
        chunks = (16, COLUMNS)
        file.create_dataset("x", data=values, chunks=chunks, compression="gzip", shuffle=True)


def h5_file_each_sample(cured: bool) -> None:
    """Opens the file for each sample of a training set."""
    if cured:
        with h5py.File("samples.h5") as file:
            assert file["x"][:].sum() > 0
        return
    for i in range(1500):
        with h5py.File("samples.h5") as again:
            assert again["x"][i % 500, 0] == i % 500


def prepare_h5_file_each_sample() -> None:
    """Writes 500 samples."""
    with h5py.File("samples.h5", "w") as file:
        file["x"] = np.repeat(np.arange(500.0), 16).reshape(500, 16)


def h5_name_each(cured: bool) -> None:
    """f['x'][i] for each row: the dataset is opened, and its cache dropped, each time."""
    with h5py.File("rows.h5") as file:
        x = file["x"] if cured else None
        for i in range(200):
            row = (file["x"] if x is None else x)[i]
            assert row[0] == i


def prepare_h5_name_each() -> None:
    """Chunks of 100 rows, compressed."""
    values = np.repeat(np.arange(400.0), 1000).reshape(400, 1000)
    with h5py.File("rows.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(100, 1000), compression="gzip")


def prepare_h5_event_each() -> None:
    """Stores each event as a group, and all of them in two arrays, too."""
    events = 4000
    with h5py.File("f.h5", "w") as file:
        file["time"], file["height"] = np.arange(events), np.ones(events)
        for number in range(events):
            group = file.create_group(f"events/e{number}")
            group.attrs["time"] = number
            group["height"] = 1.0


def h5_event_each(cured: bool) -> None:
    """Reads the values of events one by one: the libraries between the program and HDF5 work for
    each of them."""
    with h5py.File("f.h5") as file:
        if cured:
            assert (file["time"][:] * file["height"][:]).sum() > 0
            return
        total = 0.0
        for name in file["events"]:
            event = file["events"][name]  # blame: h5-event-each
            total += float(event.attrs["time"]) * float(event["height"][()])  # blame: h5-event-each
        assert total > 0


def table_flush_rows(cured: bool) -> None:
    """Flushes the table after each row."""
    kind = np.dtype([("step", "i8"), ("value", "f8")])
    with tables.open_file("t.h5", "w") as file:
        table = file.create_table("/", "log", kind)
        for i in range(3000):
            table.append([(i, i * 0.5)])
            if not cured:
                table.flush()


# --- files -------------------------------------------------------------------------


def results_each_step(cured: bool) -> None:
    """Writes two files of results whole after each step."""
    results: list[dict[str, float]] = []
    for step in range(600):
        results.append({"step": step, "value": step * 0.5})
        if not cured or step == 599:
            Path("results.json").write_text(json.dumps(results))
            table = "".join(f"{row['step']},{row['value']}\n" for row in results)
            Path("results.csv").write_text(table)


def replaced_each_step(cured: bool) -> None:
    """Writes all results to a new file at each step, and renames it to the old name, which is right
    if a crash may occur; cured: only after the last step."""
    results: list[int] = []
    for step in range(500):
        results.append(step)
        if not cured or step == 499:
            name = f".results.{step}.tmp"
            Path(name).write_text(json.dumps(results))
            os.replace(name, "results.json")


def snapshots_kept(_: bool) -> None:
    """Writes each snapshot under one name, and renames it to a name with the step's number."""
    for step in range(40):
        np.full(1 << 18, step).tofile("snapshot")
        os.rename("snapshot", f"snapshot-{step:04}")


def log_rotated(cured: bool) -> None:
    """Logs to files that are full after few lines, each time renaming all older ones; cured: one
    large file suffices."""
    size = 10_000_000 if cured else 1500
    handler = RotatingFileHandler("solver.log", maxBytes=size, backupCount=150)
    log = logging.getLogger("solver")
    log.addHandler(handler)
    for step in range(9000):
        log.warning("step %d: residual %.6e", step, 1 / (step + 1))  # blame: log-rotated


def record_edited(cured: bool) -> None:
    """Copies the whole table for each record that changes; cured: writes only the record."""
    Path("table.bin").write_bytes(bytes(1 << 20))
    for step in range(80):
        if cured:
            with open("table.bin", "r+b") as file:
                file.seek(8 * step)
                file.write(b"new rows")
            continue
        table = bytearray(Path("table.bin").read_bytes())
        table[8 * step : 8 * step + 8] = b"new rows"
        Path("table.new").write_bytes(table)
        os.replace("table.new", "table.bin")


def restart_and_save(_: bool) -> None:
    """A simulation reads its last state once, and saves each state as a new file."""
    Path("state.bin").write_bytes(bytes(4 << 20))
    state = np.frombuffer(Path("state.bin").read_bytes(), "f8").copy()
    for _ in range(12):
        for _ in range(40):
            state = np.sqrt(state + 1.0)
        state.tofile("state.new")
        os.replace("state.new", "state.bin")


def saved_by_rename(cured: bool) -> None:
    """Writes each record under a temporary name, and renames it."""
    if cured:
        with open("all.new", "w") as file:
            for step in range(1200):
                file.write(f"record {step}\n")
        os.replace("all.new", "all")
        return
    for step in range(1200):
        with open("record.new", "w") as file:
            file.write(f"record {step}")
        os.replace("record.new", f"record-{step}")


def locked_alone(cured: bool) -> None:
    """Only one process uses the file, and locks it for each record."""
    with open("records", "wb", buffering=0) as file:
        if cured:
            fcntl.flock(file, fcntl.LOCK_EX)
        for step in range(100_000):
            if not cured:
                fcntl.flock(file, fcntl.LOCK_EX)
            if step % 100 == 0:
                file.write(bytes(64))
            if not cured:
                fcntl.flock(file, fcntl.LOCK_UN)


def _append_records(worker: int, cured: bool) -> None:
    with open("records", "ab", buffering=0) as file:
        for step in range(30_000):
            if cured and step % 1000:
                continue
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(b"%d %d\n" % (worker, step) * (1000 if cured else 1))
            fcntl.flock(file, fcntl.LOCK_UN)


def locked_by_workers(cured: bool) -> None:
    """Four workers lock a file for each record; cured: for each block of records."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_append_records, args=(i, cured)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def images(cured: bool) -> None:
    """Reads images from one file each; the first read of each file waits for the disk."""
    if cured:
        data = Path("all.bin").read_bytes()
        assert len(data) > 1_000_000
        return
    for i in range(1100):
        with open(f"images/{i}.jpg", "rb") as file:
            assert len(file.read()) == 1000


def prepare_images() -> None:
    """Writes 1,100 images, and the same images in one file."""
    os.mkdir("images")
    for i in range(1100):
        Path(f"images/{i}.jpg").write_bytes(bytes(1000))
    Path("all.bin").write_bytes(bytes(1_100_000))


def many_imports(cured: bool) -> None:
    """Imports many modules, then works on one file."""
    sys.path.insert(0, str(Path("venv/lib/python3/site-packages").resolve()))
    for i in range(0, 700, 100 if cured else 1):
        importlib.import_module(f"wanted{i}")
    Path("out").write_bytes(bytes(1 << 20))


def prepare_many_imports() -> None:
    """Writes 700 modules into a virtual environment."""
    sys.dont_write_bytecode = True
    place = Path("venv/lib/python3/site-packages")
    place.mkdir(parents=True)
    for i in range(700):
        (place / f"wanted{i}.py").write_text(f"VALUE = {i}\n")


def look_ups(_: bool) -> None:
    """Looks for 900 names that do not exist, in 90 folders."""
    for i in range(900):
        assert not os.path.exists(f"folder{i % 90}/wanted{i}")


def looked_for(cured: bool) -> None:
    """Checks name by name, in two folders, which results exist already."""
    if cured:
        there = {*os.listdir("done"), *os.listdir("older")}
        assert not there
        return
    for i in range(2000):
        assert not os.path.exists(f"done/result{i}.json")
        assert i % 4 or not os.path.exists(f"older/result{i}.json")


def prepare_looked_for() -> None:
    """Makes both folders, without a result."""
    os.mkdir("done")
    os.mkdir("older")


def pieces_of_many(cured: bool) -> None:
    """Reads each of 100 files in pieces of 512 bytes."""
    for i in range(100):
        with open(f"parts/{i}", "rb", buffering=0) as file:
            while file.read(1 << 20 if cured else 512):
                pass


def prepare_pieces_of_many() -> None:
    """Writes 100 files of 100 KB."""
    os.mkdir("parts")
    for i in range(100):
        Path(f"parts/{i}").write_bytes(bytes(100_000))


def random_reads(cured: bool) -> None:
    """Records here and there in a file that fits into memory."""
    places = np.random.default_rng(1).integers(0, 4000, 4000) * 1024
    if cured:
        data = Path("records").read_bytes()
        assert all(len(data[place : place + 100]) == 100 for place in places)
        return
    with open("records", "rb", buffering=0) as file:
        for place in places:
            file.seek(place)
            assert len(file.read(100)) == 100


def prepare_random_reads() -> None:
    """Writes 4 MB."""
    Path("records").write_bytes(bytes(4096 * 1024))


@contextmanager
def crowded() -> Iterator[None]:
    """Allows this process one processor, which it shares with three programs that only compute and
    have a higher priority; afterwards ends them."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spin = ["sh", "-c", "echo; while :; do :; done"]
    others = [subprocess.Popen(spin, env={}, stdout=subprocess.PIPE) for _ in range(3)]
    assert all(other.stdout and other.stdout.readline() for other in others)
    os.nice(5)
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def lines_crowded(_: bool) -> None:
    """Counts the lines of a text in the page cache while other programs use the processor."""
    with crowded(), open("text", encoding="ascii") as file:
        assert sum(1 for _ in file) == 320_000


def prepare_lines_crowded() -> None:
    """Writes 64 MB."""
    Path("text").write_text(f"{'some words ' * 18}\n" * 320_000)


def packed_crowded(_: bool) -> None:
    """Lines of a compressed text are counted in the same way."""
    with crowded(), gzip.open("packed.gz", "rt") as packed:
        assert sum(1 for _ in packed) == 3


def prepare_packed_crowded() -> None:
    """Writes 48 MiB of text into a gzip file without compression (level 0)."""
    lines = (np.random.default_rng(1).bytes(16 << 20).hex()[: 16 << 20] for _ in range(3))
    with gzip.open("packed.gz", "wt", 0) as packed:
        packed.writelines(f"{line}\n" for line in lines)


def imports_and_array(_: bool) -> None:
    """Imports some modules (together with those of numpy, fewer than the rule's threshold), and
    reads one large array at once."""
    sys.path.insert(0, str(Path("venv/lib/python3/site-packages").resolve()))
    for i in range(150):
        importlib.import_module(f"wanted{i}")
    assert np.fromfile("array").sum() == 0


def prepare_imports_and_array() -> None:
    """Writes modules, and an array of 16 MB."""
    prepare_many_imports()
    np.zeros(1 << 21).tofile("array")


def kept_aside(cured: bool) -> None:
    """Rewrites an index for each entry; the previous version is preserved as index.bak."""
    for i in range(20 if cured else 500):
        if i and not cured:
            os.rename("index.dir", "index.bak")
        with open("index.dir", "a" if cured else "w", encoding="ascii") as file:
            file.writelines([f"entry {i}\n"] if cured else [f"entry {j}\n" for j in range(500 + i)])
        assert cured or i % 50 or Path("index.dir").read_text()


def chunks_by_rename(cured: bool) -> None:
    """Writes like zarr: each chunk is written under a temporary name and renamed."""
    os.mkdir("array")
    if cured:
        Path("array/all").write_bytes(bytes(1200 * 500))
        return
    for i in range(1200):
        partial = f"array/{i}.{(i + 1) * 0x9E3779B97F4A7C15 % 2**64:016x}.partial"
        Path(partial).write_bytes(bytes(500))
        os.rename(partial, f"array/{i}")
    assert all(len(Path(f"array/{i}").read_bytes()) == 500 for i in range(1200))


def files_by_threads(cured: bool) -> None:
    """Reads 2,000 small files twice, in eight threads; cured: reads the same bytes in one file."""
    names = ["many.txt"] if cured else [f"parts/{i % 2000}" for i in range(4000)]
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda name: len(Path(name).read_bytes()), names))


def prepare_files_by_threads() -> None:
    """Writes 2,000 small files, and the same bytes in one file."""
    os.mkdir("parts")
    for i in range(2000):
        Path(f"parts/{i}").write_bytes(b"some words\n")
    Path("many.txt").write_bytes(b"some words\n" * 2000)


# --- first contact of 24 November 2026 ---------------------------------------------


def search_path(cured: bool) -> None:
    """Each texture is searched in 80 folders, and is in the last folder."""
    for i in range(2000):
        folders = range(79 if cured else 0, 80)
        assert any(os.access(f"path/{folder}/{i % 100}.png", os.R_OK) for folder in folders)


def prepare_search_path() -> None:
    """Makes 80 folders; the last one has 100 textures."""
    for folder in range(80):
        os.makedirs(f"path/{folder}")
    for i in range(100):
        Path(f"path/79/{i}.png").write_bytes(b"a texture")


def members_of_zip(_: bool) -> None:
    """Opens the archive, and so parses its directory, for each member."""
    for i in range(40):
        with zipfile.ZipFile("pages.zip") as archive:
            assert archive.read(f"page{i}.txt")


def prepare_members_of_zip() -> None:
    """Writes a zip archive of 5,000 pages."""
    with zipfile.ZipFile("pages.zip", "w") as archive:
        for i in range(5000):
            archive.writestr(f"page{i}.txt", f"the text of page {i}" * 10)


def state_each_page(_: bool) -> None:
    """Formats and saves all state after each page."""
    state = {f"page{i}": {"size": i, "links": [i, i + 1, i + 2]} for i in range(5000)}
    for i in range(25):
        state[f"new{i}"] = {"size": i, "links": []}
        with open("state.json", "w", encoding="ascii") as file:
            file.write(json.dumps(state, indent=1, sort_keys=True))


def _sum_of(task: int) -> float:
    return float(np.load("reference.npy")[task::60].sum())


def array_in_each_task(cured: bool) -> None:
    """Each task of a pool loads the whole reference again."""
    if cured:
        reference = np.load("reference.npy")
        assert all(float(reference[task::60].sum()) > 0 for task in range(60))
        return
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(total > 0 for total in pool.map(_sum_of, range(60), chunksize=1))


def prepare_array_in_each_task() -> None:
    """Writes the array that all tasks need."""
    np.save("reference.npy", np.random.default_rng(1).random(2_000_000))


def _append_under_lock(worker: int, cured: bool) -> None:
    for i in range(60):
        with open("results", "a", encoding="ascii") as file:
            if cured:
                time.sleep(0.004)
            fcntl.flock(file, fcntl.LOCK_EX)
            if not cured:
                time.sleep(0.004)
            file.write(f"{worker} {i}\n")
            file.flush()


def one_lock(cured: bool) -> None:
    """Four workers wait for a lock, which each keeps while it queries an instrument."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_append_under_lock, args=(i, cured)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def blocks_of_a_tar(_: bool) -> None:
    """Writes an archive in blocks of 10 KiB, as tar does."""
    block = bytes(10240)
    with open("archive", "wb", buffering=0) as file:
        for _i in range(20000):
            file.write(block)


def text_by_file(cured: bool) -> None:
    """Passes each text to its parser through a temporary file; cured: in memory."""
    for i in range(1500):
        text = f"record {i}\n" * 20
        if not cured:
            with tempfile.NamedTemporaryFile("w", dir=".", delete=False) as file:
                file.write(text)
            text = Path(file.name).read_text("ascii")
            os.remove(file.name)
        assert len(text.split()) == 40


def text_tell(cured: bool) -> None:
    """Makes an index of a text: asks for the position before each line."""
    places, at = [], 0
    with open("text.txt", "rb" if cured else "r") as file:
        while line := file.readline():
            places.append(at)
            at = at + len(line) if cured else file.tell()  # blame: text-tell
    assert len(places) == 100_000


def prepare_text_tell() -> None:
    """Writes a text of 100,000 lines."""
    Path("text.txt").write_text("one of many lines of a text\n" * 100_000)


def times_each(cured: bool) -> None:
    """Asks for the time of each of 200 headers, for each of 400 sources that include them."""
    names = [f"headers/h{i}" for i in range(200)]
    time_of = functools.lru_cache(maxsize=None)(os.path.getmtime) if cured else os.path.getmtime
    newest = [max(time_of(name) for name in names) for _ in range(400)]  # blame: times-each
    assert len(set(newest)) == 1


def prepare_times_each() -> None:
    """Writes 200 headers."""
    os.mkdir("headers")
    for i in range(200):
        Path(f"headers/h{i}").write_text("int f(void);\n")


def little(_: bool) -> None:
    """Writes one file, and computes much."""
    Path("out").write_bytes(bytes(1000))
    begun = time.monotonic()
    while time.monotonic() - begun < 0.7:
        sum(range(10000))


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals().get(f"prepare_{name}", lambda: None)()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
