"""A table of existing programs."""

from __future__ import annotations

import sys

from .files import (
    SCRIPTS,
    archive,
    big_file,
    copied_by_script,
    redirected,
    repository,
    script,
    sources,
    tree,
    two_trees,
    words,
)
from .formats import FORMATS
from .program import Program

SQL = (SCRIPTS / "table.sql").read_text()


def fio(engine: str, *more: str) -> Program:
    """Returns the row of the benchmark fio with one of its I/O engines. more: options, such as
    --thread for threads in place of processes."""
    name = "-".join(("fio", engine, *(m.strip("-") for m in more)))
    options = [
        "--name=job",
        "--filename=data",
        "--size=1m",
        "--bs=4k",
        "--rw=randrw",
        "--numjobs=2",
    ]
    fixed = ["--randrepeat=1", "--buffer_pattern=0xabcd", "--fsync=16", "--output=report"]
    command = ["fio", f"--ioengine={engine}", *options, *fixed, *more]
    # libpmem, which fio links, searches devices with fts_open(3), which opens "."
    return Program(name, command, changing=r"report", same_run=True, inside=r"/\.$")


# Environment in which git makes the same objects each time.
GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}
# Files with times and inode numbers of the working files.
GIT_INDEX = r"(clone|origin)/\.git/index"
# Random parts of names.
GIT_NAMES = r"(?<=/tmp_)(pack|idx|rev|obj)_\w+|(?<=/\.git/t)\w{6}$"
# File that is written, and later replaced by HEAD.lock.
GIT_HEAD = r"clone/\.git/HEAD$"
# Random parts of names.
CC_NAMES = r"(?<=/cc)\w{6}(?=\.|$)"
# Random parts of names; make 4.4 distributes its jobs through a FIFO.
MAKE_NAMES = CC_NAMES + r"|(?<=/GMfifo)\d+$"

PROGRAMS = [
    Program("cp", ["cp", "big", "copy"], big_file),
    Program("cp-tree", ["cp", "-rp", "tree", "copy"], tree),
    Program("cat", ["sh", "-c", "cat big big > twice"], big_file),
    Program("tar-create", ["tar", "cf", "out.tar", "tree"], tree),
    Program("tar-extract", ["tar", "xf", "in.tar"], archive),
    Program("sqlite3", ["sqlite3", "t.db", SQL], resized=r"t\.db$"),
    Program("sqlite3-wal", ["sqlite3", "t.db", "PRAGMA journal_mode=WAL;" + SQL]),
    Program(
        "git-clone",
        ["git", "clone", "-q", "--no-local", "origin", "clone"],
        repository,
        GIT,
        GIT_NAMES,
        GIT_INDEX,
        same_run=True,
        resized=GIT_HEAD,
    ),
    Program(
        "git-clone-files",
        ["git", "clone", "-q", "origin", "clone"],
        repository,
        GIT,
        GIT_NAMES,
        GIT_INDEX,
        same_run=True,
        resized=GIT_HEAD,
    ),
    Program("gcc", ["gcc", "-O1", "-o", "prog", "main.c", "part.c"], sources, random=CC_NAMES),
    Program("make", ["make", "-s", "-j2"], sources, random=MAKE_NAMES),
    Program("python-threads", [sys.executable, "threads.py"], script("threads.py")),
    Program("python-fork", [sys.executable, "pool.py", "fork", "close"], script("pool.py")),
    Program("python-spawn", [sys.executable, "pool.py", "spawn", "close"], script("pool.py")),
    Program(
        "python-terminated",
        [sys.executable, "pool.py", "fork", "leave"],
        script("pool.py"),
        same_run=True,
        kills=True,
    ),
    Program(
        "python-inherited", [sys.executable, "inherited.py"], script("inherited.py"), resized="log$"
    ),
    Program("dd", ["dd", "if=big", "of=copy", "bs=64k", "status=none"], big_file),
    Program(
        "dd-sync",
        ["dd", "if=big", "of=copy", "bs=1M", "seek=1", "conv=fsync,notrunc", "status=none"],
        big_file,
    ),
    fio("sync"),
    fio("psync"),
    fio("pvsync2"),
    fio("psync", "--thread"),
    Program(
        "sort",
        ["sort", "-S", "400k", "-T", ".", "--parallel=1", "-o", "sorted", "words"],
        words,
        random=r"(?<=/sort)\w{6}$",
    ),
    Program("sort-threads", ["sort", "--parallel=2", "-o", "sorted", "words"], words),
    Program("grep", ["grep", "-rc", "needle", "tree"], tree),
    Program("shell", ["sh", "steps.sh"], script("steps.sh"), resized="list$", status=3),
    Program("bash", ["bash", "steps.sh"], script("steps.sh"), resized="list$", status=3),
    Program("redirected-sh", ["sh", "redirected.sh"], redirected),
    Program(
        "redirected-bash", ["bash", "redirected.sh"], redirected, random=r"(?<=/sh-thd\.)\w{6}$"
    ),
    Program("gzip", ["gzip", "-k", "-n", "words"], words),
    Program("gunzip", ["sh", "-c", "gzip -n words && gunzip words.gz"], words),
    Program("xz", ["xz", "-k", "-1", "-T2", "words"], words),
    Program(
        "rsync", ["rsync", "-a", "tree/", "copy/"], tree, random=r"(?<=\.)\w{6}$", same_run=True
    ),
    Program(
        "openssl",
        [
            "openssl",
            "enc",
            "-aes-128-cbc",
            "-in",
            "big",
            "-out",
            "secret",
            "-K",
            "00" * 16,
            "-iv",
            "11" * 16,
        ],
        big_file,
    ),
    Program("openssl-digest", ["openssl", "dgst", "-sha256", "big"], big_file),
    Program("perl", ["perl", "lines.pl"], script("lines.pl")),
    Program("h5py", [sys.executable, "h5.py"], script("h5.py"), module="h5py"),
    Program("netcdf4", [sys.executable, "nc.py"], script("nc.py"), module="netCDF4"),
    Program(
        "pytest",
        [
            sys.executable,
            "-m",
            "pytest",
            "-qq",
            "-p",
            "no:cacheprovider",
            "--basetemp=t",
            "sample.py",
        ],
        script("sample.py"),
        random=r"(?<=/temporary/)\w{8}$",
    ),
    Program("node", ["node", "files.js"], script("files.js"), same_run=True),
    Program(
        "java",
        ["java", "-Xshare:off", "-Xint", "Main.java"],
        script("Main.java"),
        same_run=True,
    ),
    Program(
        "python-copies",
        [sys.executable, "copies.py"],
        copied_by_script,
        random=r"(?<=/temporary/)\w{8}$",
        resized=r"one$|two$",
    ),
    Program("rm", ["rm", "-r", "tree"], tree),
    Program("install", ["install", "-D", "-m", "640", "big", "a/b/c"], big_file),
    Program("split", ["split", "-b", "1000000", "big", "part-"], big_file),
    Program("find", ["find", "tree", "-size", "+10k", "-newermt", "2001-01-01"], tree),
    Program("ls", ["ls", "-lR", "tree"], tree),
    Program("du", ["du", "-ab", "tree"], tree),
    Program("diff", ["diff", "-r", "tree", "other"], two_trees, status=1),
    Program("awk", ["awk", '{ print $1 > "half-" NR % 2 }', "words"], words),
    Program("sha256sum", ["sha256sum", "big"], big_file),
    Program("head", ["head", "-c", "100000", "big"], big_file),
    Program("tail", ["tail", "-n", "5", "words"], words),
    Program("truncate", ["truncate", "-s", "1000", "big"], big_file),
    Program(
        "xargs",
        ["sh", "-c", "find tree -type f -print0 | xargs -0 -P2 -n9 cksum > sums"],
        tree,
        same_run=True,
        changing="sums",
    ),
    Program("sed", ["sed", "-i", "s/line/row/", "words"], words, random=r"(?<=/sed)\w{6}$"),
    *FORMATS,
]
