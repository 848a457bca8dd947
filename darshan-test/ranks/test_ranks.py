"""The log of a simulated job of many ranks follows the rules and limits of the format; if it cannot
be written completely, no log is left."""

from __future__ import annotations

import resource
import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.command import finished

from .model import TABLES, Record, merged, read, rules

# Numbers of ranks.
SIZES = (1, 2, 3, 7, 16, 21, 40)


@pytest.fixture
def play(build: Path) -> Path:
    """Returns the program that simulates many ranks."""
    return build / "darshan-test" / "ranks" / "play"


def run(play: Path, log: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """Runs the program. log: the log to write. options: of the program. Returns its output and exit
    status."""
    command = [str(x) for x in (play, *options, log)]
    return finished(command)


def made(play: Path, folder: Path, ranks: int, *options: object) -> tuple[Path, list[Path]]:
    """Simulates a job. Returns the log of all ranks, and the log of each rank. ranks: their number;
    options: of the program play."""
    each = folder / "each"
    each.mkdir()
    done = run(play, folder / "all.darshan", "--ranks", ranks, "--each", each, *options)
    assert done.stdout == f"0 of {ranks} ranks failed\n", done.stderr
    return folder / "all.darshan", [each / f"{n}.darshan" for n in range(ranks)]


def by_key(path: Path) -> dict[tuple[str, int], list[Record]]:
    """Returns the records of a log, by module and id."""
    out: dict[tuple[str, int], list[Record]] = {}
    for record in read(path):
        out.setdefault((record.module, record.id), []).append(record)
    return out


def same(found: Record, expected: Record) -> None:
    """Checks that a record has the rank and the values of the expected one."""
    assert found.rank == expected.rank
    for name, value in expected.values.items():
        if name == "F_VARIANCE_RANK_TIME":  # the log stores only 12 bits of it
            assert found.values[name] == pytest.approx(value, rel=2**-13, abs=1e-12), name
        elif name.startswith("F_"):
            assert found.values[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name
        else:
            assert found.values[name] == value, (found.module, found.id, name)


@pytest.mark.parametrize("ranks", SIZES)
@pytest.mark.parametrize("streams", [4 << 20, 1000])
def test_every_counter_is_merged_by_its_rule(
    play: Path, tmp_path: Path, ranks: int, streams: int
) -> None:
    """In the log of all ranks, every counter is merged from the ranks' own logs by its rule.
    streams: bytes of a rank's compression buffer; if it is small, nearly every rank writes other
    streams."""
    files = ("--shared", 6, "--own", 3, "--part", 12)
    log, each = made(play, tmp_path, ranks, *files, "--streams", streams)
    expected, found = merged(each), by_key(log)
    assert found.keys() == expected.keys()
    for key, records in expected.items():
        assert [r.rank for r in found[key]] == [r.rank for r in records], key
        for have, want in zip(found[key], records):
            same(have, want)


@pytest.mark.parametrize("ranks", (2, 16, 21))
def test_shared_records_and_names_are_in_the_order_of_rank_0(
    play: Path, tmp_path: Path, ranks: int
) -> None:
    """In the log of all ranks, shared records and names are in rank 0's order of first use:
    neighbouring records are similar, so the log is smaller than in the order of ids."""
    log, each = made(play, tmp_path, ranks, "--shared", 50, "--posix")

    def order(path: Path) -> tuple[list[int], list[int]]:
        with open_log(path) as opened:
            return opened.records("POSIX").ids.tolist(), list(opened.names())

    records, names = order(log)
    assert order(each[0]) == (records, names)
    assert len(records) >= 50 and records != sorted(records)


@pytest.mark.parametrize("ranks", (3, 16))
def test_variances_have_no_noise(play: Path, tmp_path: Path, ranks: int) -> None:
    """In the log of all ranks, the last 40 of the 52 bits of a variance's fraction are zero,
    because random bits do not compress and would be a tenth of the log."""
    log, _ = made(play, tmp_path, ranks, "--shared", 50, "--posix")
    values = [r.values["F_VARIANCE_RANK_TIME"] for r in read(log) if r.module == "POSIX"]
    bits = [int.from_bytes(struct.pack("<d", value), "little") for value in values]
    assert any(bits) and not any(b & (2**40 - 1) for b in bits)


@pytest.mark.parametrize("ranks", SIZES)
def test_partly_shared_records_say_of_whom_they_are(play: Path, tmp_path: Path, ranks: int) -> None:
    """A merged record of some of the ranks has a row in SHARED, with their number and the lowest
    and highest of them."""
    log, each = made(play, tmp_path, ranks, "--shared", 2, "--part", 12)
    with open_log(log) as opened:
        modules = {m.name: m.id for m in opened.modules()}
        rows = opened.records("SHARED").array if opened.info.region("SHARED") else []
        found = {(int(r["SHARED_MODULE"]), int(r["id"])): r for r in rows}
    expected = {
        (modules[key[0]], key[1]): record.ranks
        for key, (record,) in merged(each).items()
        if 1 < len(record.ranks) < ranks
    }
    counted = {modules[module] for module in TABLES if module in modules}
    assert {key for key in found if key[0] in counted} == expected.keys()
    for key, who in expected.items():
        row = found[key]
        assert row["SHARED_RANKS"] == len(who)
        assert (row["SHARED_LOWEST_RANK"], row["SHARED_HIGHEST_RANK"]) == (min(who), max(who))


def lustre(path: Path) -> list[tuple[int, int]]:
    """Returns id and rank of each Lustre record of a log."""
    with open_log(path) as log:
        return [
            (int.from_bytes(r[:8], "little"), int.from_bytes(r[8:16], "little", signed=True))
            for r in log.each("LUSTRE")
        ]


def test_of_lustre_one_record_stays_and_heat_maps_all(play: Path, tmp_path: Path) -> None:
    """A file of all ranks has one Lustre record, and each rank keeps its heat map."""
    log, each = made(play, tmp_path, 9, "--shared", 6, "--own", 2)
    all_ids = [{id for id, _ in lustre(path)} for path in each]
    shared, found = set.intersection(*all_ids), lustre(log)
    assert shared and Counter(id for id, rank in found if rank == -1) == Counter(shared)
    assert {id for id, rank in found if rank >= 0} == set.union(*all_ids) - shared
    with open_log(log) as opened:
        heat = list(opened.each("HEATMAP"))
    assert [int.from_bytes(r[8:16], "little") for r in heat] == list(range(9))


@pytest.mark.parametrize("streams", [4 << 20, 1000])
def test_every_id_has_its_name(play: Path, tmp_path: Path, streams: int) -> None:
    """The log has the names of all ranks' files. streams: bytes of a rank's buffer."""
    files = ("--shared", 5, "--own", 2, "--part", 9, "--streams", streams)
    log, each = made(play, tmp_path, 12, *files)
    expected: dict[int, str] = {}
    for path in each:
        with open_log(path) as opened:
            expected |= opened.names()
    with open_log(log) as opened:
        assert opened.names() == expected


def test_ranks_can_be_kept_apart(play: Path, tmp_path: Path) -> None:
    """Without the reduction of shared records, the log of a played job has the record of each
    rank."""
    log, each = made(play, tmp_path, 6, "--shared", 4, "--part", 5, "--keep-ranks")
    expected: dict[tuple[str, int], list[Record]] = {}
    for path in each:
        for key, records in by_key(path).items():
            expected.setdefault(key, []).extend(records)
    found = by_key(log)
    assert found.keys() == expected.keys()
    for key, records in expected.items():
        for have, want in zip(found[key], records):
            same(have, want)


def sums(path: Path) -> Counter[tuple[str, str]]:
    """Returns the sums of all integer counters with the rule SUM over a log, by module and name
    without prefix."""
    total: Counter[tuple[str, str]] = Counter()
    for record in read(path):
        for name, rule in rules(record.module).items():
            if rule == "SUM" and not name.startswith("F_"):
                total[record.module, name] += record.values[name]
    return total


# Options of a job whose records fit, and of one whose records are too many.
STAYING = ("--ranks", 24, "--shared", 30, "--part", 30, "--own", 3)
FOLDING = ("--ranks", 64, "--part", 400, "--posix")


@pytest.mark.parametrize(
    ("files", "candidates", "folded"),
    [
        (STAYING, 270_000, False),
        (STAYING, 0, False),
        (FOLDING, 10**6, False),
        (FOLDING, 200_000, True),
    ],
)
def test_beyond_the_bound_nothing_is_lost(
    play: Path, tmp_path: Path, files: tuple[object, ...], candidates: int, folded: bool
) -> None:
    """Files beyond the limit of shared records keep a record for each rank or are combined in an
    overflow record (folded); the sums are those of all ranks. candidates: bytes for candidates for
    shared records."""
    log, each = made(play, tmp_path, *files[1:], "--candidates", candidates, "--streams", 5000)
    expected: Counter[tuple[str, str]] = Counter()
    for path in each:
        expected.update(sums(path))
    assert sums(log) == expected
    combined = Counter((r.module, r.id) for r in read(log) if r.rank == -1)
    assert max(combined.values(), default=1) == 1
    with open_log(log) as opened:
        names = opened.names()
        partial = any(m.partial for m in opened.info.regions)
    assert {r.id for r in read(log)} <= names.keys()
    assert (partial, "<overflow>" in names.values()) == (folded, folded)


def test_start_and_end_are_those_of_the_job(play: Path, tmp_path: Path) -> None:
    """The log starts with the first rank and ends with the last one."""
    log, _ = made(play, tmp_path, 10, "--shared", 1)
    with open_log(log) as opened:
        info = opened.info
    assert (info.start, info.end, info.nprocs) == (1000, 2009, 10)


def test_ranks_without_records_make_a_log_too(play: Path, parser: Path, tmp_path: Path) -> None:
    """Ranks without records leave a log with their number."""
    log, _ = made(play, tmp_path, 17, "--posix")
    text = subprocess.run([parser, log], capture_output=True, text=True, check=True).stdout
    assert "# nprocs: 17" in text
    assert not by_key(log)


# --- what cannot be written -----------------------------------------------------------


def nothing_is_left(folder: Path) -> None:
    """Checks that a folder has no file."""
    assert not [p for p in folder.iterdir() if p.is_file()]


def test_no_file_no_log_for_anybody(play: Path, tmp_path: Path) -> None:
    """If the log cannot be created, all ranks report the failure."""
    (tmp_path / "file").write_text("not a folder")
    files = ("--shared", 4, "--own", 4, "--streams", 1000)
    done = run(play, tmp_path / "file" / "all.darshan", "--ranks", 11, *files)
    assert done.stdout == "11 of 11 ranks failed\n"


def test_a_log_is_never_replaced(play: Path, tmp_path: Path) -> None:
    """If the log exists, all ranks report the failure, and the file does not change."""
    log = tmp_path / "all.darshan"
    log.write_text("precious")
    done = run(play, log, "--ranks", 5, "--shared", 2)
    assert done.stdout == "5 of 5 ranks failed\n"
    assert log.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [log]


def test_a_writer_that_cannot_write_fails_all(play: Path, tmp_path: Path) -> None:
    """If one rank cannot write its part of the log, here because of a limit of file size, all ranks
    report the failure, and no file is left."""
    files = ("--ranks", 8, "--shared", 2, "--own", 300, "--posix", "--streams", 1000)
    assert run(play, tmp_path / "whole.darshan", *files).returncode == 0
    limit = (tmp_path / "whole.darshan").stat().st_size // 2
    (tmp_path / "whole.darshan").unlink()
    done = subprocess.run(
        [str(x) for x in (play, *files, tmp_path / "all.darshan")],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.stdout == "8 of 8 ranks failed\n"
    nothing_is_left(tmp_path)


@pytest.mark.parametrize("edge", ["1,0", "4,0", "6,4", "0,4", "4,6", "7,6"])
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("streams", [4 << 20, 1000])
def test_a_lost_message_is_no_hang_and_no_half_log(
    play: Path, tmp_path: Path, edge: str, number: int, streams: int
) -> None:
    """If message number `number` between two ranks (edge) is lost, every rank still ends; the log
    is complete, or all ranks report the failure and no file is left."""
    log = tmp_path / "all.darshan"
    files = ("--ranks", 8, "--shared", 3, "--own", 3, "--streams", streams)
    done = run(play, log, *files, "--lose", f"{edge},{number}")
    assert done.returncode in (0, 1)
    if log.exists():
        assert sum(len(records) for records in by_key(log).values()) > 0
        assert len(list(tmp_path.iterdir())) == 1
    else:
        assert done.stdout == "8 of 8 ranks failed\n"
        nothing_is_left(tmp_path)


def test_twenty_thousand_ranks(play: Path, tmp_path: Path) -> None:
    """A simulated job of 20,000 ranks leaves one shared record for each file, and its largest
    message has less than twice the size of that of 20 ranks."""
    options = ("--shared", 4, "--posix", "--clock", "0")
    done = run(play, tmp_path / "all.darshan", "--ranks", 20_000, *options)
    words = done.stdout.split()
    small = run(play, tmp_path / "small.darshan", "--ranks", 20, *options).stdout.split()
    assert int(words[words.index("message") + 1]) < 2 * int(small[small.index("message") + 1])
    records = by_key(tmp_path / "all.darshan")
    assert len(records) == 4
    assert all(r.rank == -1 for (r,) in records.values())
