"""The counters that `darshan watch --export` writes equal those of the logs and never decrease, and
receivers that are down or slow do not delay others."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from google.protobuf.json_format import Parse
from lab.command import finished
from lab.environment import plain, settings
from lab.log import read_logs
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from tree import SOURCE

from .exporting import exporter, recorded, samples_of, total, until, user_name

BYTES = "darshan_written_bytes_total"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Returns new folders for journals and for logs."""
    for name in ("journals", "logs"):
        (tmp_path / name).mkdir()
    return tmp_path / "journals", tmp_path / "logs"


# A run of several processes, some of which live shorter than the interval of `darshan watch`.
SCRIPT = """
/usr/bin/python3 -c 'open("a", "wb", 0).writelines([bytes(1000)] * 50)'
for n in 1 2 3; do cat a >b$n; done; (cat b1 >c); rm b2; mv b3 d
/usr/bin/python3 -c 'import os, time; os.stat("a"); print(len(open("d").read())); time.sleep(0.4)'
"""


def test_counters_are_those_of_the_log(
    build: Path, parser: Path, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """For a run of many short processes, the last exported bytes, calls, opens and seconds equal
    the sums in its log. At its end, `darshan watch` removes the file for Prometheus."""
    journals, logs = folders
    environment = {**plain(), **settings(build, logs, journals), "DARSHAN_JOBID": "BATCH_JOB"}
    environment["BATCH_JOB"] = "4711"
    with exporter(build, tmp_path, journals) as seen:
        done = subprocess.run(
            ["/bin/sh", "-c", SCRIPT], cwd=tmp_path, env=environment, stdout=subprocess.PIPE,
            timeout=60, check=True,
        )  # fmt: skip
        assert done.stdout == b"50000\n"
        log = read_logs(parser, *logs.glob("*.darshan"))
        wrote = log.total("POSIX_BYTES_WRITTEN") + log.total("STDIO_BYTES_WRITTEN")
        read = log.total("POSIX_BYTES_READ") + log.total("STDIO_BYTES_READ")
        until(lambda: seen.total(BYTES, job_id="4711") >= wrote)
        until(lambda: seen.total("darshan_read_bytes_total") >= read)
        until(lambda: seen.total("darshan_processes") == 0)
        found = seen.samples()
    assert total(found, BYTES, job_id="4711", user=user_name()) == wrote == 250000
    expected = {
        "darshan_read_bytes_total": read,
        "darshan_reads_total": log.total("POSIX_READS") + log.total("STDIO_READS"),
        "darshan_opens_total": log.total("POSIX_OPENS") - log.total("POSIX_DUPS")
        - log.total("POSIX_FILENOS") + log.total("STDIO_OPENS") - log.total("STDIO_FDOPENS"),
    }  # fmt: skip
    streams = [log.records.get(("STDIO", f"<STD{name}>"), {}) for name in ("IN", "OUT", "ERR")]
    expected["darshan_opens_total"] -= sum(one.get("STDIO_OPENS", 0) for one in streams)
    assert {name: total(found, name) for name in expected} == expected
    assert total(found, "darshan_metadata_operations_total") >= expected["darshan_opens_total"] + 3
    for operation, counter in (("read", "READ"), ("write", "WRITE")):
        seconds = total(found, "darshan_io_seconds_total", layer="POSIX", operation=operation)
        assert seconds == pytest.approx(log.total(f"POSIX_F_{counter}_TIME"), rel=0.01, abs=1e-5)
    assert seen.status == 0 and seen.errors.read_bytes() == b""
    assert not seen.prometheus.exists()  # its numbers would look alive for ever


def test_the_sum_of_a_job_outlives_its_processes(
    build: Path, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """The counter of a job continues when one of its processes ends and the next one begins, for
    Prometheus and in the lines of JSON. Each job, and all processes without a job, have their own
    counter."""
    journals = folders[0]
    expected = {"1": 0, "2": 0, "none": 0}
    with exporter(build, tmp_path, journals) as seen:

        def is_seen(job: str) -> bool:
            return seen.total(BYTES, job_id=job) == expected[job]

        for job in ("1", "1", "none", "2"):
            number = None if job == "none" else int(job)
            with recorded(build, tmp_path / "data", folders, number) as process:
                process.write(3)
                expected[job] += process.written
                until(lambda job=job: is_seen(job))  # type: ignore[misc]
                process.write()  # after the exporter's last look: final counters count
                process.end()
                expected[job] += 4096
                until(lambda job=job: is_seen(job))  # type: ignore[misc]
        until(lambda: seen.total("darshan_processes") == 0)
        assert expected == {"1": 2 * 16384, "2": 16384, "none": 16384}
    lines = [one for one in seen.objects() if one["job_id"] == "1" and one["written_bytes"]]
    values = [one["written_bytes"] for one in lines]
    assert values == sorted(values, key=int) and values[-1] == 2 * 16384  # type: ignore[call-overload]
    assert {(one["schema"], one["producer"], one["user"]) for one in lines} == {
        ("darshan_watch", socket.gethostname(), user_name())
    }
    assert {"timestamp", "fs", "fstype", "posix_write_seconds", "opens"} <= set(lines[0])


def test_the_dashboard_and_the_guide_name_what_is_exported(
    build: Path, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """All counters and labels in the queries of share/grafana/darshan.json are exported, and
    doc/live.md names each exported counter."""
    text = (SOURCE / "share" / "grafana" / "darshan.json").read_text()
    panels = json.loads(text)["panels"]
    queries = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    with (
        exporter(build, tmp_path, folders[0]) as seen,
        recorded(build, tmp_path / "data", folders, 5) as process,
    ):
        process.write()
        until(lambda: seen.total(BYTES) == 4096)
        names = {name for name, _ in seen.samples()}
        labels = {key for _, pairs in seen.samples() for key, _ in pairs}
    assert set(re.findall(r"darshan_\w+", queries)) <= names
    asked = re.findall(r"(\w+)=~", queries) + re.findall(r"\w+", " ".join(
        re.findall(r"by \(([^)]*)\)", queries)
    ))  # fmt: skip
    assert set(asked) - {"instance"} <= labels
    guide = (SOURCE / "doc" / "live.md").read_text()
    assert {name for name in names if f"`{name}`" not in guide} == set()


# --- OTLP --------------------------------------------------------------------------------


@contextmanager
def collector(port: int = 0) -> Iterator[tuple[int, list[ExportMetricsServiceRequest]]]:
    """Runs an HTTP server during the context that parses metrics by OTLP's own definitions. Yields
    its port, and the list to which it adds each request; other requests get status 400. port: 0 for
    any free one."""
    requests: list[ExportMetricsServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_right = self.path == "/v1/metrics" and self.headers["Content-Type"] == (
                "application/json"
            )
            if is_right:
                requests.append(Parse(body, ExportMetricsServiceRequest()))
            self.send_response(200 if is_right else 400)
            self.end_headers()
            self.wfile.write(b'{"partialSuccess":{}}')

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port, requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def points(request: ExportMetricsServiceRequest, name: str) -> dict[str, float]:
    """Returns the values of a metric by job id. Fails unless it is a sum that only grows."""
    found: dict[str, float] = {}
    for metric in request.resource_metrics[0].scope_metrics[0].metrics:
        if metric.name != name:
            continue
        assert metric.sum.is_monotonic
        assert metric.sum.aggregation_temporality == (
            AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
        )
        for point in metric.sum.data_points:
            labels = {one.key: one.value.string_value for one in point.attributes}
            assert {"job_id", "user", "fs", "fstype"} <= set(labels)
            assert 0 < point.start_time_unix_nano <= point.time_unix_nano
            job = labels["job_id"]
            found[job] = found.get(job, 0) + (point.as_int or point.as_double)
    return found


def written(request: ExportMetricsServiceRequest) -> dict[str, float]:
    """Returns the bytes that each job has written, by job id."""
    return points(request, "darshan.written_bytes")


def test_otlp(build: Path, folders: tuple[Path, Path], tmp_path: Path) -> None:
    """The requests to a collector can be parsed by OTLP's own definitions, name the service and the
    host, and have the job's bytes, calls and seconds."""
    journals = folders[0]
    with (
        collector() as (port, requests),
        exporter(build, tmp_path, journals, f"otlp:http://127.0.0.1:{port}") as seen,
        recorded(build, tmp_path / "data", folders, 5) as process,
    ):
        process.write(7)
        until(lambda: bool(requests) and written(requests[-1]) == {"5": 28672})
        process.end()
    assert seen.errors.read_bytes() == b""
    last = requests[-1]
    attributes = last.resource_metrics[0].resource.attributes
    resource = {one.key: one.value.string_value for one in attributes}
    assert resource == {"service.name": "darshan", "host.name": socket.gethostname()}
    assert written(last) == {"5": 28672}
    assert points(last, "darshan.writes") == {"5": 7}
    assert points(last, "darshan.io_seconds")["5"] > 0


def test_a_collector_that_is_down_or_slow(
    build: Path, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """Neither a collector whose port is closed nor one that never responds delays the file for
    Prometheus. A line reports the failure, and another one that the export works again."""
    journals = folders[0]
    with socket.socket() as silent, socket.socket() as closed:
        for one in (silent, closed):
            one.bind(("127.0.0.1", 0))
        silent.listen()
        port = closed.getsockname()[1]
        closed.close()
        mute = f"otlp:http://127.0.0.1:{silent.getsockname()[1]}/v1/metrics"
        with (
            exporter(build, tmp_path, journals, f"otlp:http://localhost:{port}", mute) as seen,
            recorded(build, tmp_path / "data", folders, 5) as process,
        ):
            for i in range(1, 4):
                process.write()
                until(lambda i=i: seen.total(BYTES) == 4096 * i)  # type: ignore[misc]
            until(lambda: b"cannot connect: Connection refused" in seen.errors.read_bytes())
            with collector(port) as (_, requests):
                until(lambda: b"the export to http" in seen.errors.read_bytes())
                assert written(requests[-1]) == {"5": 12288}
            process.end()
    lines = seen.errors.read_text().splitlines()
    assert sum(f"localhost:{port}" in line and "cannot" in line for line in lines) <= 2
    assert lines[0].startswith("darshan: cannot export to http://localhost:")
    assert seen.status == 0


def test_an_answer_that_is_no_success_is_said(
    build: Path, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """If a collector refuses the request, a line gives its HTTP status."""
    with (
        collector() as (port, requests),
        exporter(build, tmp_path, folders[0], f"otlp:http://127.0.0.1:{port}/elsewhere") as seen,
    ):
        until(lambda: b"HTTP status 400" in seen.errors.read_bytes())
    assert requests == []


# --- limits, and words -------------------------------------------------------------------


def test_labels_are_bounded(build: Path, folders: tuple[Path, Path], tmp_path: Path) -> None:
    """With --limit 16 and 12 jobs, four jobs have their own labels and the others share the label
    "other"; the sum of bytes is exact."""
    journals, logs = folders
    text = tmp_path / "darshan.prom"
    environment = {**plain(), **settings(build, logs, journals), "DARSHAN_JOBID": "BATCH_JOB"}
    command = "import os, time; open('data', 'wb', 0).write(bytes(1000)); print(); time.sleep(60)"
    processes = [
        subprocess.Popen(
            ["/usr/bin/python3", "-uc", command], cwd=tmp_path, stdout=subprocess.PIPE,
            env={**environment, "BATCH_JOB": str(job)},
        )
        for job in range(100, 112)
    ]  # fmt: skip
    try:
        for process in processes:
            assert process.stdout is not None and process.stdout.readline() == b"\n"
        done = subprocess.run(
            [build / "darshan", "watch", "-n", "0.05", "-c", "2", "--limit", "16",
             "--export", f"prometheus:{text}", journals],
            stderr=subprocess.PIPE, timeout=60, check=False, env=plain(),
        )  # fmt: skip
    finally:
        for process in processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    assert (done.returncode, done.stderr) == (0, b"")
    found = samples_of(text.read_text())
    labels = {all_ for name, all_ in found if name == BYTES}
    assert len(labels) == 16 // 4 + 1
    assert total(found, BYTES) == 12 * 1000
    assert total(found, BYTES, job_id="other", fs="other", user=user_name()) > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--export", "graphite:x"], "prometheus:FILE"),
        (["--export", "otlp:https://host/"], "collector on this node"),
        (["--export", "otlp:http://host:80x/"], "http://HOST:PORT/PATH"),
        (["--export", "json:"], "json:FILE"),
        (["--limit", "0"], "usage:"),
    ],
)
def test_wrong_words(build: Path, words: list[str], said: str) -> None:
    """An invalid receiver or limit ends the command with status 2. said: part of the message."""
    command = [build / "darshan", "watch", *words]
    done = finished(command, timeout=60)
    assert done.returncode == 2 and said in done.stderr


def test_lines_on_standard_output(build: Path, folders: tuple[Path, Path], tmp_path: Path) -> None:
    """`json:-` prints lines of JSON on standard output. The command ends when the reader has closed
    the pipe."""
    journals = folders[0]
    command = [build / "darshan", "watch", "-n", "0.05", "--export", "json:-", journals]
    with recorded(build, tmp_path / "data", folders, 9) as process:
        process.write(2)
        watch = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=plain()
        )
        assert watch.stdout is not None and watch.stderr is not None
        lines = [json.loads(watch.stdout.readline()) for _ in range(2)]
        assert sum(one["written_bytes"] for one in lines) == 8192
        watch.stdout.close()
        while watch.poll() is None:
            process.write()
        with watch.stderr:
            assert watch.returncode == 1 and "Broken pipe" in watch.stderr.read()


def test_no_folder(build: Path, tmp_path: Path) -> None:
    """A folder of journals that does not exist is reported. The command fails only if no other
    folder exists."""
    words = ["-c", "1", "--export", f"prometheus:{tmp_path / 'a.prom'}", tmp_path / "nowhere"]
    for more, status in (([], 1), ([tmp_path], 0)):
        done = finished([build / "darshan", "watch", *words, *more], env={**os.environ}, timeout=60)
        assert done.returncode == status
        assert "nowhere: No such file or directory" in done.stderr
