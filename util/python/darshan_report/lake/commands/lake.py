"""The command darshan lake: prints the content of a lake and definitions of SQL views, checks,
compacts and publishes the lake, and removes rows and old files."""

from __future__ import annotations

import argparse
import datetime
import os
import threading
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from ...show import signal_exit
from ...units import amount, count
from .. import dates
from ..ask.views import for_spark, script
from ..commit import modes, verify
from ..commit.commits import File, Snapshot
from ..commit.compact import compact
from ..commit.prune import Which, prune, would_go
from ..commit.sweep import orphans, sweep
from ..delta import setting
from ..delta.publish import forget
from ..delta.published import lost
from ..sums.make import complete, damaged
from ..write.arrow import schema_of, shape, without_pandas
from .arguments import LAKE as PROGRAM
from .errors import told
from .messages import say, why


def _info(snapshot: Snapshot) -> int:
    hidden = ", names are hidden" if snapshot.settings.get("hidden") else ""
    mode = modes.of_lake(snapshot.path)
    files_have = "" if mode is None else f", files have the mode {modes.as_text(mode)}"
    print(f"{snapshot.path}: {snapshot.number} commits{hidden}{files_have}")
    if (seconds := setting.every(snapshot.path)) is not None:
        last = datetime.datetime.fromtimestamp(setting.last(snapshot.path), datetime.timezone.utc)
        often = f"at most every {seconds / 3600:,.0f} h" if seconds else "at each commit"
        print(f"published as Delta tables, {often}, last {last:%Y-%m-%d %H:%M} UTC")
    print(f"{'table':<20}{'files':>8}{'rows':>16}{'size':>12}  days")
    for table in snapshot.tables:
        files = snapshot.of(table)
        days = [d for f in files for d in (f.first, f.last) if d]
        span = f"{min(days)} to {max(days)}" if days else ""
        rows, size = sum(f.rows for f in files), sum(f.bytes for f in files)
        print(f"{table:<20}{len(files):>8,}{rows:>16,}{amount(size):>12}  {span}")
    return 0


def _wrong(snapshot: Snapshot, file: File) -> str:
    """Returns how the size or the number of rows of a file differs from what its commit says; "" if
    neither does. Reads only the file's metadata."""
    path = os.path.join(snapshot.path, file.path)
    try:
        size = os.path.getsize(path)
        if size != file.bytes:
            return f"has {size} bytes, {file.bytes} were written"
        rows = pq.read_metadata(path).num_rows
        return "" if rows == file.rows else f"has {rows} rows, {file.rows} were written"
    except (OSError, pa.ArrowInvalid) as error:
        return why(error) if isinstance(error, OSError) else str(error).split("\n")[0]


def _logs(snapshot: Snapshot, table: str) -> Iterator[str]:
    for file in snapshot.of(table):
        path = os.path.join(snapshot.path, file.path)
        yield from pq.read_table(path, columns=["log"], partitioning=None)["log"].to_pylist()


def _deep(snapshot: Snapshot) -> Iterator[str]:
    """Reads every file twice, for its hash and page by page. Yields an error for a file with
    changed contents, for duplicate logs, and for rows of unknown logs."""
    yield from verify.all_wrong(snapshot.path, snapshot.files.values())
    jobs = list(_logs(snapshot, "jobs"))
    known = set(jobs)
    if len(jobs) != len(known):
        yield f"the table jobs has {len(jobs) - len(known)} duplicate logs"
    known |= set(_logs(snapshot, "problems"))
    for file in snapshot.files.values():
        try:
            path = os.path.join(snapshot.path, file.path)
            with pq.ParquetFile(path, page_checksum_verification=True) as opened:
                for number in range(opened.num_row_groups):
                    rows = opened.read_row_group(number)
                    lost = set(rows["log"].unique().to_pylist()) - known - {None}
                    if lost:
                        yield f"{file.path}: has rows of {len(lost)} logs that are not in the "
                        "table jobs"
        except (OSError, pa.ArrowInvalid) as error:
            yield f"{file.path}: {str(error).split(chr(10))[0]}"


def _check(snapshot: Snapshot, deep: bool, part: int) -> int:
    """Tests whether the lake is whole, and prints the result. deep: reads every file. part:
    otherwise, compares the contents of files of so many bytes (0: none). Returns the exit status, 1
    if something is wrong."""
    wrong = [
        f"{file.path}: {said}"
        for file in snapshot.files.values()
        if (said := _wrong(snapshot, file))
    ]
    wrong += [f"{path}: is missing, but a Delta table names it; use darshan lake publish"
              for path in lost(snapshot.path)]  # fmt: skip
    wrong += damaged(snapshot.path)
    checked = list(snapshot.files.values()) if deep else []
    if deep and not wrong:
        wrong += _deep(snapshot)
    elif not wrong:
        checked = verify.next_part(snapshot, part) if part else []
        wrong += verify.all_wrong(snapshot.path, checked)
    for line in wrong:
        say(PROGRAM, line)
    left = len(orphans(snapshot))
    words = "whole" if not wrong else f"NOT whole: {len(wrong)} errors"
    rows = sum(f.rows for f in snapshot.files.values())
    print(
        f"{snapshot.path}: {words}; {count(len(snapshot.files))} files, {count(rows)} rows, "
        f"{count(left)} unused files (replaced or unfinished); the contents of "
        f"{count(len(checked))} files were compared ({amount(sum(f.bytes for f in checked))})"
    )
    return 1 if wrong else 0


def _prune(options: argparse.Namespace, snapshot: Snapshot) -> int:
    if options.user is not None:
        which, who = Which(user=options.user), f"of {options.user}"
    else:
        before = dates.before(datetime.timedelta(seconds=options.older), dates.utc()).date()
        which, who = Which(before=before), f"of jobs before {before}"
    if options.dry_run:
        gone = would_go(snapshot, which)
        print(
            f"{snapshot.path}: {count(gone.logs)} logs {who}, {count(gone.rows)} rows in "
            f"{len(gone.tables)} tables, would go"
        )
        return 0
    gone = prune(snapshot.path, which)
    snapshot.refresh()
    complete(snapshot)
    try:
        setting.publish_if_on(snapshot)
    finally:
        # A user's right to erasure has priority over readers of old files.
        sweep(snapshot, options.grace, replaced_now=options.user is not None)
    if options.user is not None:
        forget(snapshot)
    print(
        f"{snapshot.path}: {count(gone.logs)} logs {who}, {count(gone.rows)} rows in "
        f"{len(gone.tables)} tables, are gone"
    )
    return 0


def _run(options: argparse.Namespace) -> int:
    without_pandas()
    path = os.path.abspath(options.lake)
    snapshot = Snapshot(path)
    if options.what == "info":
        return _info(snapshot)
    if options.what == "views":
        print(script(for_spark(snapshot)), end="")
        return 0
    with modes.kept(modes.of_lake(path)):
        if options.what == "check":
            return _check(snapshot, options.deep, options.part)
        return _changed(options, snapshot)


def _publish(options: argparse.Namespace, snapshot: Snapshot) -> int:
    path = snapshot.path
    if options.off:
        number = setting.switch_off(path)
        print(f"{path}: is no longer published; the logs of {number} Delta tables were removed")
        return 0
    seconds = options.every
    if seconds is None:
        seconds = setting.every(path)
    setting.switch_on(path, setting.HOURLY if seconds is None else seconds)
    made = setting.publish(snapshot)
    files = f"{count(made.added)} files added, {count(made.removed)} removed"
    print(f"{path}: {count(made.tables)} Delta tables have a new version ({files})")
    return 0


def _changed(options: argparse.Namespace, snapshot: Snapshot) -> int:
    """Runs a subcommand that changes the lake, prints what it did, and returns the exit status."""
    path = snapshot.path
    if options.what == "prune":
        return _prune(options, snapshot)
    if options.what == "publish":
        return _publish(options, snapshot)
    if options.what == "compact":
        made = compact(path, schema_of, shape)
        snapshot.refresh()
        complete(snapshot)
        print(f"{path}: {count(made.before)} files became {count(made.after)}")
    setting.publish_if_on(snapshot)
    swept = sweep(snapshot, options.grace)
    print(f"{path}: {count(swept.files)} old files ({amount(swept.bytes)}) were removed")
    return 0


def _stop(options: argparse.Namespace) -> None:
    """Ends this process, because it took too long. The steps of all subcommands may end at any
    moment, so that a killed process leaves a lake as it was before or after a commit."""
    then = "what it has committed remains, and the next call goes on"
    if options.what in ("check", "info", "views"):
        then = "its result is not known"
    say(PROGRAM, f"{options.what} was stopped after {options.timeout:g} s (--timeout); {then}")
    signal_exit.leave(1)


def main(options: argparse.Namespace) -> int:
    """Runs darshan lake and returns its exit status: 1 if the lake is not whole, if the command
    failed, or if it took more than its --timeout."""
    timer = threading.Timer(min(options.timeout, threading.TIMEOUT_MAX), _stop, [options])
    timer.daemon = True
    if options.timeout:
        timer.start()
    try:
        return told(PROGRAM, lambda: _run(options))
    finally:
        timer.cancel()
