"""A table on a page of `darshan serve` can be saved as CSV in a browser, and a spreadsheet
interprets nothing in it as a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from logs.content import standard_log
from logs.encode import encode
from place import needs
from report.browser import browser

from .test_serve import ask, is_ready, serving, table
from .test_sums import fill

# Programs whose names begin like a formula or contain commas and quotes.
_EXE = ("/bin/=cmd()", '/bin/a,"b"', "/bin/plain")
_SAVED = """URL.createObjectURL = (blob) => { window.saved = blob.text(); return "#"; };
document.querySelector("#programs p.row button").click();"""


def test_saved_as_csv(build: Path, tmp_path: Path) -> None:
    """The CSV file has all rows of the table with plain numbers, and no text that a spreadsheet
    would interpret as a formula."""
    needs("program:chromium", "program:chromedriver")
    paths = []
    for number, exe in enumerate(_EXE):
        log = standard_log({"POSIX": 3}, seed=number, exe=exe.encode())
        paths.append(tmp_path / f"user{number}_p_id{number}-1_1-1-1-1_1.darshan")
        paths[-1].write_bytes(encode(log))
    fill(tmp_path / "lake", paths)
    address = "programs?since=2000-01-01"
    with serving(build, tmp_path / "lake") as port, browser(tmp_path) as window:
        shown = table(ask(port, f"/{address}")[1], "programs")
        window.open(f"http://127.0.0.1:{port}/{address}")
        is_ready(window)
        window.run(_SAVED)
        text = window.later("done(await window.saved);")
        assert window.complaints() == []
    titles, *rows = csv.reader(io.StringIO(text))
    assert titles[:3] == ["Program", "Jobs", "Users"] and "Read (bytes)" in titles
    assert "Lost (seconds)" in titles
    place = titles.index("Read (bytes)")
    found = {row[0]: float(row[place]) for row in rows}
    assert set(found) == {"'=cmd()", 'a,"b"', "plain"}
    assert list(found.values()) == [row["Read"] for row in shown]
