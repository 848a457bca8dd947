"""darshan-dxt-analyzer prints sizes and order of traced transfers, from a log or from the text of
darshan-dxt-parser."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs.content import standard_log
from logs.encode import encode
from logs.model import Dxt, Log, Module, Segment
from logs.record_id import record_id
from logs.tools import start

# Ranks, blocks of each rank in each file, and bytes of a block.
RANKS, BLOCKS, SIZE = 4, 8, 1 << 16
# For each file, the function from rank and index to the number of the block.
FILES = {
    b"/scratch/turns": lambda rank, i: i * RANKS + rank,
    b"/blocks": lambda r, i: r * BLOCKS + i,
}


def traced() -> Log:
    """Returns a log with traces of two files. In one, ranks use blocks in turn; in the other, each
    has a contiguous range."""
    log = standard_log({}, names=[(record_id(name), name) for name in FILES])
    records = []
    for name, place in FILES.items():
        for rank in range(RANKS):
            segments = [
                Segment(place(rank, i) * SIZE, SIZE, i + rank / 10, i + rank / 10 + 0.05)
                for i in range(BLOCKS)
            ]
            records.append(Dxt(record_id(name), rank, b"host", segments, segments[:2]))
    log.modules = [Module("DXT_POSIX", 1, list(records))]
    return log


def analyzed(build: Path, *arguments: object) -> tuple[int, list[str], str]:
    """Runs darshan-dxt-analyzer without the memory limits of the other tools, because Python and
    numpy map much memory. Returns its status, the lines of stdout, and stderr."""
    done = start([str(x) for x in (build / "darshan-dxt-analyzer", *arguments)], True, {})
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


def table(lines: list[str]) -> dict[str, dict[str, list[str]]]:
    """Returns the fields of each row of the analyzer's table, by file and "write" or "read". lines:
    of its output."""
    found: dict[str, dict[str, list[str]]] = {}
    name = ""
    for line in lines:
        if line.startswith("/"):
            name = line
        elif line.split()[:1] in (["write"], ["read"]):
            found.setdefault(name, {})[line.split()[0]] = line.split()[1:]
    return found


def test_patterns(build: Path, tmp_path: Path) -> None:
    """darshan-dxt-analyzer distinguishes ranks that alternate in a file from ranks with contiguous
    ranges. It prints the same for the log and for the text of darshan-dxt-parser."""
    log = tmp_path / "log"
    log.write_bytes(encode(traced()))
    status, lines, said = analyzed(build, log)
    assert (status, said) == (0, "")
    found = table(lines)
    assert set(found) == {name.decode() for name in FILES}
    for name, kinds in found.items():
        writes = kinds["write"]
        assert writes[:2] == [str(RANKS), str(RANKS * BLOCKS)]
        assert writes[2:10] == ["2.00", "MiB", "64.0", "KiB"] + ["64.0", "KiB"] * 2
        assert writes[10:15] == ["0%", "0%", "100%", "0%", "0%"]
        turns = name == "/scratch/turns"
        assert writes[15] == ("0%" if turns else "100%")  # share of consecutive transfers
        neighbours = RANKS * BLOCKS - 1
        share = 1 if turns else (RANKS - 1) / neighbours
        assert writes[16] == f"{share:.0%}"
        assert kinds["read"][:2] == [str(RANKS), str(RANKS * 2)]
    text = tmp_path / "text"
    text.write_bytes(start([build / "darshan-dxt-parser", log], True, {}).stdout)
    assert analyzed(build, "-i", text) == (0, lines, "")


def test_ranks_and_picture(build: Path, tmp_path: Path) -> None:
    """Options select files, operations and rows for each rank, and make a picture."""
    log, picture = tmp_path / "log", tmp_path / "out.pdf"
    log.write_bytes(encode(traced()))
    status, lines, said = analyzed(build, log, "--ranks", "-f", "blocks", "--read", "-o", picture)
    assert (status, said) == (0, "")
    assert not any("turns" in line for line in lines)
    assert sum(line.startswith("  rank ") for line in lines) == 2 * RANKS
    assert picture.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    "what", ["no traces", "no log", "bad text", "huge", "missing", "empty name"]
)
def test_nothing_to_read(what: str, build: Path, tmp_path: Path) -> None:
    """If its input is missing, invalid or has no traces, darshan-dxt-analyzer exits with 1 and one
    line that names it."""
    log = tmp_path / "log"
    if what == "no traces":
        log.write_bytes(encode(Log()))
    elif what == "no log":
        log.write_bytes(encode(Log())[:100])
    elif what == "huge":
        head = b"# DXT, file_id: 1, file_name: x\n"
        log.write_bytes(head + b" X_POSIX 0 write 0 " + b"9" * 30 + b" 1 0.1 0.2\n")
    elif what == "bad text":
        log.write_text("hello\n")
    name = "" if what == "empty name" else str(log)
    status, lines, said = analyzed(build, name)
    assert (status, lines, said.count("\n")) == (1, [], 1), said
    assert name in said and "Errno" not in said


def test_nowhere_to_write(build: Path, tmp_path: Path) -> None:
    """A closed standard output is an error of one line."""
    (tmp_path / "log").write_bytes(encode(traced()))
    words = [
        "sh",
        "-c",
        '"$@" >&-',
        "sh",
        str(build / "darshan-dxt-analyzer"),
        str(tmp_path / "log"),
    ]
    done = start(words, True, {})
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr


def test_where_it_cannot_draw(build: Path, tmp_path: Path) -> None:
    """darshan-dxt-analyzer never overwrites the log by its plot, under any of the log's names; for
    any other failure, the message names the requested output."""
    log = tmp_path / "log"
    log.write_bytes(encode(traced()))
    (tmp_path / "other").symlink_to(log)
    before = log.read_bytes()
    for name, words in (
        ("log", "it is the log"),
        ("other", "it is the log"),
        ("none/a.pdf", "/none/a.pdf: No such file"),
    ):
        status, lines, said = analyzed(build, "-o", tmp_path / name, log)
        assert (status, said.count("\n")) == (1, 1) and words in said
        assert name.startswith("none") or lines == []
        assert log.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "other"]
