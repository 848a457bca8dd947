"""`darshan watch --export` in a folder with files by which an attacker tries to stop, mislead or
hang it still exports the counters of an honest process."""

from __future__ import annotations

import os
import shutil
import signal
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.command import finished
from place import for_everybody

from .exporting import Recorded, exporter, recorded, until

# Bytes of a journal's header and of its description of the job (doc/log-format.md).
HEADER, JOB = 1328, 4096
# Offset of the header's table of modules in bytes, and ids of two modules.
MODULES, POSIX, STDIO = 48, 1, 8
BYTES = "darshan_written_bytes_total"
# Words in front of a command that run it as another user.
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Returns new folders for journals and for logs, to which every user can write."""
    for name in ("journals", "logs"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o1777)
    return tmp_path / "journals", tmp_path / "logs"


@pytest.fixture
def honest(build: Path, folders: tuple[Path, Path], tmp_path: Path) -> Iterator[Recorded]:
    """Runs a recorded process of job 1 that has written 8 KiB."""
    with recorded(build, tmp_path / "data", folders, 1) as process:
        process.write(2)
        yield process


def journal_of(folders: tuple[Path, Path]) -> Path:
    """Returns the path of the journal of the only running process."""
    return next(folders[0].glob("*_mmap-log-*.darshan"))


def forged(journal: Path, number: int) -> bytearray:
    """Returns the first MiB of a journal, changed so that it seems to belong to another process of
    this user and to job 1000. number: its start time in ns, which makes processes different."""
    with journal.open("rb") as file:
        copy = bytearray(file.read(HEADER + JOB + (1 << 20)))
    struct.pack_into("<q", copy, HEADER + 16, number)  # nanoseconds of the start
    struct.pack_into("<q", copy, HEADER + 48, 1000)  # the job
    return copy


def region(journal: bytes | bytearray, module: int) -> tuple[int, int]:
    """Returns offset and length in bytes of a module's records, from a journal's header."""
    begin, length = struct.unpack_from("<QQ", journal, MODULES + 16 * module)
    return begin, length


def read(journal: Path, module: int) -> tuple[int, bytes]:
    """Returns the offset of a module's records in a journal, and the records."""
    with journal.open("rb") as file:
        begin, length = region(file.read(HEADER), module)
        file.seek(begin)
        return begin, file.read(length)


def write(path: Path, start: bytes | bytearray, begin: int = 0, records: bytes = b"") -> None:
    """Writes a journal as a sparse file. start: its first bytes. begin, records: offset and bytes
    of the records of a module."""
    with path.open("wb") as file:
        file.write(start)
        if records:
            file.seek(begin)
            file.write(records)


def name(number: int) -> str:
    """Returns a file name of a journal with this process id."""
    return f"x_x_id{number}_mmap-log-{number}-0.darshan"


def impossible(records: bytes, word: int) -> bytes:
    """Returns POSIX records in which every counter and time has the bits `word`; their ids are
    unchanged."""
    size = 704  # of a POSIX record: two words of the base record, then counters and times
    values = struct.pack("<Q", word) * (size // 8 - 2)
    return b"".join(records[at : at + 16] + values for at in range(0, len(records), size))


def make_hostile(folder: Path, journal: Path) -> int:
    """Fills a folder with files, links and folders that look like journals. journal: a real one,
    from which they are made. Returns how many of them are regular files that cannot be read or
    whose values are impossible."""
    start = bytes(forged(journal, 1))
    begin, records = read(journal, POSIX)
    assert len(records) % 704 == 0 and records
    (folder / name(1)).write_bytes(b"")
    (folder / name(2)).write_bytes(start[:100])
    (folder / name(3)).write_bytes(start[: HEADER + 100])
    (folder / name(4)).write_bytes(os.urandom(20000))
    os.mkfifo(folder / name(5))
    (folder / name(6)).symlink_to(journal)
    (folder / name(7)).symlink_to("/dev/zero")
    os.link(journal, folder / name(8))  # the same process once more
    (folder / name(9)).mkdir()
    (folder / "darshan-run.1.x").symlink_to("/")
    (folder / "darshan-run.2.x").mkdir()
    (folder / "darshan-run.2.x" / "darshan-run.3.x").symlink_to(folder)
    os.mkfifo(folder / "darshan-run.2.x" / "part.1.1.0")
    (folder / "darshan-run.2.x" / "part.7.7.7").write_bytes(start)  # is cut off, and counts nothing
    for number, word in ((10, 2**63 - 1), (11, 0x7FF8000000000000), (12, 2**62)):
        write(folder / name(number), forged(journal, number), begin, impossible(records, word))
    huge = forged(journal, 13)  # claims an exabyte of records in a file of holes
    struct.pack_into("<QQ", huge, MODULES + 16 * POSIX, begin, 1 << 60)
    write(folder / name(13), huge, begin, records)
    os.truncate(folder / name(13), 1 << 40)
    names = forged(journal, 14)  # names without an end
    struct.pack_into("<QQ", names, 32, HEADER + JOB, 1 << 62)
    write(folder / name(14), names, begin, b"\xff" * len(records))
    return 7


def test_hostile_files(
    build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded
) -> None:
    """Next to damaged journals, links, pipes, folders and sparse files, the journal of a running
    process is still exported exactly; the unreadable files are counted, and nothing is reported as
    an error."""
    bad = make_hostile(folders[0], journal_of(folders))
    with exporter(build, tmp_path, folders[0]) as seen:
        until(lambda: seen.total(BYTES, job_id="1") == 2 * 4096)
        honest.write(3)
        until(lambda: seen.total(BYTES, job_id="1") == 5 * 4096)
        until(lambda: seen.total("darshan_watch_skipped_total", reason="unreadable") >= bad)
        # Number 13 is whole up to its holes, so it counts as the process that it claims to be.
        until(lambda: seen.total(BYTES, job_id="1000") == 2 * 4096)
        assert seen.total(BYTES) == 7 * 4096
        honest.end()
        journals = seen.total("darshan_watch_journals")
        honest_link = folders[0] / name(8)  # keeps the journal, as if the process lived
        honest_link.unlink()
        until(lambda: seen.total("darshan_watch_journals") < journals)
        assert seen.total(BYTES, job_id="1") == 5 * 4096
    assert seen.status == 0 and seen.errors.read_bytes() == b""


def test_a_journal_that_is_cut_off(
    build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded
) -> None:
    """If a journal is truncated while it is watched, the counters that it had are still exported,
    and it counts as unreadable."""
    with exporter(build, tmp_path, folders[0]) as seen:
        until(lambda: seen.total(BYTES) == 8192)
        os.kill(honest.process.pid, signal.SIGKILL)  # it must not notice
        journal = journal_of(folders)
        os.truncate(journal, region(journal.read_bytes()[:HEADER], POSIX)[0] + 100)
        os.truncate(journal, 10)
        until(lambda: seen.total("darshan_watch_skipped_total", reason="unreadable") == 1)
        assert seen.total(BYTES) == 8192
        journal.unlink()
        with recorded(build, tmp_path / "data", folders, 1) as process:
            process.write()
            until(lambda: seen.total(BYTES) == 8192 + 4096)


# Name of a mount point with characters that have a meaning in the formats.
HOSTILE = '/a"\\\xff{}\x01'


def test_names_are_escaped(
    build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded
) -> None:
    """A mount point whose name has quotes, backslashes, control characters and invalid UTF-8 is
    exported in valid Prometheus text and JSON. Two mount points whose escaped names are equal share
    a row."""
    journal = journal_of(folders)
    begin, records = read(journal, POSIX)
    text = bytes(forged(journal, 1))[HEADER + 1080 : HEADER + JOB]
    command = text.split(b"\n", 1)[0]
    for number, raw in ((20, HOSTILE.encode("latin-1")), (21, b'/a"\\\xfe{}\x01')):
        copy = forged(journal, number)
        table = command + b"\next4\t/\next4\t" + raw
        copy[HEADER + 1080 : HEADER + JOB] = table.ljust(JOB - 1080, b"\0")
        names = bytes(copy).replace(str(tmp_path).encode(), raw.ljust(len(str(tmp_path)), b"y"))
        write(folders[0] / name(number), names, begin, records)
    with exporter(build, tmp_path, folders[0]) as seen:
        until(lambda: seen.total("darshan_watch_journals") == 3)
        until(lambda: seen.total(BYTES) == 3 * 8192)
        marks = {dict(labels)["fs"] for row, labels in seen.samples() if row == BYTES}
        until(lambda: sum(one["written_bytes"] == 2 * 8192 for one in seen.objects()) > 0)
        fs = {str(one["fs"]) for one in seen.objects()}
    assert marks == fs and '/a"\\?{}?' in fs, fs


@pytest.mark.needs("root", "ordinary-user")
def test_users(build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded) -> None:
    """As root, the command exports the journals of all users, each for the owner of its file. As
    another user, it exports only that user's journals."""
    for_everybody(build / "libdarshan.so")
    folder = tmp_path / "of-nobody"
    folder.mkdir()
    folder.chmod(0o777)
    tmp_path.chmod(0o755)
    with recorded(build, folder / "data", folders, 2, NOBODY) as other:
        other.write(5)
        with exporter(build, tmp_path, folders[0]) as seen:
            until(lambda: seen.total(BYTES) == 7 * 4096)
            assert seen.total(BYTES, user="root", job_id="1") == 2 * 4096
            assert seen.total(BYTES, user="nobody", job_id="2") == 5 * 4096
        with exporter(build, folder, folders[0], before=NOBODY) as seen:
            until(lambda: seen.total(BYTES) == 5 * 4096)
            assert seen.total(BYTES, user="root") == 0


@pytest.mark.needs("root")
def test_a_link_of_a_user_leads_root_nowhere(
    build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded
) -> None:
    """If a user puts symbolic links in place of the output files, neither the file for Prometheus
    nor the file of JSON is written through a link."""
    victim, text = tmp_path / "victim", tmp_path / "darshan.prom"
    victim.write_text("secret")
    text.symlink_to(victim)
    places = ("--export", f"prometheus:{text}", "--export", f"json:{tmp_path / 'lines'}")
    command = [build / "darshan", "watch", "-n", "0.05", "-c", "2", *places, folders[0]]
    (tmp_path / "lines").symlink_to(victim)
    done = finished(command, timeout=60)
    assert done.returncode == 0
    assert "lines: cannot open the file: Too many levels" in done.stderr
    assert victim.read_text() == "secret" and not text.is_symlink()
    assert f'{BYTES}{{job_id="1"' in text.read_text()


def test_killed_processes_are_not_counted_as_alive(
    build: Path, folders: tuple[Path, Path], tmp_path: Path, honest: Recorded
) -> None:
    """The journal of a process that was killed before the command started is not exported, and
    counts as "dead"."""
    os.kill(honest.process.pid, signal.SIGKILL)
    honest.process.wait()
    shutil.copy(journal_of(folders), tmp_path / "copy")
    with exporter(build, tmp_path, folders[0]) as seen:
        until(lambda: seen.total("darshan_watch_skipped_total", reason="dead") == 1)
        assert seen.total(BYTES) == 0
