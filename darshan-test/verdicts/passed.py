"""Rows of programs that pass data to other processes, through files that they remove, or that use
their own results again; and of healthy look-alikes."""

from __future__ import annotations

from dataclasses import replace

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)
_PIPES = "through pipes"
_UNKNOWN = "how long pipes took is unknown"


def rows() -> list[Row]:
    """Returns the rows; most are runs of several processes on this machine."""
    return [*_pipes(), *_files()]


def _row(program: str, case: str, finding: str = "", remedy: str = "", tree: int = 0) -> Row:
    return Row(
        program, case, finding, remedy, place=HERE, input=1, tree=tree, settings=_SITES
    )  # fmt: skip


def _pipes() -> list[Row]:
    asked = "asked-one-by-one"
    return [
        replace(
            _row("passed.py", "blocks-to-workers", tree=3),
            says=(
                "Workers get their data through pipes",
                r"passed\.py read 19\d MiB of files, and its 2 workers 0 B; 19\d MiB went through",
                "let it read that part itself",
                _UNKNOWN,
            ),
            never=("Your I/O is fine",),
        ),
        replace(
            _row("passed.py", "blocks-to-executor", tree=3),
            says=("Workers get their data through pipes", r"19\d MiB went through pipes"),
        ),
        replace(
            _row("passed.py", "results-of-workers", tree=3),
            says=("Workers return their data through pipes", "write its result itself"),
        ),
        replace(_row("passed.py", "parts-by-workers", tree=3), never=(_PIPES, _UNKNOWN)),
        replace(
            _row("passed.py", "question-each", asked, "many questions", tree=2),
            says=(r"sent each other about 40,0\d\d messages", "input=all_questions"),
        ),
        replace(
            _row("passed.pl", "question-each", asked, "many questions", tree=2),
            says=(r"sent each other about 40,0\d\d messages", "open my \\$answers"),
        ),
        replace(
            _row("passed.py", "task-each", tree=3),
            says=("many small messages", "chunksize=1000"),
            never=("Your I/O is fine",),
        ),
        replace(
            _row("passed.py", "tasks-in-chunks", tree=3),
            never=("small messages", "wait for each other", _UNKNOWN),
        ),
        *(
            replace(_row("passed.py", case, tree=2), never=("wait for each other",))
            for case in ("question-that-computes", "question-to-a-service")
        ),
        replace(
            _row("passed.py", "values-of-a-manager", tree=4),
            says=(
                r"process of a multiprocessing\.Manager got about 24,\d\d\d messages",
                "initializer=load",
            ),
            never=("chunksize", "small messages"),
        ),
        replace(
            _row("passed.py", "copy-of-a-manager", tree=4), never=(r"multiprocessing\.Manager",)
        ),
        replace(
            _row("passed.sh", "pipeline", tree=5),
            never=(_PIPES, _UNKNOWN, "wait for each", "run passes"),
        ),
    ]


def _files() -> list[Row]:
    copied, packed = "copied-and-removed", "compressed-and-removed"
    lives = "live only in this run"
    return [
        replace(
            _row("passed.py", "published-by-copy", copied, "Rename the file"),
            says=("the same holds for 23 more files", r"os\.replace"),
        ),
        replace(
            _row("passed.sh", "copy-and-remove", copied, "Rename the file", tree=1),
            says=("mv SOURCE TARGET",),
        ),
        replace(
            _row("passed.py", "array-grows", "rewritten-whole", "numpy.concatenate"),
            says=(r"all\.npy was written whole about 1[12]\d times",),
        ),
        replace(
            _row("passed.py", "folder-before-each", "metadata opened-again", "remember"),
            never=("ms for each file",),
        ),
        replace(_row("passed.py", "sorted-aside"), never=("Done by",)),
        replace(
            _row("passed.sh", "pack-and-unpack", packed, "lowest level", tree=3),
            says=(r"gzip worked for .* to write \S+day\.tar\.gz, .* removed it",),
        ),
        replace(_row("passed.sh", "pack-and-keep", tree=3), never=(lives,)),
        replace(
            _row("passed.sh", "copy-through-gzip", "compressed-in-a-pipe", "no z", tree=1),
            says=(r"gzip compressed 2[23]\.\d MiB to 17\.\d MiB, and another gzip",),
        ),
        replace(
            _row("passed.sh", "git-gc-each", "maintained-each", "behind the loop", tree=1),
            says=(r"git gc ran 8 times",),
        ),
        replace(_row("passed.sh", "packed-beside", tree=3), never=("decompressed again",)),
        replace(
            _row("passed.sh", "sort-packs", packed, "sort -S", tree=1),
            says=("sort --compress-program started",),
        ),
        replace(
            _row("passed.py", "packed-scratch"),
            says=(lives, r"gzip\.\w+.* wrote \S+ and 3 more files", "lowest level"),
        ),
        replace(_row("passed.py", "packed-results"), never=(lives, "compressed already")),
        *(
            replace(
                _row("passed.py", case, "conversion-writing", "compressed already: store them"),
                says=(r"24\.0 MiB of files became 24\.0 MiB", words),
            )
            for case, words in (("photos-packed", "ZIP_STORED"), ("photos-in-tar", "not 'w:gz'"))
        ),
        replace(
            _row("passed.py", "lines-packed"),
            says=("Lines may go to the compressor one by one", r"io\.BufferedWriter\(gzip"),
        ),
        replace(_row("passed.py", "saved-scratch"), never=(lives,)),
    ]
