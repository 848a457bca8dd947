"""Rows of programs whose library, or whose way to read, is slow by its nature, and of their
look-alikes that are as fast as can be."""

from __future__ import annotations

from typing import Any

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)


def rows() -> list[Row]:
    """Returns the rows, which run on this machine with call sites."""
    return [*_libraries(), *_archives(), *_pieces(), *_small(), *_locks(), *_needed()]


def _row(program: str, case: str, finding: str = "", remedy: str = "", **more: Any) -> Row:
    return Row(program, case, finding, remedy, place=HERE, settings=_SITES, **more)


def _libraries() -> list[Row]:
    old, slow = "pickle of an old protocol", "takes much of the run"
    return [
        _row(
            "readers.py",
            "codecs-lines",
            says=("Text is read through codecs.open", r"open\(path, encoding"),
            never=("Your I/O is fine",),
        ),
        _row("readers.py", "codecs-whole", never=("codecs",)),
        _row(
            "readers.py",
            "dom",
            says=(r"xml\.dom built a document of Python objects", "iterparse"),
        ),
        _row("readers.py", "elements", never=(r"xml\.dom", "A parser of XML")),
        _row("readers.py", "pickle-as-text", says=(old, r"read in [\d,]+ pieces of 4\.00 KiB")),
        _row(
            "readers.py",
            "pickle-in-python",
            says=(r"pickle\._\w+ (read|made) a pickle for", f"pickle {slow}"),
            never=(old,),
        ),
        _row("words.java", "images-cached", "many-small-files", r"ImageIO.setUseCache(false)"),
        _row(
            "words.java",
            "objects-out",
            says=(r"OutputStream\.writeObject serialized objects for", "DataOutputStream out"),
        ),
    ]


def _archives() -> list[Row]:
    packs = "[Cc]ompress(?:ing|es)|compresslevel"
    return [
        _row(
            "readers.py",
            "manifest-of-zip",
            says=(
                r"extractall unpacked files for",
                r"wrote 24 files \([\d.]+ MiB\) that it removed again and never read",
                "zip gives each member by itself",
            ),
            never=(packs,),
        ),
        _row(
            "readers.py",
            "scans-of-zip",
            says=("Unpacking an archive takes much of the run",),
            never=(packs, "never read"),
        ),
    ]


def _pieces() -> list[Row]:
    each = "stream-each"
    return [
        _row("readers.js", "pieces-of-a-stream", "small-accesses-read", "highWaterMark"),
        _row("readers.js", "lines-of-a-stream"),
        _row(
            "readers.py",
            "array-each",
            each,
            "numpy.frombuffer",
            says=(r"numpy\.fromfile made 40,0\d\d streams", "56 B on average"),
            never=("pread", "no transfers"),
        ),
        _row("readers.py", "array-written-each", each, "tobytes", says=(r"tofile made 40,000",)),
        _row("readers.py", "records-at-once"),
        _row(
            "readers.py",
            "values-of-a-grid",
            "same-bytes-again-read",
            "once, before the loop",
            says=(r"program and its libraries spent up to", "netCDF file once, before the loop"),
        ),
        _row("readers.py", "planes-of-a-grid"),
        _row(
            "readers.py",
            "variables-of-records",
            "same-bytes-again-read",
            "--fix_rec_dmn",
            says=(r"a netCDF file that was read in the order of its bytes, 1\d\d times",),
        ),
        _row(
            "readers.py",
            "fields-prefilled",
            "same-bytes-again-written",
            "set_fill_off",
            says=("fill values that netCDF writes",),
            never=("Reads and writes of a file alternate", "order of its bytes"),
        ),
        _row("readers.py", "map-each", "opened-again mapped-again", "before the loop"),
    ]


def _small() -> list[Row]:
    fine = ("Your I/O is fine",)
    return [
        _row("readers.py", "import-each", "failed-imports", "at the top of the module"),
        _row("readers.py", "tar-each", "seeks", "before the loop, and add all files"),
        _row("readers.py", "attributes-again", "many-objects", "once, before the loop"),
        _row(
            "words.java",
            "values-of-gzip",
            says=(r"DataInputStream\.readInt called the decompressor for each value",),
            never=fine,
        ),
        _row(
            "words.cc",
            "stream-each",
            input=16,
            says=("the streams of C[+][+] parsed text", "std::stringstream .* for each line"),
        ),
        _row("readers.py", "lines-of-a-pipe", "bytewise-input", "without bufsize=0", tree=2),
        _row("readers.py", "frames-appended", "flush-per-chunk", "pandas.concat"),
        _row(
            "readers.py",
            "rows-in-pieces",
            says=(r"read_csv with chunksize gave a table in small pieces", "chunksize=200_000"),
            never=fine,
        ),
        _row(
            "readers.py",
            "records-of-member",
            says=(r"zipfile\.ZipExtFile\.read gave a member", r"io\.BufferedReader\(archive"),
            never=fine,
        ),
        _row(
            "readers.py",
            "whole-mails",
            says=(r"message_from_binary_file parsed whole mails", "takewhile"),
            never=fine,
        ),
        _row(
            "words.java",
            "values-to-gzip",
            says=(
                r"DataOutputStream\.writeByte called the compressor for each value",
                r"BufferedOutputStream\(packed",
            ),
            never=fine,
        ),
    ]


def _locks() -> list[Row]:
    spins = "spins-for-a-lock"
    made = r"was made \d+ times, and [\d,]+ tries to make it failed"
    return [
        _row("locks.py", "spin-on-file", spins, "flock", tree=5, says=(made,)),
        _row("locks.py", "spin-on-folder", spins, "flock", tree=5, says=(made,)),
        _row("locks.py", "sleep-between", tree=5, never=("without a pause",)),
        _row(
            "locks.c",
            "lock-over-parse",
            input=48,
            says=("2 threads besides the first one use files, mostly .*/input, .* works alone",),
            never=("Your I/O is fine",),
        ),
        _row("locks.c", "lock-over-offset", input=48, never=("one at a time",)),
        _row("locks.pl", "spin-on-file", spins, "flock", tree=5, says=(made,)),
    ]


def _needed() -> list[Row]:
    return [
        Row("sync.c", "msync-once", says=(r"once for up to 160 MiB: data that must survive",)),
        Row(
            "sync.c",
            "queue",
            says=(r"once for 57\.0 KiB that is written: data that must survive a crash",),
            never=("not for each record", "at stake"),
        ),
        _row(
            "readers.py",
            "digests-of-all",
            says=(r"40 of them \([\d.]+ MiB\) have a size that no other one has", "equal files"),
            never=("Your I/O is fine",),
        ),
        _row("readers.py", "digests-of-each", never=("equal files",)),
    ]
