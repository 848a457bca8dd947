"""Makes file systems in image files, also full ones, and runs programs on them, for tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.environment import instrumented, preload
from lab.log import read_logs
from lab.watch import Outcome, run
from left import left_in

MIB = 1 << 20
PAGE = 4096

# Size in bytes of each kind's image file, about the smallest that its mkfs accepts, and the options
# of mkfs.
IMAGES = {
    "ext4": (16 * MIB, ["-q", "-m", "0", "-O", "^has_journal"]),
    "xfs": (320 * MIB, ["-q"]),
    "btrfs": (128 * MIB, ["-q"]),
}


def make(kind: str, image: Path) -> None:
    """Creates an empty file system in an image file. kind: one of IMAGES."""
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
    """Mounts something on a folder during the context. what: arguments of mount."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", *what, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def file_system(kind: str, folder: Path) -> Iterator[Path]:
    """Mounts an empty file system during the context, and yields its folder. kind: "tmpfs" (of
    16 MiB), or one of IMAGES, whose image file is made next to the folder."""
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
    """Allocates `size` bytes of a file from offset `at` on. Returns whether that succeeded."""
    try:
        os.posix_fallocate(file, at, size)
    except OSError:
        return False
    return True


def sync(folder: Path) -> None:
    """Makes the space of removed files available, because some file systems free it only later."""
    subprocess.run(["sync", "-f", folder], check=True)


def empty(folder: Path) -> None:
    """Removes all regular files directly in a folder, and makes their space available."""
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    sync(folder)


def fill(folder: Path, free: int) -> None:
    """Fills an empty file system with a file "full" until about `free` bytes are left."""
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
    """Runs a command that ends with `limits launch USER PROGRAM none` (limits.c), which preloads
    the library beside PROGRAM. Returns the outcome with its logs and journals. If a line on stderr
    names a journal in another folder, the outcome has that journal as well; one in /dev/shm is
    removed."""
    environment = instrumented(build, logs, journals) | preload()
    environment["PRELOAD"] = str(Path(command[-2]).with_name("libdarshan.so"))
    outcome = run(command, work, environment)
    left_in(journals)
    found = {path for place in (logs, journals) for path in place.glob("**/*.darshan*")}
    named = re.search(rb"s (?:are|may be) in (\S+)", outcome.stderr)
    elsewhere = Path(os.fsdecode(named[1])) if named else None
    if elsewhere and elsewhere.exists():
        found.add(elsewhere)
    outcome.journals = sorted(path for path in found if "_mmap-log-" in path.name)
    outcome.logs = sorted(found - set(outcome.journals))
    outcome.log = read_logs(build / "darshan-parser", *outcome.logs, *outcome.journals)
    if elsewhere and elsewhere.parent == Path("/dev/shm"):
        elsewhere.unlink(missing_ok=True)
    return outcome
