"""Benchmarks of processes, logs and tools. Each function returns rows of the table of results."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Bench, numbers, plain_environment
from rows import Row

HERE = Path(__file__).resolve().parent
# Number of logs in a report on many.
CAMPAIGN = 1000


def resident(bench: Bench) -> Row:
    """Measures the resident memory that the runtime adds to an idle process: the median of several
    runs, because the kernel maps libc's pages in groups. Returns a row of the table of results."""
    small = [bench.program("small"), "idle", str(bench.folder), "resident"]
    taken = []
    for _ in range(bench.repetitions):
        bare, _, bare_anonymous = numbers(small)
        ours, library, anonymous = numbers(small, bench.settings())
        taken.append((ours - bare - library, library, anonymous - bare_anonymous))
    added, library, anonymous = (statistics.median(column) for column in zip(*taken))
    text = f"+{added:.0f} KiB ({anonymous:.0f} in no file), and {library:.0f} KiB of the library"
    return Row("resident memory of an idle process", text, "300 KiB", added <= 300)


def processes(bench: Bench) -> list[Row]:
    """Measures what the runtime adds to the time of small processes, from start to end, and to
    their memory. Returns rows of the table of results."""
    rows = []
    pairs = [f"{name}={value}" for name, value in bench.settings().items()]
    for kind, label in (("idle", "that does nothing"), ("one", "that writes one file")):
        small = [bench.program("small"), kind, str(bench.empty("work"))]
        bare, _, _, ours, *_ = numbers([bench.program("spawn"), "200", *pairs, "--", *small])
        text = f"+{(ours - bare) / 1000:.2f} ms on {bare / 1000:.2f} ms"
        rows.append(Row(f"start and end of a process {label}", text, "0.6 ms", ours - bare <= 600))
    rows.append(resident(bench))
    return rows


def logs(bench: Bench) -> list[Row]:
    """Measures the size of a log, and the time that the recorded process itself spends for Darshan.
    Returns rows of the table of results."""
    folder = bench.empty("logs")
    small = [bench.program("small"), "many", str(bench.empty("work"))]
    timing = bench.settings() | {"DARSHAN_INTERNAL_TIMING": "1"}
    done = subprocess.run(
        small, env=plain_environment() | timing, stderr=subprocess.PIPE, text=True, check=True
    )
    (log,) = folder.glob("*.darshan")
    size = log.stat().st_size
    measured = f"{size / 1000:.1f} KB"
    return [
        Row("log of 1,000 files, one write each", measured, "53 KB", size <= 53_000),
        Row("the runtime's own timing of that process", done.stderr.strip(), "", True),
    ]


def traces(bench: Bench) -> list[Row]:
    """Measures a DXT trace of a million calls without dropped events: the added time per call, the
    size of the log per call, and the time that writing the log takes at the process's end. Returns
    rows of the table of results."""
    calls = 1_000_000
    added, sizes, ends = [], [], []
    tracing = bench.settings("", "MAX_RECORDS 65536 DXT_POSIX\n")
    tracing |= {"DXT_ENABLE_IO_TRACE": "1", "DARSHAN_INTERNAL_TIMING": "1"}
    for _ in range(min(bench.repetitions, 9)):
        logs, work = bench.empty("logs"), bench.empty("work")
        command = [bench.program("cost"), "pread", str(calls), "1", str(work)]
        (bare,) = numbers(command)
        done = subprocess.run(
            command, env=plain_environment() | tracing, capture_output=True, text=True, check=True
        )
        added.append(float(done.stdout) - bare)
        (log,) = logs.glob("*.darshan")
        sizes.append(log.stat().st_size / calls)
        ends.append(int(done.stderr.split()[-2]) / 1e6)  # "... writing the log N us"
    ns, size, end = (statistics.median(column) for column in (added, sizes, ends))
    return [
        Row("pread with DXT, a million calls kept", f"+{ns:.0f} ns", "70 ns", ns <= 70),
        Row("the log of these", f"{size:.1f} bytes per call", "6 bytes", size <= 6),
        Row("writing it at the end", f"{end:.2f} s", "0.3 s", end <= 0.3),
    ]


@dataclass
class Need:
    """The needs of a command in several runs: the medians of its elapsed and of its processor
    seconds, and the maximum of its memory in MiB."""

    wall: float
    processor: float
    mib: float

    def text(self) -> str:
        """Returns the needs as text for the table's column "measured"."""
        return f"{self.wall:.2f} s ({self.processor:.2f} s of processor time), {self.mib:.1f} MiB"

    def within(self, seconds: float, mib: float) -> bool:
        """Returns whether the command stayed within limits of time and memory. The smaller of
        elapsed and processor time counts, so that waiting for a busy processor does not."""
        return min(self.wall, self.processor) <= seconds and self.mib <= mib


def need(bench: Bench, times: int, command: list[str]) -> Need:
    """Measures a command in `times` runs."""
    wall, processor, kib, *_ = numbers([bench.program("spawn"), str(times), "--", *command])
    return Need(wall / 1e6, processor / 1e6, kib / 1024)


def parser(bench: Bench, log: Path) -> Row:
    """Measures darshan-parser with output to a file in memory. Returns a row of the table of
    results."""
    out = bench.folder / "out"
    text = ["sh", "-c", 'exec "$0" "$1" > "$2"', str(bench.build / "darshan-parser"), str(log)]
    needed = need(bench, 5, [*text, str(out)])
    size = out.stat().st_size / 1e6
    out.unlink()
    # The goal is for another log with 740 MB of text; this log has more digits.
    limit = 0.8 * size / 740
    label = f"darshan-parser, 100,000 files, {size:.0f} MB of text"
    goal = f"0.8 s for 740 MB, so {limit:.2f} s; 28 MiB"
    return Row(label, needed.text(), goal, needed.within(limit, 28))


def dxt_parser(bench: Bench) -> Row:
    """Measures darshan-dxt-parser with two million segments. Returns a row of the table of
    results."""
    log, out = bench.folder / "trace.darshan", bench.folder / "out"
    subprocess.run([HERE / "make_large_trace.py", log], check=True)
    tool = str(bench.build / "darshan-dxt-parser")
    needed = need(bench, 5, ["sh", "-c", 'exec "$0" "$1" > "$2"', tool, str(log), str(out)])
    out.unlink()
    log.unlink()
    label = "darshan-dxt-parser, 2 million segments"
    return Row(label, needed.text(), "0.4 s", needed.within(0.4, 28))


def report(bench: Bench, label: str, arguments: list[str], most: tuple[float, float]) -> Row:
    """Measures darshan-job-summary with some arguments. Returns a row of the table of results; if
    it fails, the row has its error. most: the limits in seconds and MiB."""
    goal = f"{most[0]:.1f} s, {most[1]:.0f} MiB"
    command = [str(bench.build / "darshan-job-summary"), "-o", str(bench.folder / "a.pdf")]
    try:
        command = ["sh", "-c", 'exec "$@" > /dev/null', "sh", *command, *arguments]
        needed = need(bench, 3, command)
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines()
        return Row(label, f"not measured: {said[0] if said else 'it failed'}", goal, False)
    return Row(label, needed.text(), goal, needed.within(*most))


def campaign(bench: Bench, log: Path) -> Row:
    """Measures a report on a folder of many copies of a log, and from this and a report on a single
    log the number of further logs per second. Returns a row of the table of results."""
    logs, few = bench.empty("campaign"), bench.empty("few")
    for folder, count in ((logs, CAMPAIGN), (few, 1)):
        for number in range(count):
            (folder / f"{number}.darshan").write_bytes(log.read_bytes())
    form = [str(bench.build / "darshan-job-summary"), "--text", "-o", str(bench.folder / "a.txt")]
    form = ["sh", "-c", 'exec "$@" > /dev/null', "sh", *form, "--campaign"]
    one, needed = need(bench, 3, [*form, str(few)]), need(bench, 1, [*form, str(logs)])
    shutil.rmtree(logs)
    rate = CAMPAIGN / (needed.processor - one.processor)
    text = f"{needed.text()}; {rate:.0f} logs per second of processor time"
    return Row(f"campaign of {CAMPAIGN:,} logs", text, "100 logs per second", rate >= 100)


def reports(bench: Bench, common: Path, large: Path) -> list[Row]:
    """Measures every form of report that has a goal. Returns rows of the table of results. common:
    a log of 1,000 files; large: a log of 100,000 files."""
    trace, wide = bench.folder / "trace.darshan", bench.folder / "wide.darshan"
    subprocess.run([HERE / "make_large_trace.py", trace], check=True)
    subprocess.run([HERE / "make_wide_log.py", wide], check=True)
    return [
        report(bench, "PDF report, 1,000 files", [str(common)], (1.2, 150)),
        report(bench, "findings alone, 1,000 files", ["--text", str(common)], (0.3, 150)),
        report(bench, "PDF report, 100,000 files", [str(large)], (3.0, 250)),
        report(bench, "PDF report, 10,000 ranks", [str(wide)], (3.0, 250)),
        report(bench, "PDF report, 2 million segments", [str(trace)], (5.0, 300)),
        campaign(bench, common),
    ]


def tools(bench: Bench) -> list[Row]:
    """Measures parser and report on a log of 100,000 files, and the report on other logs. Returns
    rows of the table of results."""
    large = bench.folder / "large.darshan"
    subprocess.run([HERE / "make_large_log.py", large], check=True)
    bench.empty("logs")
    numbers([bench.program("small"), "many", str(bench.empty("work"))], bench.settings())
    (common,) = (bench.folder / "logs").glob("*.darshan")
    return [parser(bench, large), dxt_parser(bench), *reports(bench, common, large)]
