"""The user of a job in a lake is the owner of the log's file, whatever the file's name says."""

from __future__ import annotations

import json
import os
import pwd
import shutil
from pathlib import Path

import pytest
from logs.content import standard_log
from logs.encode import encode

from .conftest import Run
from .rows import committed, identity, make_logs, rows

COLLECT = ("collect", "--into", "lake", "--workers", "1")
# A user id without a name.
STRANGER = 54_321
# Name of a file that is not user0's.
FORGED = "user0_program0_id7-7_1-1-1-1_1.darshan"


def _somebody() -> pwd.struct_passwd:
    """Returns a user of this machine who is neither root nor the one that runs the tests."""
    return next(u for u in pwd.getpwall() if u.pw_uid not in (0, os.getuid()))


def _logs(folder: Path) -> tuple[Path, Path, Path]:
    """Makes three logs that are named after user0. Their files belong to the collector's user, to
    another user, and to a user id without a name. Returns their paths in this order."""
    made = make_logs(folder, 3)
    honest, forged, strange = (folder / f"user0_p{n}_id{n}-1_1-1-1-1_1.darshan" for n in range(3))
    for path, name in zip(made, (honest, forged, strange)):
        shutil.move(path, name)
    os.chown(forged, _somebody().pw_uid, -1)
    os.chown(strange, STRANGER, -1)
    return honest, forged, strange


@pytest.mark.needs("root")
def test_a_name_is_no_proof(darshan: Run, tmp_path: Path) -> None:
    """If a user names a log after another user, the owner of the file is the user in all tables.
    The row in jobs is marked as forged, unless the owner is the collector's user."""
    paths = _logs(tmp_path / "logs")
    assert darshan(*COLLECT, "logs").returncode == 0
    lake, somebody = tmp_path / "lake", _somebody().pw_name
    users = dict(zip(map(identity, paths), ("user0", somebody, str(STRANGER))))
    for name in committed(lake):
        assert all(row["user"] == users[row["log"]] for row in rows(lake, name)), name
    jobs = {row["log"]: row for row in rows(lake, "jobs")}
    said = [[jobs[identity(p)][n] for n in ("owner", "named", "forged")] for p in paths]
    assert said == [
        [pwd.getpwuid(os.getuid()).pw_name, "user0", None],
        [somebody, "user0", True],
        [str(STRANGER), "user0", True],
    ]
    for user, log in zip(users.values(), users):
        query = ["--sql", "SELECT log FROM jobs", "--json"]
        asked = darshan("ask", "lake", "--user", user, *query)
        assert [r["log"] for r in json.loads(asked.stdout)] == [log], user
    gone = darshan("lake", "prune", "--user", "user0", "lake")
    assert ": 1 logs of user0" in gone.stdout, gone


@pytest.mark.needs("root")
def test_an_honest_name_is_not_marked(darshan: Run, tmp_path: Path) -> None:
    """A log that is named after the owner of its file is not marked as forged, nor is one whose
    name contains no user."""
    somebody = _somebody()
    made = make_logs(tmp_path / "logs", 2)
    own = made[0].rename(tmp_path / "logs" / f"{somebody.pw_name}_p_id1-1_1-1-1-1_1.darshan")
    plain = made[1].rename(tmp_path / "logs" / "run.darshan")
    for path in (own, plain):
        os.chown(path, somebody.pw_uid, -1)
    (tmp_path / "logs" / FORGED).write_bytes(b"no log")
    os.chown(tmp_path / "logs" / FORGED, somebody.pw_uid, -1)
    assert darshan(*COLLECT, "--settle", "0", "logs").returncode == 0
    said = rows(tmp_path / "lake", "jobs")
    assert [(r["user"], r["forged"]) for r in said] == [(somebody.pw_name, False)] * 2
    assert {r["user"] for r in rows(tmp_path / "lake", "problems")} == {somebody.pw_name}


@pytest.mark.needs("root")
def test_owners_are_hidden_like_users(darshan: Run, tmp_path: Path) -> None:
    """In a lake with anonymized names, the same name has the same replacement in the columns user,
    owner and named."""
    honest, forged, _ = _logs(tmp_path / "logs")
    assert darshan(*COLLECT, "logs", "--obfuscate").returncode == 0
    jobs = {row["log"]: row for row in rows(tmp_path / "lake", "jobs")}
    one, other = jobs[identity(honest)], jobs[identity(forged)]
    assert one["user"] == one["named"] == other["named"] != other["user"] == other["owner"]
    assert "user0" not in str(jobs) and _somebody().pw_name not in str(
        [row["owner"] for row in jobs.values()]
    )


def _log(path: Path, command: bytes, uid: int, owner: int) -> None:
    """Writes a log. uid: the user in the log. owner: the user who owns the file."""
    log = standard_log({"POSIX": 2}, seed=uid, exe=command, uid=uid)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode(log))
    os.chown(path, owner, -1)


@pytest.mark.needs("root")
def test_names_with_underscores(darshan: Run, tmp_path: Path) -> None:
    """If names of users or programs contain underscores, the program in the log determines where
    the user's name ends in the file's name."""
    somebody, logs = _somebody(), tmp_path / "logs"
    _log(logs / "games_dev_solver_id1-1_1-1-1-1_1.darshan", b"/opt/solver -x", 12345, os.getuid())
    _log(logs / "svc_build_all_id2-2_1-1-1-1_1.darshan", b"./build_all", 23456, os.getuid())
    own = f"{somebody.pw_name}_a_b_id3-3_1-1-1-1_1.darshan"
    _log(logs / own, b"renamed", somebody.pw_uid, somebody.pw_uid)
    assert darshan(*COLLECT, "logs").returncode == 0
    said = {(r["user"], r["named"], r["forged"]) for r in rows(tmp_path / "lake", "jobs")}
    assert said == {
        ("games_dev", "games_dev", None),
        ("svc", "svc", None),
        (somebody.pw_name, somebody.pw_name, False),
    }


@pytest.mark.needs("root")
@pytest.mark.parametrize("key", [[], ["--obfuscate"]])
def test_only_its_owner_replaces_a_log(darshan: Run, tmp_path: Path, key: list[str]) -> None:
    """A file that another user puts at the path of a collected log does not replace the log's rows.
    A file of the same owner does, and so does one of the collector's user, who may copy logs. key:
    whether names are anonymized."""
    somebody, logs = _somebody(), tmp_path / "logs"
    paths = make_logs(logs, 4)
    for path in paths:
        os.chown(path, STRANGER, -1)
    before = [identity(path) for path in paths]
    assert darshan(*COLLECT, "--remove-collected", "logs", *key).returncode == 0
    assert not any(path.exists() for path in paths)
    newer = make_logs(tmp_path / "newer", 4, first=10)
    contents = [path.read_bytes() for path in newer]
    contents[1] = b"garbage" * 100
    owners = (somebody.pw_uid, somebody.pw_uid, STRANGER, os.getuid())
    for place, content, owner in zip(paths, contents, owners):
        place.write_bytes(content)
        os.chown(place, owner, -1)
    done = darshan(*COLLECT, "--settle", "0", "logs", *key)
    assert done.returncode == 0 and "2 replaced older contents" in done.stderr, done.stderr
    kept = {row["log"] for row in rows(tmp_path / "lake", "jobs")}
    assert kept == {before[0], before[1], *(identity(path) for path in (newer[0], *newer[2:]))}
