"""Rows whose text is checked, because the report once printed a wrong sentence for them. `says` are
patterns that a finding of the program must match; `never` are patterns that no finding of the
program or its fix may match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row import HERE, Row

Words = tuple[str, ...]
_C_WORDS = ("setvbuf", "_IOFBF", "fflush")
# Wrong text on streams whose descriptor was queried.
_OPENS = (r"\d,\d\d\d opens", "[Oo]pen (files )?once")


def _hdf5() -> list[Row]:
    def field(case: str, finding: str = "", remedy: str = "", **texts: tuple[str, ...]) -> Row:
        return Row("words.py", case, finding, remedy, place=HERE, **texts)

    return [
        field("h5-part-of-packed", never=("[Cc]ompression", "105 %")),
        Row(
            "fields.py",
            "group-each-event",
            "many-objects",
            "table",
            place=HERE,
            says=(
                r"Values are stored as (datasets|groups|attributes)(, \w+)? and \w+ of their own",
                r"1,500 datasets like \S+, of 128 B each",
                "1,500 groups",
                "3,000 attributes",
            ),
        ),
        Row(
            "words.py",
            "h5-event-each",
            "many-objects",
            "one array",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=("4,000 datasets like .*Between these calls the program and its libraries spent",),
            never=("writes a header",),
        ),
        Row(
            "fields.py",
            "nc-chunks-of-time",
            "chunk-size-small",
            "64 KiB",
            place=HERE,
            says=(r"The chunks of 3 datasets like \S+ have 40 B to 4\.00 KiB",),
        ),
        field(
            "h5-file-each-sample",
            "hdf5-opened-again",
            "before the loop",
            never=("element by element",),
        ),
        field(
            "h5-name-each",
            "chunk-cache",
            "Keep the dataset open",
            says=("opened 200 times for 200 reads",),
            never=("Give the dataset a cache", "rdcc_nslots"),
        ),
        field(
            "table-flush-rows",
            "flush-per-chunk",
            "table.flush",
            says=("was flushed 3,0\\d\\d times",),
            never=("attributes in", "one table \\(a compound type\\)"),
        ),
    ]


def _files() -> list[Row]:
    def file(case: str, finding: str = "", remedy: str = "", **texts: tuple[str, ...]) -> Row:
        return Row("words.py", case, finding, remedy, **texts)

    keep = ("keep the descriptor", "[Mm]any small files", "container")
    return [
        file(
            "results-each-step",
            "rewritten-whole",
            "append",
            says=(r"results\.\w+ was written whole 600 times: .* for a file of .* 1 more file",),
            never=keep,
        ),
        file(
            "replaced-each-step",
            "rewritten-whole",
            "append",
            says=(r"/results\.json was written whole 500 times, each time as a new file",),
            never=keep,
        ),
        replace(
            file("snapshots-kept", never=("was renamed", "older versions")),
            settings=(("SLOW_META", "3000"),),
        ),
        replace(
            file(
                "log-rotated",
                "rotated-often",
                "grow larger",
                says=(
                    r"/solver\.log was renamed \d+ times, each time after 1\.\d+ KiB on average",
                ),
                never=("was written whole", "waits for a file", "look-ups"),
            ),
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
        ),
        file(
            "record-edited",
            "rewritten-whole-edited",
            "at their place",
            says=(
                r"/table\.bin was read whole and written whole 80 times, each time as a new file .*"
                r" kept its size of .*: .* does not show how many bytes changed",
            ),
            never=("undo", "was changed by"),
        ),
        replace(file("restart-and-save"), place=HERE),
        file(
            "saved-by-rename",
            "many-small-files",
            "rename this file once",
            says=(r"1,20\d renames are in this time",),
            never=("keep the descriptor",),
        ),
        replace(
            file(
                "locked-alone",
                "waits-for-locks-of-nobody",
                "Set the lock once",
                never=("Processes wait",),
            ),
            place=HERE,
        ),
        replace(
            file(
                "images",
                "many-small-files",
                "container",
                says=("1,1\\d\\d files of at most 1000 B .* opening and closing them and",),
            ),
            settings=(("SLOW_CALL", "700"),),
        ),
        replace(
            file(
                "many-imports",
                "program-files failed-lookups",
                "image",
                says=(r"(?:[78]\d\d|[1-9],\d\d\d) files of program text",),
                never=("[Mm]any small files", "Open files once"),
            ),
            settings=(("SLOW_META", "500"),),
        ),
        file(
            "looked-for",
            "failed-lookups",
            "listdir",
            says=(r"Failed lookups: 2,000 in /\S+/done, 500 in /\S+/older",),
        ),
        Row(
            "words.py",
            "text-tell",
            "seeks",
            "lengths of the lines",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=(r"In Python, tell\(\) asks the kernel each time",),
        ),
        Row(
            "words.py",
            "times-each",
            "opened-again",
            "times and sizes",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=(r"e\.stat\(\)\.st_mtime",),
            never=(r"os\.listdir",),
        ),
        file(
            "look-ups",
            says=("lookups of missing names",),
            never=("fewer bytes", "a faster file system"),
        ),
        file(
            "pieces-of-many",
            "small-accesses-read",
            "blocks",
            says=("19,\\d\\d\\d of",),
            never=("fewer bytes", "setvbuf"),
        ),
        file(
            "random-reads",
            "random-access-read small-accesses-read",
            "memory",
            never=("mmap", "setvbuf"),
        ),
        replace(
            file(
                "imports-and-array",
                says=(r"loading program files \(\d\d\d files\)",),
                never=("fewer, larger", "[Mm]any small"),
            ),
            settings=(("SLOW_META", "500"),),
        ),
        file(
            "kept-aside",
            "rewritten-whole",
            "append",
            says=(r"/index\.dir was written whole [45]\d\d times",),
            never=(r"index\.bak",),
        ),
        file(
            "chunks-by-rename",
            "many-small-files",
            "container",
            says=("1,20\\d files of at most",),
            never=("partial",),
        ),
        replace(
            file(
                "files-by-threads",
                "many-small-files",
                "container",
                never=("over all processes",),
            ),
            place=HERE,
        ),
        *(
            replace(file(case, never=("megabyte", "larger ones would help")), place=HERE)
            for case in ("lines-crowded", "packed-crowded")
        ),
        *_at_first_contact(),
        *(
            replace(file(case, says=(words,)), place=HERE, settings=(("DARSHAN_SITES", "1"),))
            for case, words in (
                ("text-out", "savetxt formatted text for"),
                ("text-in", "loadtxt parsed text for"),
            )
        ),
        replace(file("little", says=("is not in this number",)), place=HERE),
    ]


def _at_first_contact() -> list[Row]:
    """Returns programs of the first contact of 24 November 2026 (doc/history/reliability.md)."""

    def here(
        case: str, finding: str = "", remedy: str = "", at_once: int = 0, **texts: Words
    ) -> Row:
        return Row("words.py", case, finding, remedy, place=HERE, tree=at_once, **texts)

    return [
        here(
            "search-path",
            "failed-lookups",
            "path",
            says=(r"Failed lookups: (2,000 in /\S+, ){3}[\d,]+ in \d+ more folders, [\d,]+ else",),
            never=("elsewhere and",),
        ),
        here(
            "members-of-zip", says=(r"was read at least .* in total, of at most", "again and again")
        ),
        here("state-each-page", says=(r"/state\.json was written at least .* times over",)),
        here(
            "array-in-each-task",
            "same-bytes-again-read",
            "memory",
            at_once=2,
            says=(r"of at most 15\.3 MiB .* times by each of 2 processes",),
        ),
        here("blocks-of-a-tar", never=("calls are large",)),
        here(
            "locked-by-workers",
            "waits-for-locks-of-nobody",
            "as one block",
            at_once=4,
            says=("Processes lock a file anew for each record", "4 processes lock this file"),
            never=("nobody else holds", "Set the lock once"),
        ),
        here("one-lock", "waits-for-locks", "release", at_once=4, never=("would help",)),
        Row(
            "words.py",
            "text-by-file",
            "many-small-files",
            "pipe",
            says=("temporary files", r"removed 1,50\d of them"),
            never=("container",),
        ),
    ]


def _between() -> list[Row]:
    """Returns rows of programs whose time lies between their calls."""
    sites = (("DARSHAN_SITES", "1"),)
    hint = "Between the reads of /.*/(?:access.log|lines.txt), .* of text for each second"

    def row(program: str, case: str, finding: str = "", remedy: str = "", **more: Any) -> Row:
        return Row(program, case, finding, remedy, place=HERE, settings=sites, **more)

    return [
        row("between.py", "dates-of-lines", says=(hint, "strptime")),
        row("between.py", "pieces-packed", says=(r"grid\.dat: .* writes of different sizes",)),
        replace(
            row("between.py", "sweeps", never=("read, changed and written again",)),
            says=("Most of the run passes between the",),
        ),
        row("between.py", "words-of-lines", never=("Much of the run passes",)),
        row(
            "fields.c",
            "rows-by-list",
            "scattered-selection-reads",
            "pick the rows in memory",
            says=("Before these reads, .* grows with the square",),
        ),
        row(
            "words.cc",
            "scanned-texts",
            input=1,
            says=(
                "After the reads of /.*/lines.txt, .* of text for each second",
                "sscanf each time",
            ),
        ),
        row("words.java", "scanner", input=12, says=(hint, "not Scanner")),
        row("words.java", "count-words", input=64, never=("Much of the run passes",)),
        row("words.java", "large-reader", input=64, never=("asks about the same files",)),
        row("words.js", "awaited-each", "same-bytes-again-read opened-again", "readFileSync"),
        row(
            "words.cc",
            "regex-each",
            input=8,
            says=("the streams of C[+][+] parsed text", "std::regex for each line"),
        ),
    ]


def _languages() -> list[Row]:
    def line(
        program: str, case: str, finding: str, remedy: str, never: tuple[str, ...] = _C_WORDS
    ) -> Row:
        return Row(f"words.{program}", case, finding, remedy, never=never, input=1)

    read, write = "small-accesses-read", "small-accesses-write"
    return [
        # Java runs main in another thread than the first, and slow.c slows only the first.
        replace(line("java", "lines-out", write, "BufferedOutputStream"), place=HERE),
        replace(line("java", "bytes-in", read, "BufferedInputStream"), place=HERE),
        line("rs", "lines-out", write, "BufWriter"),
        line("rs", "bytes-in", read, "BufReader"),
        # Node and Perl make their calls in the first thread, which slow.c slows.
        line("js", "lines-out", write, "fs.createWriteStream"),
        line("js", "pieces-in", read, "fs.createReadStream"),
        Row(
            "words.js",
            "routes-each",
            "same-bytes-again-read opened-again",
            "fs.readFileSync",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=("opened and parsed again", "Between these calls the program and its libraries"),
            never=("I/O rate falls",),
        ),
        Row(
            "words.js",
            "templates-each",
            "same-bytes-again-read opened-again",
            "fs.readFileSync",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            never=("opened and parsed",),
        ),
        line("pl", "lines-out", write, "push @lines"),
        line("pl", "pieces-in", read, "local $/"),
        replace(
            line("pl", "seek-each", "stream-seeks-refill", "tell($file)"),
            says=(r"About (?:19,9|20,0)\d\d seeks", r"sysread\(\$file"),
        ),
        Row(
            "words.pl",
            "tied-lines",
            "stream-seeks-refill",
            "without tie",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            says=("Tie::File seeks to each line",),
            never=("Seek less", r"tell\(\$file\)"),
        ),
        # Rscript is a script that starts others before R itself.
        replace(
            line("R", "append-each", "opened-again", "writeLines", (*_C_WORDS, "was flushed")),
            place=HERE,
            tree=1,
            says=(r"/log was opened 30,000 times",),
        ),
        Row("words.R", "table-once", place=HERE, tree=1, never=_C_WORDS),
        # In Octave, fflush is a word of the language.
        line(
            "m",
            "flush-each",
            "stream-flushes",
            "no fflush (file) in the loop",
            (*_C_WORDS[:2], *_OPENS),
        ),
        Row(
            "words.m",
            "matrix-once",
            place=HERE,
            says=("not in this number",),
            never=(*_C_WORDS, *_OPENS),
        ),
        line("sh", "echo-each", f"{write} line-buffered", "printf"),
        line("sh", "dd-small", f"{read} {write}", "bs=1M"),
        replace(line("cc", "direct-blocks", read, "larger blocks"), input=16),
        Row(
            "words.cc",
            "many-calls",
            place=HERE,
            says=(r"12\d,\d\d\d of them: .*not in this number",),
            never=("would gain nothing",),
        ),
        replace(
            line("cc", "tell-each", "", "", ("90,0\\d\\d opens", "Open files once")), place=HERE
        ),
    ]


def _tools() -> list[Row]:
    """Returns rows of tools with efficient I/O. The report's advice is for users who start such a
    tool for each of many files."""

    def tool(case: str) -> Row:
        # The shell replaces itself by the tool, so the log is the log of the tool.
        return Row("words.sh", case, many=True, says=("does what it is for|Your I/O is fine",))

    return [
        Row(
            "words.sh",
            "pack-and-remove",
            tree=1,
            many=True,
            says=("This is what (rm|tar)( and tar)? (is|are) for",),
        ),
        Row(
            "words.sh",
            "copy-and-pack",
            tree=1,
            many=True,
            says=("This is what (cp|tar)( and tar)? (is|are) for",),
            never=("[Oo]pen files once", "keep the descriptor"),
        ),
        # A process for each file, started by common means.
        *(
            Row(
                "words.sh",
                case,
                "process-each",
                "one process",
                place=HERE,
                tree=1,
                many=True,
                says=(pattern,),
                never=("is for",),
            )
            for case, pattern in (
                ("sum-each", r"A loop in words\.sh started md5sum 311 times, .* for 311 files"),
                ("find-each", r"find -exec started md5sum 311 times"),
                ("head-and-cut", r"started head 311 times, .* together with cut \(311 times\)"),
                ("xargs-each", r"xargs started md5sum 311 times"),
            )
        ),
        *(
            Row(
                "words.sh",
                case,
                finding,
                remedy,
                place=HERE,
                tree=1,
                many=True,
                input=4,
                says=(pattern,),
            )
            for case, finding, remedy, pattern in (
                (
                    "cut-each",
                    "process-each",
                    "in place of the loop",
                    r"A loop in words\.sh started cut 300 times, one process per item: .* "
                    r"subshells \(300 times\)",
                ),
                (
                    "called-each",
                    "process-each",
                    "Python's library",
                    r"started basename 200 times, one process per item",
                ),
                (
                    "edit-each",
                    "repeated-by-processes",
                    "one call of sed",
                    r"4[01] processes of sed, which words\.sh started, read /\S+/table whole, each",
                ),
                (
                    "sums-again",
                    "repeated-by-processes",
                    "Keep the checksums",
                    r"12 processes of md5sum, .* 1,200 more files whole",
                ),
                (
                    "walk-each",
                    "repeated-by-processes",
                    "keep the names",
                    r"60 processes of find, .* listed /\S+/many: 60 listings, where 1 would do",
                ),
            )
        ),
        *(
            Row("words.sh", case, place=HERE, tree=1, many=True)
            for case in ("compute-each", "other-files")
        ),
        Row("words.sh", "sum-at-once", place=HERE, tree=1, many=True, never=("process per file",)),
        *map(tool, ("tar-many", "copy-many", "remove-many", "find-many")),
        Row(
            "words.sh",
            "same-file-given",
            input=1,
            settings=(("DARSHAN_SITES", "1"),),
            says=("head is an installed program: its user can choose its files",),
            never=("keep the descriptor", "[Oo]pen once"),
        ),
        replace(tool("git-many"), never=("Possible causes are io_uring",)),
        Row(
            "words.sh",
            "git-in-script",
            place=HERE,
            tree=1,
            many=True,
            never=("container", "git FILE1"),
        ),
        tool("pip-many"),
        Row(
            "words.sh",
            "read-pipe",
            "bytewise-input",
            "done < ",
            HERE,
            tree=1,
            settings=(("DARSHAN_SITES", "1"),),
        ),
    ]


def _jobs(mpi: str) -> list[Row]:
    def job(case: str, finding: str, remedy: str, **texts: tuple[str, ...]) -> Row:
        slow = (("SLOW_CALL", "500"),)  # starting a job takes long on a busy machine
        return Row("words_jobs.c", case, finding, remedy, mpi=mpi, input=8, settings=slow, **texts)

    collective = ("MPI_File_write_at_all", "collective calls", "without MPI-IO")
    return [
        job(
            "written-and-checked",
            "tiny-collective waiting-in-mpi-io imbalance",
            "ewer",
            never=("128 KiB", "move 96.0 KiB"),
        ),
        job("log-by-lines", "line-buffered", "file of its own"),
        job("log-by-writes", "small-accesses-write", "flush", never=collective),
        job(
            "shared-pointer",
            "shared-pointer",
            "its own place",
            says=(r"6,000 reads and writes of /\S+/log were at the position that its 4 proc",),
            never=("are independent",),
        ),
        Row("words_jobs.c", "large-at-pointer", mpi=mpi, place=HERE, never=("take turns",)),
        job("small-reads", "small-accesses-read", "blocks", never=("MPI_File_write",)),
        replace(
            job("read-by-all", "read-by-all", "MPI_Bcast", never=("One process does all",)),
            settings=(("SLOW_RATE", "40"),),
        ),
    ]


def rows() -> list[Row]:
    """Returns all cases of this file."""
    return [
        *_hdf5(),
        *_files(),
        *_between(),
        *_languages(),
        *_tools(),
        *(row for mpi in ("openmpi", "mpich") for row in _jobs(mpi)),
    ]
