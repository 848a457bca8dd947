"""A changed bit in a file of a lake is found, wherever it is, by queries and by `darshan lake
check`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
from darshan_report.lake import LakeError
from darshan_report.lake import open as open_lake
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.verify import all_wrong
from sample import everything, seed

from .conftest import Run
from .rows import committed, make_logs

SQL = "SELECT sum(bytes_written) AS b FROM jobs"


def _lake(darshan: Run, where: Path) -> Path:
    """Makes a lake of four logs in a folder. Returns its path."""
    make_logs(where / "logs", 4)
    assert darshan("collect", "--into", "lake", "--workers", "1", "logs").returncode == 0
    return where / "lake"


@contextmanager
def _flipped(path: Path, bit: int) -> Iterator[None]:
    """Changes one bit of a file within the context, and restores it afterwards. bit: its index in
    the file."""
    content = path.read_bytes()
    worse = bytearray(content)
    worse[bit // 8] ^= 1 << bit % 8
    path.write_bytes(worse)
    yield
    path.write_bytes(content)


def test_every_bit_counts(darshan: Run, tmp_path: Path) -> None:
    """If any bit of a file of the table jobs is changed, also in its footer, verify() names this
    file. The deep check finds a changed bit in a file of any table."""
    lake = _lake(darshan, tmp_path)
    rng = random.Random(seed())
    with open_lake(lake) as asked:
        want = asked.sql(SQL).rows()
        for _ in range(400 if everything() else 60):
            path = lake / rng.choice(committed(lake)["jobs"])
            with _flipped(path, rng.randrange(8 * path.stat().st_size)):
                try:
                    asked.verify({"jobs"})
                except LakeError as error:
                    assert path.name in str(error)
                else:
                    raise AssertionError((path, seed()))
        asked.verify(asked.tables)
        assert asked.sql(SQL).rows() == want
    for file in Snapshot(str(lake)).files.values():
        with _flipped(lake / file.path, rng.randrange(8 * file.bytes)):
            assert len(list(all_wrong(str(lake), [file]))) == 1


def test_a_question_is_verified(darshan: Run, tmp_path: Path) -> None:
    """`darshan ask --verify` checks the files that the query reads, and no files of other tables or
    days."""
    lake = _lake(darshan, tmp_path)
    jobs = lake / committed(lake)["jobs"][0]
    layers = lake / committed(lake)["layers"][0]
    verified = ("ask", "lake", "--verify", "--json")
    with _flipped(layers, 8 * (layers.stat().st_size // 2)):
        for query in (["users"], ["--sql", SQL]):
            assert darshan(*verified, *query).returncode == 0
        done = darshan(*verified, "small-writes")
        assert done.returncode == 1 and layers.name in done.stderr and not done.stdout
    with _flipped(jobs, 8 * (jobs.stat().st_size // 2)):
        done = darshan(*verified, "--sql", SQL)
        assert done.returncode == 1 and "another content" in done.stderr, done
        assert done.stderr.count("\n") == 1 and not done.stdout
        assert darshan(*verified, "users", "--since", "2030-01-01").returncode == 0
    files = lake / committed(lake)["files_posix"][0]
    with _flipped(files, 8 * (files.stat().st_size // 2)):  # this question reads it for all days
        done = darshan(*verified, "never-read", "--since", "2030-01-01")
        assert done.returncode == 1 and files.name in done.stderr, done


def test_checks_go_round(darshan: Run, tmp_path: Path) -> None:
    """`darshan lake check` reads a part of the files each time, beginning after those of the
    previous check, so that all are checked after some runs."""
    lake = _lake(darshan, tmp_path)
    number = len(Snapshot(str(lake)).files)
    whole = darshan("lake", "check", "lake")
    assert f"contents of {number} files" in whole.stdout, whole.stdout
    bad = lake / sorted(committed(lake)["findings"])[0]
    with _flipped(bad, 8 * (bad.stat().st_size // 2)):
        said = [darshan("lake", "check", "--part", "1", "lake") for _ in range(number)]
        found = [done for done in said if done.returncode == 1]
        assert len(found) == 1 and bad.name in found[0].stderr, (number, len(found))
        assert all("contents of 1 files" in done.stdout for done in said)
        assert darshan("lake", "check", "--part", "0", "lake").returncode == 0
        assert darshan("lake", "check", "lake").returncode == 1
        assert darshan("lake", "check", "--deep", "lake").returncode == 1


def test_each_writer_keeps_hashes(darshan: Run, tmp_path: Path) -> None:
    """Commits of collect, compact and prune have a hash of each file. Files of earlier releases,
    which have none, are checked by the checksums of their pages."""
    lake = _lake(darshan, tmp_path)
    assert darshan("lake", "prune", "--user", "user1", "lake").returncode == 0
    make_logs(tmp_path / "more", 3, first=4)
    assert darshan("collect", "--into", "lake", "--compact", "more").returncode == 0
    assert all(re.fullmatch("[0-9a-f]{32}", f.hash) for f in Snapshot(str(lake)).files.values())
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    for path in (lake / "_commits").glob("*.json"):
        said = json.loads(path.read_text())
        for file in said.get("add", said.get("files", [])):
            del file["hash"]
        path.write_text(json.dumps(said))
    assert darshan("lake", "check", "lake").returncode == 0
    bad = lake / Snapshot(str(lake)).of("files_posix")[0].path
    group = pq.read_metadata(bad).row_group(0)
    chunks = [group.column(number) for number in range(group.num_columns)]
    large = max(chunks, key=lambda chunk: chunk.total_compressed_size)
    begin = large.dictionary_page_offset or large.data_page_offset
    with _flipped(bad, 8 * (begin + large.total_compressed_size // 2)):
        done = darshan("lake", "check", "lake")
        assert done.returncode == 1 and bad.name in done.stderr, done
