"""A lake with anonymized names: a reader without the key cannot find out whether a guessed name
occurs in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from darshan_report.lake import columns
from darshan_report.lake.read import files
from darshan_report.lake.write.hide import Hide
from logs.content import LAYOUTS, file_name, standard_log
from logs.encode import encode
from logs.record_id import record_id

from .conftest import KEY, Run
from .rows import committed, make_logs, rows

MODULES = {"POSIX": 4, "STDIO": 2, "H5F": max(LAYOUTS["H5F"]), "H5D": max(LAYOUTS["H5D"])}
COLLECT = ("collect", "--into", "lake", "--workers", "1", "--settle", "0", "logs")


def _logs(folder: Path) -> list[Path]:
    """Makes a folder with a log and a file that is not a log. Returns their paths."""
    folder.mkdir()
    path = folder / "jane_p_id1-1_1-1-1-1_1.darshan"
    path.write_bytes(encode(standard_log(MODULES)))
    (folder / "jane_q_id2-2_1-1-1-1_1.darshan").write_bytes(b"no log")
    return sorted(folder.iterdir())


def test_a_dictionary_finds_nothing(darshan: Run, tmp_path: Path) -> None:
    """No table has a hash of a name that can be computed without the key. A file has the same id in
    all tables, so that joins have as many rows as in a lake with plain names."""
    _logs(tmp_path / "logs")
    assert darshan(*COLLECT, "--obfuscate").returncode == 0
    assert darshan(*COLLECT, "--into", "plain").returncode == 0
    lake, plain = tmp_path / "lake", tmp_path / "plain"
    guessed = {record_id(file_name(number)) for number in range(7)}
    number = 0
    for name in committed(plain):
        ids = [c.name for c in columns.tables()[name].columns if c.type == "id" and c.secret]
        for column in ids:
            public = [row[column] for row in rows(plain, name)]
            keyed = [row[column] for row in rows(lake, name)]
            assert not (set(keyed) - {0}) & (guessed | set(public)), (name, column)
            assert len(set(keyed)) == len(set(public)) and len(keyed) == len(public)
            number += bool(guessed & set(public))
    assert number > 3
    join = (
        "SELECT count(*) AS n FROM files_posix p JOIN files_stdio s USING (id) JOIN files_h5d d "
        "ON d.file_rec_id = p.id OR d.id = p.id"
    )
    said = [darshan("ask", n, "--sql", join, "--json").stdout for n in ("lake", "plain")]
    assert said[0] == said[1] and json.loads(said[0])[0]["n"] > 0


def test_no_index_tells_a_path(darshan: Run, tmp_path: Path) -> None:
    """The hashes in the index of collected files, and the identities of unreadable files, cannot be
    computed without the key either."""
    paths = _logs(tmp_path / "logs")
    assert darshan(*COLLECT, "--obfuscate").returncode == 0
    [index] = (tmp_path / "lake" / "_seen").iterdir()
    kind = np.dtype([("high", "<u8"), ("low", "<u8"), ("key", "<u8")])
    there = np.fromfile(index, kind)
    guesses = [files.named(str(path)) for path in paths]
    upper = {found.key >> files.STATE_BITS for found in guesses}
    assert not upper & {int(key) >> files.STATE_BITS for key in there["key"]}
    bad = files.identity(str(paths[1]))[0]
    assert bad.text not in {row["log"] for row in rows(tmp_path / "lake", "problems")}
    again = darshan(*COLLECT, "--obfuscate")
    assert "2 already collected" in again.stderr, again.stderr


def test_a_key_is_not_on_the_command_line(darshan: Run, tmp_path: Path) -> None:
    """The key is read from a file or from the environment; one on the command line is refused."""
    make_logs(tmp_path / "logs", 1)
    key = tmp_path / "key"
    key.write_text(f"{KEY['DARSHAN_LAKE_KEY']}\n")
    none = {"DARSHAN_LAKE_KEY": ""}
    done = darshan(*COLLECT, "--obfuscate", "secret")
    assert done.returncode == 2 and "--key-file" in done.stderr
    assert "secret" not in done.stderr and not (tmp_path / "lake").exists()
    for bad in (["--obfuscate"], ["--obfuscate", "--key-file", "none"], ["--key-file", "key"]):
        done = darshan(*COLLECT, *bad, environment=none)
        assert done.returncode == 2 and not (tmp_path / "lake").exists(), bad
    assert darshan(*COLLECT, "--obfuscate", "--key-file", "key", environment=none).returncode == 0
    done = darshan(*COLLECT, "--obfuscate")  # the same key from the environment
    assert done.returncode == 0 and "1 already collected" in done.stderr, done.stderr


def test_a_hidden_lake_of_before(darshan: Run, tmp_path: Path) -> None:
    """If a lake with anonymized names was begun by an earlier release, the collector reports that
    the ids of older rows do not depend on the key, and continues."""
    make_logs(tmp_path / "logs", 1)
    assert darshan(*COLLECT, "--obfuscate").returncode == 0
    head = tmp_path / "lake" / "_lake.json"
    said = json.loads(head.read_text())
    assert said.pop("ids") == "keyed"
    head.write_text(json.dumps(said))
    done = darshan(*COLLECT, "--obfuscate")
    assert done.returncode == 0 and "public record ids" in done.stderr


@pytest.mark.parametrize("kind", ["<u8", "<i8"])
def test_ids_of_every_type(kind: str) -> None:
    """Anonymizing ids keeps 0 (no id), maps equal ids to equal ones, and depends on the key;
    without a key ids stay as they are. kind: the numpy type of the ids."""
    array = np.array([0, 7, 0, 1 << 62, 7], kind)
    found = Hide("key").ids(array)
    assert found.dtype == np.dtype("u8") and found[0] == found[2] == 0
    assert found[1] == found[4] != found[3] and 7 not in found
    assert (Hide("other").ids(array)[1:4:2] != found[1:4:2]).all()
    assert (Hide().ids(array) == array).all()
    uuids = np.array([b"a" * 16, b"b" * 16, b"a" * 16], "V16")
    hidden = Hide("key").uuids(uuids)
    assert hidden[0] == hidden[2] != hidden[1] and hidden[0] != uuids[0]
