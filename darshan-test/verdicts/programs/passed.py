"""Programs that pass data to other processes, or through files that they remove: passed.py CASE
[cured|prepare]."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 4 << 20  # bytes
BLOCKS = 48
QUESTIONS = 40_000


def published_by_copy(cured: bool) -> None:
    """Writes files in one folder, and publishes them in another one."""
    Path("stage").mkdir()
    Path("public").mkdir()
    for number in range(24):
        path = Path("stage") / f"part{number}.bin"
        path.write_bytes(bytes([number]) * (16 << 20))
        if cured:
            os.replace(path, Path("public") / path.name)
        else:
            shutil.copy2(path, Path("public") / path.name)  # blame: published-by-copy
            path.unlink()


def array_grows(cured: bool) -> None:
    """Loads an array, adds a piece and saves the whole array again; cured: saves it once."""
    pieces = [np.full(16 << 10, number, "f8") for number in range(120)]
    if cured:
        np.save("all.npy", np.concatenate(pieces))
        return
    np.save("all.npy", pieces[0])
    for piece in pieces[1:]:
        array = np.concatenate([np.load("all.npy"), piece])
        np.save("all.npy", array)  # blame: array-grows


def folder_before_each(cured: bool) -> None:
    """Sums the sizes of all files before it adds one; cured: remembers the sum."""
    Path("folder").mkdir()
    known = 0
    for number in range(1200):
        with os.scandir("folder") as listed:
            paths = [] if cured else [entry.path for entry in listed]
        used = known if cured else sum(map(os.path.getsize, paths))  # blame: folder-before-each
        assert used == 100 * number
        Path(f"folder/{number}.txt").write_text("x" * 100)
        known += 100


def sorted_aside(_: bool) -> None:
    """Sorts what another step wrote: as many bytes, and no copy."""
    Path("stage").mkdir()
    generator = np.random.default_rng(1)
    for number in range(4):
        path = Path("stage") / f"part{number}.bin"
        generator.integers(0, 1 << 30, 1 << 20, "i8").tofile(path)
        values = np.fromfile(path, "i8")
        values.sort()
        values.tofile(path.name)
        path.unlink()


def _mean(block: bytes) -> int:
    return sum(block[:: 1 << 16])


def _mean_at(at: int) -> int:
    with open("blocks.bin", "rb") as file:
        file.seek(at * BLOCK)
        return _mean(file.read(BLOCK))


def _blocks() -> list[bytes]:
    with open("blocks.bin", "rb") as file:
        return [file.read(BLOCK) for _ in range(BLOCKS)]


def blocks_to_workers(cured: bool) -> None:
    """Reads a file and sends its blocks to workers, which a context manager ends by a signal."""
    with multiprocessing.Pool(2) as pool:
        if cured:
            found = pool.map(_mean_at, range(BLOCKS), chunksize=1)
        else:
            found = list(pool.imap(_mean, _blocks()))
    assert len(found) == BLOCKS


def blocks_to_executor(cured: bool) -> None:
    """Does the same with workers that end themselves."""
    with ProcessPoolExecutor(2) as pool:
        if cured:
            found = list(pool.map(_mean_at, range(BLOCKS)))
        else:
            found = list(pool.map(_mean, _blocks()))
    assert len(found) == BLOCKS


def prepare() -> None:
    """Writes the file of blocks."""
    with open("blocks.bin", "wb") as file:
        for number in range(BLOCKS):
            file.write(bytes([number]) * BLOCK)


def parts_by_workers(_: bool) -> None:
    """Sends each worker the place of its part."""
    blocks_to_workers(cured=True)


def _made(number: int) -> bytes:
    return bytes([number]) * BLOCK


def _saved(number: int) -> str:
    Path(f"block{number}").write_bytes(_made(number))
    return f"block{number}"


def results_of_workers(cured: bool) -> None:
    """Writes what workers computed."""
    with ProcessPoolExecutor(2) as pool:
        if cured:
            assert len(list(pool.map(_saved, range(BLOCKS)))) == BLOCKS
            return
        with open("blocks", "wb") as file:
            file.writelines(pool.map(_made, range(BLOCKS)))


def answer() -> None:
    """Answers the questions of another process."""
    for line in sys.stdin:
        print(int(line) * 2, flush=True)


def answer_all() -> None:
    """Answers the questions of another process, and empties its output when it is full."""
    sys.stdout.writelines(f"{int(line) * 2}\n" for line in sys.stdin)


def ponder() -> None:
    """Computes for each answer."""
    for line in sys.stdin:
        print(sum(int(line) ^ number for number in range(12_000)), flush=True)


def request() -> None:
    """Waits for a service for each answer."""
    for line in sys.stdin:
        time.sleep(0.001)
        print(line.strip(), flush=True)


def _ask(what: str, number: int) -> None:
    command = [sys.executable, __file__, what]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        for line in range(number):
            other.stdin.write(f"{line}\n")
            other.stdin.flush()
            assert other.stdout.readline()


def question_each(cured: bool) -> None:
    """Asks another program, and waits for each answer."""
    if cured:
        questions = "".join(f"{line}\n" for line in range(QUESTIONS))
        command = [sys.executable, __file__, "answer-all"]
        subprocess.run(command, input=questions, stdout=subprocess.PIPE, text=True, check=True)
        return
    _ask("answer", QUESTIONS)


def question_that_computes(_: bool) -> None:
    """Asks another program that needs most of the time for its answers."""
    _ask("ponder", 3000)


def _square(number: int) -> int:
    return number * number


def task_each(_: bool) -> None:
    """Sends workers a message for each of many small tasks."""
    with multiprocessing.Pool(2) as pool:
        assert sum(pool.imap(_square, range(QUESTIONS))) > 0


def tasks_in_chunks(_: bool) -> None:
    """Sends workers many tasks with each message."""
    with multiprocessing.Pool(2) as pool:
        assert sum(pool.imap(_square, range(QUESTIONS), chunksize=500)) > 0


def _sum_of(task: tuple[Mapping[str, float], int]) -> float:
    table, part = task
    return sum(table[f"gene{i % 5000}"] for i in range(part, 24_000, 2))


def values_of_a_manager(cured: bool) -> None:
    """Lets two workers look values up in a dict of a Manager; cured: in a plain dict."""
    plain = {f"gene{i}": i % 97 / 8 for i in range(5000)}
    with multiprocessing.Manager() as manager:
        table: Any = plain if cured else manager.dict(plain)
        with multiprocessing.Pool(2) as pool:
            assert sum(pool.map(_sum_of, [(table, 0), (table, 1)])) > 0


def _sum_of_copy(task: tuple[Any, int]) -> float:
    table, part = task
    return _sum_of((table.copy(), part))


def copy_of_a_manager(_: bool) -> None:
    """Lets two workers take a copy of a dict of a Manager, and look values up in it."""
    plain = {f"gene{i}": i % 97 / 8 for i in range(5000)}
    with multiprocessing.Manager() as manager, multiprocessing.Pool(2) as pool:
        table = manager.dict(plain)
        for _turn in range(10):
            assert sum(pool.map(_sum_of_copy, [(table, 0), (table, 1)])) > 0


def question_to_a_service(_: bool) -> None:
    """Asks another program that waits for something else before each answer."""
    _ask("request", 2500)


def packed_scratch(cured: bool) -> None:
    """Packs an array for the next step, which removes it."""
    values = np.cumsum(np.random.default_rng(1).integers(-3, 4, 400_000)).astype("i4")
    for number in range(4):
        path = f"step{number}.gz"
        with gzip.open(path, "wb", compresslevel=1 if cured else 9) as file:
            file.write(values.tobytes())
        with gzip.open(path) as file:
            assert len(file.read()) == values.nbytes
        os.unlink(path)


def packed_results(_: bool) -> None:
    """Packs results that stay."""
    values = np.cumsum(np.random.default_rng(1).integers(-3, 4, 400_000)).astype("i4")
    with gzip.open("result.gz", "wb", compresslevel=9) as file:
        file.write(values.tobytes())
    with gzip.open("result.gz") as file:
        assert len(file.read()) == values.nbytes


def saved_scratch(_: bool) -> None:
    """Saves arrays without compression, reads them again and removes them."""
    values = np.random.default_rng(1).integers(-3, 4, 1 << 20)
    for number in range(8):
        np.savez(f"step{number}.npz", values=np.sort(values + number))
        assert len(np.load(f"step{number}.npz")["values"]) == len(values)
        os.unlink(f"step{number}.npz")


def prepare_photos() -> None:
    """Makes files that do not shrink, and one of text that does."""
    generator = np.random.default_rng(1)
    for number in range(24):
        Path(f"img{number}.jpg").write_bytes(generator.bytes(1 << 20))
    Path("calls.vcf").write_text("chr1\t1234\tA\tG\t37\tPASS\n" * 700_000)


def photos_packed(cured: bool) -> None:
    """Packs photos into an archive; cured: stores them."""
    way = zipfile.ZIP_STORED if cured else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile("photos.zip", "w", way) as archive:
        for number in range(24):
            archive.write(f"img{number}.jpg")  # blame: photos-packed


def photos_in_tar(cured: bool) -> None:
    """Does the same with tar."""
    with tarfile.open("photos.tar", "w" if cured else "w:gz") as archive:
        for number in range(24):
            archive.add(f"img{number}.jpg")  # blame: photos-in-tar


def lines_packed(cured: bool) -> None:
    """Gives line by line to a compressor without a buffer; cured: with one."""
    with open("calls.vcf", "rb") as source, gzip.open("few.gz", "wb", compresslevel=1) as packed:
        target = io.BufferedWriter(packed, 1 << 18) if cured else packed
        for line in source:
            if line[0:1] != b"#":
                target.write(line)  # blame: lines-packed
        target.flush()


if __name__ == "__main__":
    case, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode == ["prepare"]:
        if case in ("photos_packed", "photos_in_tar", "lines_packed"):
            prepare_photos()
        elif case in ("blocks_to_workers", "blocks_to_executor", "parts_by_workers"):
            prepare()
    elif case in ("answer", "answer_all", "ponder", "request"):
        globals()[case]()
    else:
        globals()[case](mode == ["cured"])
