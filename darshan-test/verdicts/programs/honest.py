"""Programs without a problem, as users write them: honest.py CASE [prepare]. They were written
after the rules were finished, from idioms and not from rules: the report must find no problem."""

from __future__ import annotations

import csv
import gzip
import heapq
import json
import logging
import mmap
import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

MIB = 1 << 20
# Each case uses only one library, because each library brings its own HDF5.
if sys.argv[1].startswith("nc-"):
    import netCDF4
elif sys.argv[1].startswith("table-"):
    import tables
else:
    import h5py


# --- input of the cases, made before the run that is judged ---------------------


def text() -> None:
    """Writes 4 MiB of words."""
    words = b" ".join(b"%d word" % (i * 7919 % 100003) for i in range(4 * MIB // 11))
    Path("text").write_bytes(words)


def big() -> None:
    """Makes a folder of 24 large files."""
    Path("big").mkdir()
    for i in range(24):
        Path(f"big/part{i:02}").write_bytes(os.urandom(MIB))


def sources() -> None:
    """Makes a folder of 150 small files."""
    Path("sources").mkdir()
    for i in range(150):
        Path(f"sources/unit{i}.c").write_bytes(b"int x%d;\n" % i * 500)


def cities() -> None:
    """Makes a database of 40,000 rows."""
    db = sqlite3.connect("cities.db")
    db.execute("create table city(id integer primary key, name text, people integer)")
    rows = ((i, f"city {i * 31 % 99991}", i * 17 % 1000003) for i in range(40000))
    db.executemany("insert into city values(?, ?, ?)", rows)
    db.commit()
    db.close()


def table() -> None:
    """Writes a table of 150,000 lines."""
    with open("table.csv", "w") as made:
        csv.writer(made).writerows([i, i * 0.5, f"name{i}"] for i in range(150000))


def samples() -> None:
    """Writes 32 MiB of numbers."""
    np.save("samples.npy", np.random.default_rng(1).random((8192, 512)))


NEEDS = {
    "csv-reader": table,
    "words-of-a-map": text,
    "sort-with-temporary-files": table,
    "gzip-a-log": text,
    "tar-of-parts": big,
    "zip-of-sources": sources,
    "mirror": big,
    "make-some": sources,
    "import-in-a-transaction": table,
    "look-up": cities,
    "batches-of-a-memmap": samples,
    "arrays-packed": samples,
    "hdf5-batches": samples,
    "pipe-to-a-program": table,
}


# --- text ----------------------------------------------------------------------


def csv_reader() -> None:
    """Adds up columns of a table."""
    with open("table.csv", newline="") as lines:
        assert sum(float(row[1]) for row in csv.reader(lines)) > 0


def json_lines() -> None:
    """Writes records as lines of JSON, then copies every second one to another file."""
    with open("all.jsonl", "w") as made:
        for i in range(60000):
            made.write(json.dumps({"i": i, "value": i * 0.25}) + "\n")
    with open("all.jsonl") as source, open("odd.jsonl", "w") as odd:
        odd.writelines(line for line in source if json.loads(line)["i"] % 2)


def log_of_a_service() -> None:
    """Logs during the work: each record reaches the file at once, as it should."""
    logging.basicConfig(filename="service.log", level=logging.INFO)
    for step in range(60):
        time.sleep(0.02)
        logging.info("step %d done", step)


def words_of_a_map() -> None:
    """Searches a mapped file for all places of a word."""
    with open("text", "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        place, found = mapped.find(b"77 word"), 0
        while place >= 0:
            place, found = mapped.find(b"77 word", place + 1), found + 1
        assert found


def sort_with_temporary_files() -> None:
    """Sorts more lines than fit in memory: sorted runs, merged."""
    runs = []
    with open("table.csv") as table:
        while lines := table.readlines(MIB):
            run = tempfile.TemporaryFile("w+", dir=".")  # noqa: SIM115 - merged below
            run.writelines(sorted(lines))
            run.seek(0)
            runs.append(run)
    with open("sorted.csv", "w") as made:
        made.writelines(heapq.merge(*runs))


# --- archives and copies -------------------------------------------------------


def gzip_a_log() -> None:
    """Compresses a file, and reads the compressed file."""
    with open("text", "rb") as source, gzip.open("text.gz", "wb", 1) as packed:
        shutil.copyfileobj(source, packed)
    with gzip.open("text.gz") as packed:
        assert len(packed.read()) > MIB


def tar_of_parts() -> None:
    """Writes an archive of a folder of large files."""
    with tarfile.open("big.tar", "w") as tar:
        tar.add("big")


def zip_of_sources() -> None:
    """Reads each of 150 small files once, and writes them into an archive."""
    with zipfile.ZipFile("sources.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(Path("sources").iterdir()):
            packed.write(path)


def mirror() -> None:
    """Copies newer files; all files are newer."""
    shutil.copytree("big", "copy")
    for path in Path("big").iterdir():
        assert (Path("copy") / path.name).stat().st_mtime >= path.stat().st_mtime - 1


def make_some() -> None:
    """Times of all sources are compared, and a few are compiled."""
    for _ in range(3):
        old = [path for path in Path("sources").iterdir() if path.stat().st_mtime > 0]
    for path in old[:12]:
        text = path.read_text()
        time.sleep(0.05)
        path.with_suffix(".o").write_bytes(text.encode() * 20)


def disk_use() -> None:
    """Stats each file of a tree once, like du."""
    total = sum(entry.stat().st_size for folder, _, _ in os.walk(".") for entry in
                os.scandir(folder))  # fmt: skip
    assert total > MIB
    time.sleep(0.5)


# --- databases -----------------------------------------------------------------


def import_in_a_transaction() -> None:
    """Fills a table of SQLite from a file, and makes an index, in one transaction."""
    db = sqlite3.connect("new.db")
    with db:
        db.execute("create table t(i integer, v real, name text)")
        with open("table.csv", newline="") as table:
            db.executemany("insert into t values(?, ?, ?)", csv.reader(table))
        db.execute("create index by_name on t(name)")
    db.close()


def look_up() -> None:
    """Reads 5,000 rows by key, from pages that the database caches."""
    db = sqlite3.connect("cities.db")
    db.execute("pragma cache_size=-65536")
    assert db.execute("select count(*), sum(people) from city where name > 'a'").fetchone()[0]
    for i in range(5000):
        assert db.execute("select name from city where id = ?", (i * 7,)).fetchone()
    db.close()


def journal_ahead() -> None:
    """Makes ten transactions of 2,000 rows each, with SQLite's write-ahead log."""
    db = sqlite3.connect("wal.db")
    db.execute("pragma journal_mode=wal")
    db.execute("pragma synchronous=normal")
    db.execute("create table t(i integer, v real)")
    for step in range(10):
        with db:
            db.executemany("insert into t values(?, ?)", ((i, step) for i in range(2000)))
    db.close()


# --- arrays --------------------------------------------------------------------


def batches_of_a_memmap() -> None:
    """Batches of consecutive samples, in random order."""
    samples = np.load("samples.npy", mmap_mode="r")
    order = list(range(0, 8192, 256))
    random.Random(1).shuffle(order)
    assert sum(float(np.array(samples[i : i + 256]).sum()) for i in order) > 0


def checkpoint() -> None:
    """Saves the state three times: writes a new file, syncs it once, renames it."""
    state = np.ones((16, MIB // 8))
    for _ in range(3):
        time.sleep(0.15)
        with open("state.new", "wb") as file:
            state.tofile(file)
            file.flush()
            os.fsync(file.fileno())
        os.rename("state.new", "state.npy")


def arrays_packed() -> None:
    """Writes several arrays to one compressed file, and reads one of them."""
    rows = np.load("samples.npy")[:2048]
    np.savez_compressed("some.npz", rows=rows.astype("f4"), mean=rows.mean(0), top=rows.max(0))
    with np.load("some.npz") as packed:
        assert packed["mean"].shape == (512,)


def model_pickled() -> None:
    """Saves a model by pickle, and loads it."""
    model = {f"layer{i}": np.ones((512, 512)) for i in range(12)}
    with open("model.pickle", "wb") as file:
        pickle.dump(model, file, protocol=5)
    with open("model.pickle", "rb") as file:
        assert len(pickle.load(file)) == 12


def folder_of_chunks() -> None:
    """Writes an array as 48 files of 1 MiB and a description, as zarr does; reads half of them."""
    Path("array").mkdir()
    Path("array/zarr.json").write_text(json.dumps({"shape": [48, 131072], "chunks": [1, 131072]}))
    Path("array/c").mkdir()
    for i in range(48):
        np.full(131072, i, "f8").tofile(f"array/c/{i}")
    for i in range(0, 48, 2):
        assert np.fromfile(f"array/c/{i}")[0] == i


def hdf5_grows() -> None:
    """Steps of 1 MiB are appended; the file is flushed twice."""
    with h5py.File("steps.h5", "w") as file:
        made = file.create_dataset("x", (0, 131072), "f8", maxshape=(None, 131072),
                                   chunks=(1, 131072))  # fmt: skip
        for step in range(40):
            made.resize(step + 1, 0)
            made[step] = step
            if step % 20 == 19:
                file.flush()


def hdf5_packed() -> None:
    """Writes data that compresses well, in chunks that are read whole."""
    with h5py.File("packed.h5", "w") as file:
        values = np.repeat(np.arange(4096), 1024).reshape(4096, 1024)
        file.create_dataset("x", data=values, chunks=(256, 1024), compression="gzip", shuffle=True)
        file["x"].attrs["unit"] = "m"
    with h5py.File("packed.h5") as file:
        for i in range(0, 4096, 256):
            assert file["x"][i : i + 256].min() == i


def hdf5_batches() -> None:
    """Reads samples of an HDF5 file in batches of 256 consecutive ones, as a loader does."""
    with h5py.File("train.h5", "w") as file:
        file["x"] = np.load("samples.npy")
        file["y"] = np.arange(8192)
    with h5py.File("train.h5") as file:
        labels = file["y"][:]
        for i in range(0, 8192, 256):
            assert file["x"][i : i + 256].shape == (256, 512)
            assert labels[i] == i


def hdf5_file_per_step() -> None:
    """Writes a file for each step, with attributes that describe it."""
    for step in range(10):
        with h5py.File(f"step{step}.h5", "w") as file:
            for name in ("density", "pressure"):
                made = file.create_dataset(name, data=np.full((256, 1024), float(step)))
                made.attrs.update(unit="SI", step=step, time=step * 0.5)


def hdf5_restart() -> None:
    """Writes the state, and reads it again when the job continues."""
    names = [f"field{i}" for i in range(6)]
    with h5py.File("restart.h5", "w") as file:
        for name in names:
            file[name] = np.ones((512, 512))
        file.attrs["step"] = 12
    with h5py.File("restart.h5") as file:
        assert file.attrs["step"] == 12
        assert all(file[name][:].sum() > 0 for name in names)


def nc_followed() -> None:
    """Syncs each step of 4 MiB, so that a reader can follow the run."""
    with netCDF4.Dataset("followed.nc", "w") as data:
        data.createDimension("time", None)
        data.createDimension("cell", 1 << 19)
        made = data.createVariable("v", "f8", ("time", "cell"), chunksizes=(1, 1 << 17))
        for step in range(10):
            made[step] = np.full(1 << 19, float(step))
            data.sync()


def nc_records() -> None:
    """Writes large steps of five variables along an unlimited dimension, and syncs once at the
    end."""
    with netCDF4.Dataset("run.nc", "w") as data:
        data.createDimension("time", None)
        data.createDimension("cell", 32768)
        made = [
            data.createVariable(f"v{i}", "f8", ("time", "cell"), chunksizes=(1, 32768))
            for i in range(5)
        ]
        for step in range(20):
            for variable in made:
                variable[step] = np.full(32768, float(step))
        data.sync()


def nc_reads() -> None:
    """Writes the file of nc_records(), then reads each variable with one call."""
    nc_records()
    with netCDF4.Dataset("run.nc") as data:
        assert all(data[f"v{i}"][:].mean() > 0 for i in range(5))


def table_appended() -> None:
    """Rows of events, in the buffer that the table has."""
    with tables.open_file("events.h5", "w") as file:
        kind = np.dtype([("time", "f8"), ("energy", "f4"), ("id", "i8")])
        table = file.create_table("/", "events", kind, expectedrows=400000)
        for _ in range(4):
            table.append(np.zeros(100000, kind))
        table.flush()


# --- programs ------------------------------------------------------------------


def start_only() -> None:
    """Imports many modules and does little work."""
    Path("result").write_text("42\n")


def settings() -> None:
    """Reads a few settings, writes a few results, and works in between."""
    Path("settings.json").write_text(json.dumps({"steps": 4}))
    for step in range(json.loads(Path("settings.json").read_text())["steps"]):
        time.sleep(0.2)
        Path(f"out.{step}").write_text("result\n" * 100)


def pipe_to_a_program() -> None:
    """Lines go through another program."""
    with open("table.csv", "rb") as source, open("unique", "wb") as made:
        subprocess.run(["sort", "-u"], stdin=source, stdout=made, check=True)


if __name__ == "__main__":
    case = sys.argv[1]
    if sys.argv[2:] == ["prepare"]:
        NEEDS.get(case, Path)()
    else:
        globals()[case.replace("-", "_")]()
