"""Resource limits that are lowered before or after the first record: the program behaves as without
the runtime, and its records are correct or reported as lost."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from harm.verdict import verdict
from lab.compare import both
from lab.compile import compile_c, compile_for_all
from lab.environment import preload
from lab.watch import Outcome
from place import needs

SOURCE = Path(__file__).with_name("limits.c")
USERS = {"root": 0, "user": 65534}
KIB, MIB = 1 << 10, 1 << 20

# Values of each limit: for a process that starts with the limit, and for a process that already has
# a record (then for AS and DATA, in addition to its current size).
VALUES = {
    "NOFILE": ([4, 5, 8, 64], [0, 1, 3, 4, 5, 8, 64]),
    "FSIZE": ([0, 100, 4 * KIB, 100 * KIB], [0, 100, 4 * KIB, 100 * KIB, 10 * MIB]),
    "AS": ([8 * MIB, 12 * MIB, 40 * MIB], [0, 64 * KIB, MIB, 16 * MIB]),
    "DATA": ([2 * MIB, 4 * MIB, 16 * MIB], [0, 64 * KIB, MIB, 16 * MIB]),
    "STACK": ([64 * KIB, 128 * KIB, 8 * MIB], [16 * KIB, 64 * KIB, 8 * MIB]),
    "MEMLOCK": ([0, 64 * KIB], [0, 64 * KIB]),
    "NPROC": ([0, 1], [0, 1]),
    "CORE": ([0, 4 * KIB], [0, 4 * KIB]),
}
HARMLESS = ("STACK", "MEMLOCK", "NPROC", "CORE")  # limits that do not affect the runtime
CASES = [
    (name, when, str(value))
    for name, values in VALUES.items()
    for when, some in zip(("before", "after"), values)
    for value in some
]


@pytest.fixture(scope="module")
def program(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program next to a copy of the library, so that all users may use both. Returns
    its path."""
    return compile_for_all(build, tmp_path_factory.mktemp("limits"), SOURCE.read_text(), "limits")


def outcomes(
    build: Path, folder: Path, program: Path, user: str, *what: str
) -> tuple[Outcome, Outcome]:
    """Runs the program with a limit, without and with the runtime. user: one of USERS. what: the
    arguments of limits.c: when, the resource's number, and the limit."""

    def open_to_all(work: Path) -> None:
        folder.chmod(0o755)
        for place in folder.iterdir():
            if place.is_dir():
                place.chmod(0o777)

    extra = {**preload(), "PRELOAD": str(program.with_name("libdarshan.so"))}
    command = [program, "launch", str(USERS[user]), program, *what]
    return both(build, folder, command, open_to_all, extra)


def expected(outcome: Outcome) -> dict[str, int]:
    """Returns the bytes that the program wrote to each file: its size and, for a stream, also bytes
    that could not be flushed."""
    found = {}
    for path in outcome.work.iterdir():
        number = int(path.name.rpartition("-")[2])
        found[path.name] = 10 * number + 10 if number % 2 else path.stat().st_size
    return {name: size for name, size in found.items() if size}


def same_files(bare: Outcome, watched: Outcome) -> bool:
    """Returns whether both runs left files of equal names and sizes."""
    some, others = (
        sorted((path.name, path.stat().st_size) for path in outcome.work.iterdir())
        for outcome in (bare, watched)
    )
    return some == others


@pytest.mark.needs("ordinary-user")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_limit(
    build: Path,
    tmp_path: Path,
    program: Path,
    user: str,
    case: tuple[str, str, str],
) -> None:
    """The program's behaviour is unchanged, and records are correct or reported as lost."""
    name, when, value = case
    if name == "NPROC" and when == "before":
        needs("no-filter")  # a child process probes what an inherited filter permits
    number = str(getattr(resource, f"RLIMIT_{name}"))
    bare, watched = outcomes(build, tmp_path, program, user, when, number, value)
    assert same_files(bare, watched)
    result = verdict(bare, watched, expected(watched))
    if name in HARMLESS:
        assert result == "log"


@pytest.mark.needs("ordinary-user")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("most", [64, 1024])
def test_no_descriptor_left(
    build: Path, tmp_path: Path, program: Path, user: str, most: int
) -> None:
    """A program opens files until it has no descriptor left, and exits: no log can be written, but
    the journal with its records remains."""
    number = str(resource.RLIMIT_NOFILE)
    bare, watched = outcomes(build, tmp_path, program, user, "leak", number, str(most))
    assert bare.stdout == b"0 went wrong\n"
    assert verdict(bare, watched, expected(watched)) == "journal"


OTHER_USER = r"""
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  int fd = open("file", O_CREAT | O_WRONLY, 0600);
  if (write(fd, "123456", 6) != 6) return 2;
  return setgid(65534) != 0 || setuid(65534) != 0;
}
"""


@pytest.mark.needs("root")
def test_records_of_another_user(build: Path, tmp_path: Path) -> None:
    """After a process changed its user, it cannot open its journal to write the log: the journal
    remains, and the runtime's line names it."""
    program = compile_c(tmp_path, OTHER_USER)

    def open_to_all(_: Path) -> None:
        for place in (tmp_path, tmp_path / "journals"):
            place.chmod(0o755)

    bare, watched = both(build, tmp_path, [program], open_to_all)
    assert bare.status == 0
    assert verdict(bare, watched, {"file": 6}) == "journal"
