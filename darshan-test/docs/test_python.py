"""The examples of doc/python.md print what the page shows, on the log that the page names. A
notebook shows hostile names as text and never as HTML."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
PAGE = TREE / "doc" / "python.md"
SECONDS = 60
# Runs the examples of standard input, and prints their number and the number of failures.
RUN = """
import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "python.md", None, 0)
result = doctest.DocTestRunner().run(test)
print("ran", result.attempted, "failed", result.failed)
"""
# A name that would run a script in a page that does not escape it.
HOSTILE = "<img src=x onerror=alert(1)>&\"'\u202e"


def python(build: Path, folder: Path, code: str, text: str = "") -> str:
    """Runs Python code that imports the package as doc/python.md says. Returns its standard output.
    text: its standard input. Fails if the code ends with an error."""
    where = subprocess.run(
        [build / "darshan", "report", "--python-path"], capture_output=True, text=True, check=True
    ).stdout.strip()
    kept = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**kept, "PYTHONPATH": where, "DARSHAN_DOC_URL": ""},
        input=text,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def watched(build: Path, folder: Path, command: list[str], **settings: str) -> None:
    """Runs a program under `darshan run`, and renames its log to job.darshan in the folder.
    settings: variables for the runtime."""
    subprocess.run(
        [build / "darshan", "run", "-o", "logs", *command],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )
    (log,) = (folder / "logs").glob("*.darshan")
    log.rename(folder / "job.darshan")


def test_examples(build: Path, tmp_path: Path) -> None:
    """Each example of the page prints exactly the output that the page shows."""
    page = PAGE.read_text("utf-8")
    (line,) = re.findall(r"^DXT_ENABLE_IO_TRACE=1 darshan run -o logs (.*)$", page, re.M)
    watched(build, tmp_path, line.split(), DXT_ENABLE_IO_TRACE="1")
    blocks = re.findall(r"^```pycon\n(.*?)^```", page, re.M | re.S)
    said = python(build, tmp_path, RUN, "\n".join(blocks))
    assert page.count(">>> ") > 20
    assert said.endswith(f"ran {page.count('>>> ')} failed 0\n"), said


def test_without_pandas(build: Path, tmp_path: Path) -> None:
    """Without pandas, only the methods that return data frames fail, with a message that names
    pandas."""
    watched(build, tmp_path, ["dd", "if=/dev/zero", "of=data", "bs=8", "count=9", "status=none"])
    said = python(
        build,
        tmp_path,
        """
import sys
sys.modules["pandas"] = None
from darshan_report import open_log
log = open_log("job.darshan")
print(log.records("POSIX")["POSIX_BYTES_WRITTEN"].sum())
for module in ("POSIX", "HEATMAP", "DXT_POSIX"):
    try:
        log.frame(module)
    except ImportError as error:
        print(error)
""",
    )
    lines = said.splitlines()
    assert lines[0] == "72" and len(lines) == 4
    assert all(line.startswith("frames need pandas, which ") for line in lines[1:])


class Page(HTMLParser):
    """Collects the elements, attributes and text of an HTML page while it is parsed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("closed", [False, True])
def test_names_of_strangers_in_a_notebook(closed: bool, build: Path, tmp_path: Path) -> None:
    """A notebook shows a file's name, a command line and the log's name completely, as text and
    never as HTML. closed: whether the log is closed before it is shown."""
    command = ["dd", "if=/dev/zero", f"of={HOSTILE}", "bs=1", "count=2000000", "status=none"]
    watched(build, tmp_path, command)
    hostile = tmp_path / f"{HOSTILE}.darshan"
    (tmp_path / "job.darshan").rename(hostile)
    code = f"""
from darshan_report import open_log
log = open_log({hostile.name!r})
findings = log.findings()
if {closed}: log.close()
print(log._repr_html_(), findings._repr_html_())
assert findings[0]._repr_html_() in findings._repr_html_()
"""
    page = Page()
    page.feed(python(build, tmp_path, code))
    assert page.tags <= {"div", "p", "b", "code", "pre", "table", "thead", "tbody", "tr", "th",
                         "td", "details", "summary"}  # fmt: skip
    assert page.attributes <= {"style"}
    assert page.text.count("<img src=x onerror=alert(1)>&\"'\\u202e") >= 3  # log, command, record
    assert "Many small writes" in page.text
    assert ("is closed" in page.text) is closed
