"""darshan-summary-per-file makes a log and a report of each file in a log."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from darshan_report import open_log
from lab.command import finished
from logs.content import standard_log
from logs.encode import encode
from logs.model import Log
from logs.record_id import record_id


def called(command: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a command. Returns its output and exit status."""
    words = [str(x) for x in (command, *arguments)]
    return finished(words, timeout=120)


def test_each_file(build: Path, tmp_path: Path) -> None:
    """darshan-summary-per-file makes a report of each file, even if two files in different folders
    have the same name, or a name has characters that are special in a shell. It refuses an existing
    folder."""
    names = [b"/a/same", b"/b/same", b"/c/-n $(x) 'y'.dat"]
    log = standard_log({"POSIX": 4, "LUSTRE": 2}, files=3)
    order = list(dict.fromkeys(record.id for record in log.modules[0].records))
    ids = {old: record_id(name) for old, name in zip(order, names)}
    for module in log.modules:
        module.records = [record for record in module.records if record.id in ids]
        for record in module.records:
            record.id = ids[record.id]
    log.names = [(record_id(name), name) for name in names]
    (tmp_path / "log").write_bytes(encode(log))
    folder = tmp_path / "out folder"
    done = called(build / "darshan", "report", "--per-file", folder, tmp_path / "log", "--text")
    assert done.returncode == 0, done.stderr
    logs = sorted(folder.glob("*.darshan"))
    assert len(logs) == len(names) == len(done.stdout.splitlines())
    found = {}
    for path in logs:
        with open_log(path) as opened:
            (name,) = opened.names().values()
            found[name] = path.name
        assert path.with_suffix(".txt").read_text()
    assert set(found) == {name.decode() for name in names}
    assert found["/c/-n $(x) 'y'.dat"] == "-n $(x) 'y'.dat.darshan"
    assert "same.darshan" in found.values()
    again = called(build / "darshan-summary-per-file.sh", tmp_path / "log", folder)
    assert again.returncode == 1 and again.stderr.count("\n") == 1


def test_options_of_the_report(build: Path, tmp_path: Path) -> None:
    """darshan-summary-per-file reports a wrong option for the report once and leaves no folder; --
    ends its own options."""
    command, log, folder = build / "darshan-summary-per-file", tmp_path / "-log", tmp_path / "out"
    log.write_bytes(encode(standard_log({"POSIX": 4}, files=4)))
    for wrong in ("--nonsense", "-o", "-ox.pdf", "--output=x.pdf"):
        done = called(command, log, folder, wrong)
        assert done.returncode == 2 and wrong in done.stderr
        assert done.stderr.count("usage") <= 1
        assert not folder.exists()
    csv = [str(command), "--", "-log", "csv", "--csv"]
    subprocess.run(csv, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert len(sorted((tmp_path / "csv").glob("*.csv"))) == 4
    words = [str(command), "--", "-log", "-out", "--json"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    made = sorted((tmp_path / "-out").glob("*.json"))
    assert len(made) == 4 and all(isinstance(json.loads(x.read_text()), dict) for x in made)


def test_nothing_to_do(build: Path, tmp_path: Path) -> None:
    """For an invalid log, a log without files or a usage error, darshan-summary-per-file prints one
    line and makes no folder."""
    command, log, folder = build / "darshan-summary-per-file", tmp_path / "log", tmp_path / "out"
    done = called(command, log, folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    log.write_bytes(encode(Log()))
    done = called(command, log, folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    whole = encode(standard_log({"POSIX": 4, "STDIO": 2}, files=300))
    damage = len(whole) * 3 // 4  # after some readable records
    log.write_bytes(whole[:damage] + b"damaged!" + whole[damage + 8 :])
    done = called(command, log, folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert called(command, log).returncode == 2
    assert not folder.exists()
