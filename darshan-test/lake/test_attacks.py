"""Collecting is safe if the folders of logs contain other kinds of files, and names that are made
to cause harm."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write.part import Options, make
from logs.catalogue import good_cases
from logs.content import standard_log
from logs.encode import encode
from place import for_everybody
from sample import everything, seed, turning

from .conftest import Run
from .rows import identity, logs, make_logs, rows, whole

NOBODY = 65534
ODD = (
    b"user\n_a\nb_id1-1_1-1-1-1_1.darshan",
    b"us'er_\"; DROP TABLE jobs; --_id2-2_1-1-1-1_1.darshan",
    b"\xff\xfe_program_id3-3_1-1-1-1_1.darshan",
    b"%s%n_%(x)s_id4-4_1-1-1-1_1.darshan",
    b"-o.darshan",
    b"\x1b[31muser_program_id5-5_1-1-1-1_1.darshan",
    b"u" * 200 + b"_p_id6-6_1-1-1-1_1.darshan",
)


def test_names_of_every_kind(darshan: Run, tmp_path: Path) -> None:
    """Unusual names of logs, and of files in them, appear in the tables as they are, with escapes
    for bytes that are not UTF-8."""
    made = make_logs(tmp_path / "logs", len(ODD) + 1)
    for number, name in enumerate(ODD):
        os.rename(made[number], os.fsencode(tmp_path / "logs") + b"/" + name)
    log = standard_log({"POSIX": 4, "STDIO": 2}, seed=99)
    log.names = [(record, b"/scratch/\xff\xfe\n'" + name) for record, name in log.names]
    (tmp_path / "logs" / "names.darshan").write_bytes(encode(log))
    made = [Path(os.fsdecode(p)) for p in (tmp_path / "logs").iterdir()]
    for _ in range(2):
        done = darshan("collect", "--into", "lake", "--workers", "1", "logs")
        assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
    whole(tmp_path / "lake", made)
    assert not any("Error" in row["problem"] for row in rows(tmp_path / "lake", "problems"))
    users = {row["user"] for row in rows(tmp_path / "lake", "jobs")}
    assert {"user\n", "us'er", "\\xff\\xfe", "%s%n", "u" * 200} <= users
    done = darshan("ask", "lake", "programs", "--user", "us'er", "--json")
    assert done.returncode == 0 and '"jobs": 1' in done.stdout, done
    done = darshan("ask", "lake", "users")
    assert done.returncode == 0 and "\x1b" not in done.stdout
    gone = darshan("lake", "prune", "--user", "us'er", "lake")
    assert gone.returncode == 0 and ": 1 logs" in gone.stdout, gone


def test_what_is_no_file_is_never_opened(darshan: Run, tmp_path: Path) -> None:
    """Pipes, devices and circular links are recorded once in the table problems, and are never
    opened."""
    made = make_logs(tmp_path / "logs", 2)
    folder = tmp_path / "logs"
    os.mkfifo(folder / "pipe.darshan")
    (folder / "zeros.darshan").symlink_to("/dev/zero")
    (folder / "loop.darshan").symlink_to("loop.darshan")
    (folder / "gone.darshan").symlink_to("nothing")
    (folder / "up").symlink_to("..")
    (folder / "folder.darshan").symlink_to(".")
    (folder / "empty.darshan").touch()
    for _ in range(2):
        done = darshan(
            "collect", "--into", "lake", "--settle", "0", "logs", folder / "pipe.darshan"
        )
        assert done.returncode == 0, done.stderr
    whole(tmp_path / "lake", made)
    said = {Path(r["path"]).name: r["problem"] for r in rows(tmp_path / "lake", "problems")}
    assert set(said) == {f"{n}.darshan" for n in ("pipe", "zeros", "loop", "folder", "empty")}
    assert said["pipe.darshan"] == said["zeros.darshan"] == "Not a regular file"


def test_rights_that_come_later(darshan: Run, tmp_path: Path) -> None:
    """A log that could not be read is collected after its permissions change, although neither its
    content nor its modification time did."""
    made = make_logs(tmp_path / "logs", 2)
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    publisher = Publisher(str(lake))
    found = [files.named(str(path)) for path in made]
    real = files.identity

    def refuse(path: str, *_: object) -> object:
        raise PermissionError(13, "Permission denied", path)

    for _ in range(2):
        files.identity = refuse  # type: ignore[assignment]
        try:
            part = make(found, Options(str(lake), findings=False), publisher.seen.has)
        finally:
            files.identity = real
        publisher.publish(part)
    assert len(rows(lake, "problems")) == 2 and logs(lake) == []
    assert darshan("collect", "--into", "lake", "logs").returncode == 0
    whole(lake, made)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """Creates a folder outside pytest's folders, because each start of pytest makes its own folders
    inaccessible to other users. Yields the folder, and removes it."""
    with tempfile.TemporaryDirectory(prefix="darshan-lake-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.needs("root", "ordinary-user")
def test_an_ordinary_user(build: Path, darshan: Run, open_to_all: Path) -> None:
    """If a folder may not be read, the other folders are collected, a message names it, and the
    status is 1. Another user's lake can be queried, but a user cannot collect into it."""
    for_everybody(build / "darshan")
    here = open_to_all
    made = make_logs(here / "logs", 2)
    make_logs(here / "logs" / "closed", 1, first=5)
    (here / "logs" / "closed").chmod(0)
    (here / "own").mkdir()
    os.chown(here / "own", NOBODY, NOBODY)
    assert darshan("collect", "--mode", "0644", "--into", here / "lake", *made).returncode == 0
    collect = ("collect", "--workers", "1", "--into")
    done = as_nobody(build, here, *collect, "own/lake", "logs")
    assert done.returncode == 1 and "closed: Permission denied" in done.stderr, done.stderr
    whole(here / "own" / "lake", made)
    for command in (["ask", "lake", "users"], ["lake", "check", "--deep", "lake"]):
        done = as_nobody(build, here, *command)
        assert (done.returncode, done.stderr) == (0, ""), done
    new = make_logs(here / "new", 1, first=9)[0]
    refused = ([*collect, "lake", new], ["lake", "compact", "lake"],
               ["lake", "prune", "--user", "user1", "lake"])  # fmt: skip
    for command in turning(refused, 0.4, "lakes of others"):
        done = as_nobody(build, here, *command)
        assert done.returncode == 1 and "Permission denied" in done.stderr, done
        assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    whole(here / "lake", made)


def as_nobody(build: Path, where: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of `darshan` as an unprivileged user in a folder. Returns its output and exit
    status."""
    environment = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
    return subprocess.run(
        [build / "darshan", *command],
        cwd=where,
        env={**environment, "DARSHAN_PYTHON": sys.executable, "HOME": "/nonexistent"},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_deep_folders(tmp_path: Path) -> None:
    """Folders are searched at any depth, also below paths that are longer than a system call
    accepts."""
    top = here = tmp_path / "deep"
    here.mkdir()
    back = os.open(".", os.O_RDONLY)
    try:
        for _ in range(1200):
            os.chdir(here)
            here = Path("d")
            here.mkdir()
    finally:
        os.fchdir(back)
        os.close(back)
    errors: list[OSError] = []
    assert list(files.below(str(top), errors)) == []
    subprocess.run(["rm", "-rf", top], check=True)


def test_a_log_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """A log that changes while it is read is skipped. The next collection adds it once, and the
    earlier contents never."""
    made = make_logs(tmp_path / "logs", 3)
    whole_log = made[1].read_bytes()
    made[1].write_bytes(whole_log[: len(whole_log) // 2])
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    publisher = Publisher(str(lake))
    real = files.identity

    def grows(path: str, *more: object) -> object:
        found = real(path, *more)  # type: ignore[arg-type]
        if path == str(made[1]):
            made[1].write_bytes(whole_log)
        return found

    files.identity = grows  # type: ignore[assignment]
    try:
        part = make([files.named(str(p)) for p in made], Options(str(lake)), publisher.seen.has)
    finally:
        files.identity = real
    assert (len(part.took), part.left) == (2, 1)
    publisher.publish(part)
    whole(lake, [made[0], made[2]])
    assert rows(lake, "problems") == []
    found = [files.named(str(p)) for p in made]
    publisher.publish(make(found, Options(str(lake), findings=False), publisher.seen.has))
    whole(lake, made)


def test_two_that_want_the_same_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another collector commits some of the same logs after this one has written its files, this
    one removes its files and writes them again without these logs."""
    made = make_logs(tmp_path / "logs", 6)
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    first, second = Publisher(str(lake)), Publisher(str(lake))
    options = Options(str(lake), findings=False)
    ours, theirs = (make([files.named(str(p)) for p in some], options)
                    for some in (made[:4], made[2:]))  # fmt: skip
    commit = first.snapshot.commit

    def late(change: object) -> bool:
        monkeypatch.setattr(first.snapshot, "commit", commit)
        assert second.publish(theirs) == 0
        return commit(change)  # type: ignore[arg-type]

    monkeypatch.setattr(first.snapshot, "commit", late)
    assert first.publish(ours) == 2
    whole(lake, made)
    assert not list((lake / "_work").iterdir())


def test_damage_ends_nothing(tmp_path: Path) -> None:
    """Each truncated or corrupted log has a row in jobs or in problems, and no rule fails on its
    values."""
    rng = random.Random(seed())
    cases = [c for c in good_cases() if not c.name.startswith(("good-many", "good-names-many"))]
    made = []
    for number in range(400 if everything() else 30):
        content = bytearray(encode(rng.choice(cases).log))
        if rng.random() < 0.5:
            del content[rng.randrange(len(content)) :]
        else:
            for _ in range(rng.choice((1, 4, 30))):
                content[rng.randrange(len(content))] = rng.randrange(256)
        made.append(tmp_path / f"user_p_id{number}-1_1-1-1-1_1.darshan")
        made[-1].write_bytes(content)
    lake = tmp_path / "lake"
    storage.make(str(lake), {})
    part = make([files.named(str(p)) for p in made], Options(str(lake), traces=True))
    Publisher(str(lake)).publish(part)
    there = logs(lake)
    assert len(there) == len(set(there))
    told = {r["log"]: r["path"] for r in rows(lake, "problems")}
    known = set(there) | set(told)
    for path in made:  # a file without the header of a log is not identified by its content
        assert identity(path) in known or str(path) in told.values(), path
    assert len({path.read_bytes() for path in made}) <= len(known) <= len(made)
    ended = r"its findings: \w*(Error|Exception|Warning): "
    wrong = [r for r in rows(lake, "problems") if re.match(ended, r["problem"])]
    assert not wrong, (wrong, seed())


def test_an_interpreter_without_names(darshan: Run, tmp_path: Path) -> None:
    """Collecting works without the variable HOME, in another locale, and into a relative path with
    unusual characters."""
    made = make_logs(tmp_path / "logs", 2)
    (tmp_path / "user=jane").mkdir()
    name = "user=jane/a lake 'of' \"%20\" [x]*?{y}=\n\u00e9"
    bare = {"HOME": "/nonexistent", "LC_ALL": "POSIX", "TMPDIR": str(tmp_path)}
    assert darshan("collect", "--into", name, "logs", environment=bare).returncode == 0
    commands = (
        ["ask", name, "programs"],
        ["ask", name, "--sql", "SELECT count(*) FROM files_posix WHERE month >= '2000-01'"],
        ["lake", "info", name],
        ["lake", "compact", name],
        ["lake", "check", "--deep", name],
        ["ask", name, "between", "--from", "2023-01-01", "--to", "2030-01-01", "-o", "o u't.csv"],
    )
    for command in (*turning(commands[:-1], 0.5, "odd lakes"), commands[-1]):
        done = darshan(*command, environment=bare)
        assert done.returncode == 0, (command, done.stderr)
    done = darshan("ask", name, "users", "--csv", environment=bare)
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["user", "user0", "user1"]
    assert logs(tmp_path / name) == sorted(identity(path) for path in made)
    assert (tmp_path / "o u't.csv").read_text().count("\n") == 3
    assert {p.name for p in tmp_path.iterdir()} == {"logs", "user=jane", "o u't.csv"}
