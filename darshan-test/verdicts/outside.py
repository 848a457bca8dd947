"""Rows of programs for which the kernel works outside of recorded calls, and of their
look-alikes."""

from __future__ import annotations

from typing import Any

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)
_NEW, _READS = "takes new memory again and again", "reads are not of recorded files"

_TASKS = "as with a task of a pool for each of many small items"


def rows() -> list[Row]:
    """Returns the rows, which run on this machine with call sites."""
    return [
        _row(
            "outside.py",
            "pieces-appended",
            says=(_NEW, r"[\d.]+ GiB of new memory", "join them once"),
            never=("Your I/O is fine",),
        ),
        _row("outside.py", "map-copied", says=(_NEW, r"mm\.find", r"in mapped files")),
        _row("outside.py", "users-asked", says=(_READS, "getpwuid", r"lru_cache")),
        _row("streams.c", "device-each", says=(_READS, "/dev/urandom", "getrandom")),
        _row("outside.py", "plugin-each", says=(_READS, "the dynamic linker", r"ctypes\.CDLL")),
        Row("outside.py", "users-asked-plain", place=HERE, says=(_READS, "getpwuid")),
        _row(
            "outside.py",
            "task-each-line",
            says=(_TASKS, r"made [\d,]+ calls on files, while the threads", "1 << 20"),
            never=("Your I/O is fine",),
        ),
        _row(
            "outside.py", "word-each-task", says=(_TASKS, "Threads of a pool made no call on files")
        ),
        _row("outside.py", "task-each-block", never=(_TASKS,)),
        _row("outside.py", "arrays-in-steps", never=(_NEW,)),
        _row(
            "outside.py",
            "ranges-of-an-index",
            never=("Create an index", "whole table", "libraries spent up to"),
        ),
        _row(
            "outside.py",
            "vacuum-each",
            "same-bytes-again-written",
            "auto_vacuum = INCREMENTAL",
            says=(r"At least 1\d transactions of SQLite wrote the whole database",),
            never=("opened for each write", "Collect changes in memory"),
        ),
        _row("outside.py", "checked-after-writing", never=("larger than the reads",)),
        *_scripts(),
    ]


def _scripts() -> list[Row]:
    return [
        _row(
            "outside.sh",
            "sed-unbuffered",
            "bytewise-input",
            "sed -u",
            says=("sed made [0-9,]+ reads of 1 B",),
            never=("Done by",),
            tree=4,
        ),
        _row(
            "outside.sh",
            "here-string",
            "same-bytes-again-read",
            "associative array",
            says=(r"bash writes a temporary file for each here-document", r"declare -A price"),
            tree=1,
        ),
        _row(
            "transfers.c",
            "read-holes",
            "holes-read",
            "SEEK_DATA",
            says=(r"2\.00 GiB were read of .*image, which has 1\.\d+ MiB on storage",),
        ),
        _row(
            "outside.sh",
            "sparse-tar",
            "holes-read",
            "--sparse",
            says=(r"400 MiB were read of .*\.img, which has .* the same holds for 1 more file",),
            tree=3,
        ),
        _row(
            "outside.sh",
            "variable-of-make",
            "repeated-by-processes",
            ":=",
            tree=100,
        ),
        _row(
            "trees.py",
            "lines-by-workers",
            "read-by-each",
            "seeks to the begin of its part",
            tree=4,
            says=(r"file\.tell\(\) <= end",),
        ),
    ]


def _row(program: str, case: str, finding: str = "", remedy: str = "", **more: Any) -> Row:
    return Row(program, case, finding, remedy, place=HERE, settings=_SITES, **more)
