"""The programs, and the files that they need."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


def nothing(work: Path) -> None:
    """A program that brings its own files."""


def big_file(work: Path) -> None:
    """Eight megabytes that do not compress, and not a multiple of anything."""
    (work / "big").write_bytes(random.Random(1).randbytes((8 << 20) + 77))


def tree(work: Path) -> None:
    """Sixty files of many sizes in ten folders; a link, an empty file, odd names."""
    rng = random.Random(2)
    for i in range(60):
        path = work / "tree" / f"branch {i % 10}" / f"leaf-{i:02}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(rng.randbytes(rng.randrange(1 << rng.randrange(1, 18))))
    (work / "tree" / "empty").touch()
    (work / "tree" / "gr\u00fcn").write_text("needle\n")
    (work / "tree" / "link").symlink_to("branch 1/leaf-01")


def archive(work: Path) -> None:
    """A tree, packed by tar."""
    tree(work)
    subprocess.run(
        ["tar", "--mtime=@1", "--sort=name", "-cf", "in.tar", "tree"], cwd=work, check=True
    )
    subprocess.run(["rm", "-r", "tree"], cwd=work, check=True)


def words(work: Path) -> None:
    """Fifty thousand lines in no order."""
    rng = random.Random(3)
    lines = (f"{rng.randrange(1 << 30):09} line {i}\n" for i in range(50_000))
    (work / "words").write_text("".join(lines))


def sources(work: Path) -> None:
    """A small C program and its makefile."""
    (work / "part.h").write_text("int part(int n);\n")
    (work / "part.c").write_text('#include "part.h"\nint part(int n) { return n * n; }\n')
    (work / "main.c").write_text(
        '#include <stdio.h>\n#include "part.h"\n'
        'int main(void) { printf("%d\\n", part(12)); return 0; }\n'
    )
    (work / "Makefile").write_text(
        "prog: main.o part.o\n\t$(CC) -o $@ main.o part.o\n\t./prog > result\n"
        "%.o: %.c part.h\n\t$(CC) -O1 -c -o $@ $<\n"
    )


def repository(work: Path) -> None:
    """A git repository with three commits."""
    env = os.environ | {
        "HOME": str(work),
        **{
            f"GIT_{who}_{what}": "a@b"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
        "GIT_AUTHOR_DATE": "1700000000 +0000",
        "GIT_COMMITTER_DATE": "1700000000 +0000",
    }

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(work / "origin"), *arguments], env=env, check=True)

    (work / "origin").mkdir()
    git("init", "-q", "-b", "main")
    for i in range(3):
        for j in range(12):
            (work / "origin" / f"file-{j}").write_text(f"{i} {j}\n" * (100 * j + 1))
        git("add", ".")
        git("commit", "-q", "-m", f"commit {i}")


def script(name: str, text: str) -> Callable[[Path], None]:
    """A setup that leaves one script."""

    def setup(work: Path) -> None:
        (work / name).write_text(text)

    return setup


THREADS = """
import os, threading
def work(i):
    with open(f"out-{i}", "wb") as f:
        for k in range(200):
            f.write(bytes([i]) * 1000)
            if k % 50 == 0:
                f.flush(); os.fsync(f.fileno())
    fd = os.open("shared", os.O_RDWR)
    for k in range(100):
        os.pwrite(fd, bytes([i]) * 10, 10 * (100 * i + k))
        os.pread(fd, 16, 10 * k)
    os.close(fd)
    with open(f"out-{i}") as f:
        f.seek(1000); assert f.read(1) == chr(i)
with open("shared", "wb") as f: f.write(bytes(10000))
ts = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sum(os.path.getsize(f"out-{i}") for i in range(8)))
"""

POOL = """
import multiprocessing, os, sys
def work(i):
    fd = os.open(f"part-{i}", os.O_CREAT | os.O_WRONLY, 0o644)
    for k in range(20):
        os.write(fd, bytes([i]) * (i + 1))
    os.close(fd)
    return os.path.getsize(f"part-{i}")
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(3) as pool:
        print(sum(pool.map(work, range(40))))
        if sys.argv[2] == "close":
            pool.close(); pool.join()
"""

INHERITED = """
import os
fd = os.open("log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
for i in range(4):
    if os.fork() == 0:
        for k in range(10):
            os.write(fd, b"x" * 10)
        os._exit(0)
    os.wait()
os.close(fd)
"""

SHELL = """
set -e
for i in 1 2 3 4 5 6; do echo "line $i" >> list; done
sort -r list | sed 's/line/row/' | tee copy | wc -l > count
while read a b; do echo "$b-$a"; done < copy > turned
(cat list; cat copy) | grep -c 3 > found
cp list list2 && mv list2 list3 && rm list3
[ -f list ] && cat count found turned
exec 3> direct; echo three >&3; exec 3>&-
exit 3
"""


@dataclass
class Program:
    """A command that is run bare and instrumented."""

    name: str
    command: list[str]
    setup: Callable[[Path], None] = nothing
    environment: dict[str, str] = field(default_factory=dict)
    # Random parts of names: files that differ only in these are added up.
    random: str = ""
    # Files with times or such inside, which differ from one bare run to the next.
    changing: str = ""
    # Its calls differ from run to run (sizes of pipe reads, races between its
    # processes): counted by strace in the very run that is recorded.
    same_run: bool = False
    # Names on which libc alone acts: they are in no log.
    inside: str = ""
    # It kills processes of its own: their journals stay, and count.
    kills: bool = False


SQL = """
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000)
INSERT INTO t SELECT i, 'text ' || (i * 7919 % 5000), i / 3.0 FROM n;
CREATE INDEX tb ON t(b); DELETE FROM t WHERE a % 3 = 0; VACUUM;
SELECT count(*), sum(a), min(b) FROM t;
"""


def fio(engine: str, *more: str) -> Program:
    """fio with one of its engines, threads instead of processes if asked."""
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
    # libpmem, which fio is linked to, looks for devices with fts_open(3), which opens "."
    return Program(name, command, changing=r"report", same_run=True, inside=r"/\.$")


GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}
GIT_INDEX = r"(clone|origin)/\.git/index"  # has times and inode numbers of the working files
GIT_NAMES = r"(?<=/tmp_)(pack|idx|rev|obj)_\w+|(?<=/\.git/t)\w{6}$"
CC_NAMES = r"(?<=/cc)\w{6}(?=\.|$)"

PROGRAMS = [
    Program("cp", ["cp", "big", "copy"], big_file),
    Program("cp-tree", ["cp", "-rp", "tree", "copy"], tree),
    Program("cat", ["sh", "-c", "cat big big > twice"], big_file),
    Program("tar-create", ["tar", "cf", "out.tar", "tree"], tree),
    Program("tar-extract", ["tar", "xf", "in.tar"], archive),
    Program("sqlite3", ["sqlite3", "t.db", SQL]),
    Program("sqlite3-wal", ["sqlite3", "t.db", "PRAGMA journal_mode=WAL;" + SQL]),
    Program(
        "git-clone",
        ["git", "clone", "-q", "--no-local", "origin", "clone"],
        repository,
        GIT,
        GIT_NAMES,
        GIT_INDEX,
        same_run=True,
    ),
    Program(
        "git-clone-files",
        ["git", "clone", "-q", "origin", "clone"],
        repository,
        GIT,
        GIT_NAMES,
        GIT_INDEX,
        same_run=True,
    ),
    Program("gcc", ["gcc", "-O1", "-o", "prog", "main.c", "part.c"], sources, random=CC_NAMES),
    Program("make", ["make", "-s", "-j2"], sources, random=CC_NAMES),
    Program("python-threads", [sys.executable, "threads.py"], script("threads.py", THREADS)),
    Program("python-fork", [sys.executable, "pool.py", "fork", "close"], script("pool.py", POOL)),
    Program("python-spawn", [sys.executable, "pool.py", "spawn", "close"], script("pool.py", POOL)),
    Program(
        "python-terminated",
        [sys.executable, "pool.py", "fork", "leave"],
        script("pool.py", POOL),
        same_run=True,
        kills=True,
    ),
    Program(
        "python-inherited", [sys.executable, "inherited.py"], script("inherited.py", INHERITED)
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
    Program("shell", ["sh", "script"], script("script", SHELL)),
    Program("bash", ["bash", "script"], script("script", SHELL)),
]
