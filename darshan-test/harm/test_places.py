"""Unusual environments: full disks, read-only roots, overlays, namespaces, no /proc. The program
runs as usual, and its records are in a log or a journal, or are reported as lost."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from harm.places import PAGE, empty, file_system, fill, mounted, watch
from harm.verdict import verdict
from lab.compile import compile_for_all
from lab.watch import Outcome, run
from place import runs
from sample import turning

SOURCE = Path(__file__).with_name("limits.c")
NOBODY = 65534

# Free bytes of a disk: page by page for the journal's beginning, then in larger steps, to more than
# the journal needs.
FREE = [PAGE * i for i in range(100)] + [100 * PAGE + 4 * PAGE * i for i in range(100)]
SHARE = 4 / len(FREE)
KINDS = ("ext4", "tmpfs", "btrfs", "xfs")
NEEDED = {kind: "mount" if kind == "tmpfs" else f"loop:{kind}" for kind in KINDS}
FULL = {"journals": ("journals",), "logs": ("logs",), "both": ("journals", "logs")}

EXPECTED = {f"file-{i}": 10.0 * i + 10 for i in range(50)}


@pytest.fixture(scope="module")
def program(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program beside a copy of the library, accessible to all users. Returns its
    path."""
    return compile_for_all(build, tmp_path_factory.mktemp("places"), SOURCE.read_text(), "limits")


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Creates folders for the program without the runtime ("bare") and with it, for logs and for
    journals, open to all users. Returns them by name."""
    for place in (tmp_path, *tmp_path.parents[:2]):
        place.chmod(0o755)
    places = {name: tmp_path / name for name in ("bare", "work", "logs", "journals")}
    for place in places.values():
        place.mkdir()
        place.chmod(0o777)
    return places


def without_us(program: Path, folders: dict[str, Path]) -> Outcome:
    """Runs the program without the runtime, and checks that all its I/O succeeded. Returns the
    outcome."""
    bare = run([program, "none"], folders["bare"], dict(os.environ))
    assert (bare.status, bare.stdout) == (0, b"0 went wrong\n")
    return bare


def launched(program: Path) -> list[str | Path]:
    """Returns the command that runs the program and preloads the library into it only, and not into
    a command that is put in front of it."""
    return [program, "launch", "0", program, "none"]


# --- full disks ------------------------------------------------------------------


@pytest.mark.parametrize(
    "disk",
    [
        pytest.param((kind, what), marks=pytest.mark.needs("root", NEEDED[kind]))
        for kind in KINDS
        for what in FULL
    ],
    ids="-".join,
)
def test_full_disk(
    build: Path, tmp_path: Path, program: Path, folders: dict[str, Path], disk: tuple[str, str]
) -> None:
    """If the disk of the journal, of the log or of both has few free bytes, the program runs as
    usual, and its records are in a log, in a journal, or reported as lost. disk: kind of the file
    system, and which folder is full."""
    kind, what = disk
    bare = without_us(program, folders)
    results: Counter[str] = Counter()
    with file_system(kind, tmp_path / "small") as small:
        for free in turning(FREE, SHARE, f"{kind} {what}"):
            fill(small, free)
            places = {**folders, **{name: small for name in FULL[what]}}
            watched = watch(
                build, launched(program), places["work"], places["logs"], places["journals"]
            )
            left = {path.name for path in small.iterdir()} - {"full", "lost+found"}
            known = {path.name for path in watched.logs + watched.journals}
            assert left <= known, free
            try:
                results[verdict(bare, watched, EXPECTED)] += 1
            except AssertionError as error:
                raise AssertionError(f"{kind}, {free} bytes free for {what}: {error}") from error
            for path in watched.logs + watched.journals:
                path.unlink(missing_ok=True)
            empty(small)
    print(dict(results))
    if what == "journals":
        assert set(results) == {"log"}
    if what == "logs":
        assert set(results) <= {"log", "journal"}


# --- read-only roots -------------------------------------------------------------

READ_ONLY = 'mount --make-rprivate / && mount -o remount,bind,ro / && exec "$@"'


@pytest.mark.needs("root", "mount", runs("unshare", "-m", "sh", "-c", READ_ONLY, "sh"))
@pytest.mark.parametrize(
    ("writable", "result"), [("", "lost"), ("logs", "log"), ("journals", "journal")]
)
def test_read_only_root(
    build: Path, program: Path, folders: dict[str, Path], writable: str, result: str
) -> None:
    """The root is read-only, and only the working folder and `writable` can be written. The result
    is a log, a journal, or a reported loss."""
    bare = without_us(program, folders)
    tmpfs = ("-t", "tmpfs", "none")
    with mounted(folders["work"], *tmpfs), mounted(folders[writable or "work"], *tmpfs):
        command = ["unshare", "-m", "sh", "-c", READ_ONLY, "sh", *launched(program)]
        watched = watch(build, command, folders["work"], folders["logs"], folders["journals"])
        assert verdict(bare, watched, EXPECTED) == result


# --- overlays --------------------------------------------------------------------


@pytest.mark.needs("root", "overlay")
@pytest.mark.parametrize("name", ["work", "logs", "journals"])
def test_overlay(
    build: Path, tmp_path: Path, program: Path, folders: dict[str, Path], name: str
) -> None:
    """The log is complete if one of the folders is on an overlay, as in a container."""
    bare = without_us(program, folders)
    parts = {part: tmp_path / part for part in ("lower", "upper", "under")}
    for part in parts.values():
        part.mkdir()
    options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['under']}"
    with mounted(folders[name], "-t", "overlay", "-o", options, "overlay"):
        command = launched(program)
        watched = watch(build, command, folders["work"], folders["logs"], folders["journals"])
        assert verdict(bare, watched, EXPECTED) == "log"


# --- namespaces ------------------------------------------------------------------

USER = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
AROUND = {
    "pid": ["unshare", "-p", "-f"],
    "pid-proc": ["unshare", "-p", "-f", "--mount-proc"],
    "user": ["unshare", "-U", "-r"],
    "user-unmapped": ["unshare", "-U"],
    "user-by-user": [*USER, "unshare", "-U", "-r"],
    "pid-by-user": [*USER, "unshare", "-U", "-r", "-p", "-f"],
    "no-proc": ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"],
    "no-shm": ["unshare", "-m", "sh", "-c", 'umount -l /dev/shm; exec "$@"', "sh"],
}


@pytest.mark.parametrize(
    "around",
    [
        pytest.param(around, marks=pytest.mark.needs("root", runs(*around)), id=name)
        for name, around in AROUND.items()
    ],
)
def test_namespace(build: Path, program: Path, folders: dict[str, Path], around: list[str]) -> None:
    """The log is complete in namespaces that map process and user ids or leave them unmapped, and
    without /proc or /dev/shm."""
    bare = without_us(program, folders)
    command = [*around, *launched(program)]
    watched = watch(build, command, folders["work"], folders["logs"], folders["journals"])
    assert verdict(bare, watched, EXPECTED) == "log"
