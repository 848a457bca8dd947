"""Places of the kinds that programs find themselves in: file systems of files, full ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harm.hostile import Outcome, read_records, run, settings
from left import left_in

MIB = 1 << 20
PAGE = 4096

# The smallest image that each mkfs takes, roundly, and what it is told.
IMAGES = {
    "ext4": (16 * MIB, ["-q", "-m", "0", "-O", "^has_journal"]),
    "xfs": (320 * MIB, ["-q"]),
    "btrfs": (128 * MIB, ["-q"]),
}


def make(kind: str, image: Path) -> None:
    """An empty file system in a file."""
    size, options = IMAGES[kind]
    with image.open("wb") as file:
        file.truncate(size)
    path = f"/usr/sbin:/sbin:{os.environ.get('PATH', '')}"
    subprocess.run(
        [str(shutil.which(f"mkfs.{kind}", path=path)), *options, image],
        check=True,
        capture_output=True,
    )


@contextmanager
def mounted(folder: Path, *what: str | Path) -> Iterator[Path]:
    """A folder with something mounted there, as mount is told."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", *what, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def file_system(kind: str, folder: Path) -> Iterator[Path]:
    """An empty file system of this kind, tmpfs among them, in a folder."""
    if kind == "tmpfs":
        with mounted(folder, "-t", "tmpfs", "-o", "size=16m", "none"):
            yield folder
        return
    image = folder.with_suffix(".image")
    make(kind, image)
    with mounted(folder, "-o", "loop", image):
        yield folder
    image.unlink()


def take(file: int, at: int, size: int) -> bool:
    """Whether so much more room is the file's."""
    try:
        os.posix_fallocate(file, at, size)
    except OSError:
        return False
    return True


def sync(folder: Path) -> None:
    """What was removed is free from then on, also where that waits for a transaction."""
    subprocess.run(["sync", "-f", folder], check=True)


def empty(folder: Path) -> None:
    """Nothing is in it."""
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    sync(folder)


def fill(folder: Path, free: int) -> None:
    """Fills an empty file system up to about so many bytes: another file has them meanwhile."""
    with (folder / "spare").open("wb") as spare, (folder / "full").open("wb") as full:
        assert free == 0 or take(spare.fileno(), 0, free)
        at, step = 0, 256 * MIB
        while step >= PAGE:
            if take(full.fileno(), at, step):
                at += step
            else:
                step //= 2
    (folder / "spare").unlink()
    sync(folder)


def watch(
    build: Path, command: Sequence[str | Path], work: Path, logs: Path, journals: Path
) -> Outcome:
    """Runs a program whose launcher gives it the library beside it (limits.c).
    A journal that the line names elsewhere, in memory, counts, and is removed."""
    environment = {**settings(build, logs, journals), "LD_PRELOAD": ""}
    environment["PRELOAD"] = str(Path(command[-2]).with_name("libdarshan.so"))
    outcome = run(command, work, environment)
    left_in(journals)
    found = {path for place in (logs, journals) for path in place.glob("**/*.darshan*")}
    named = re.search(rb"kept in: (\S+)", outcome.stderr)
    elsewhere = Path(os.fsdecode(named[1])) if named else None
    if elsewhere and elsewhere.exists():
        found.add(elsewhere)
    outcome.journals = sorted(path for path in found if "_mmap-log-" in path.name)
    outcome.logs = sorted(found - set(outcome.journals))
    outcome.records = read_records(build / "darshan-parser", outcome.logs + outcome.journals)
    if elsewhere and elsewhere.parent == Path("/dev/shm"):
        elsewhere.unlink(missing_ok=True)
    return outcome
