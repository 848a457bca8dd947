"""Makes the input files of the tested programs in their working folder, with the same bytes each
time."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent / "scripts"


def nothing(work: Path) -> None:
    """Makes no file, for a program that needs none."""


def big_file(work: Path) -> None:
    """Makes the file "big" of about eight megabytes that do not compress; its size is odd."""
    (work / "big").write_bytes(random.Random(1).randbytes((8 << 20) + 77))


def tree(work: Path) -> None:
    """Makes the folder "tree": sixty files of many sizes in ten folders, a link, an empty file and
    unusual names."""
    rng = random.Random(2)
    for i in range(60):
        path = work / "tree" / f"branch {i % 10}" / f"leaf-{i:02}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(rng.randbytes(rng.randrange(1 << rng.randrange(1, 18))))
    (work / "tree" / "empty").touch()
    (work / "tree" / "gr\u00fcn").write_text("needle\n")
    (work / "tree" / "link").symlink_to("branch 1/leaf-01")


def two_trees(work: Path) -> None:
    """Makes a tree and a copy of it in which one file differs."""
    tree(work)
    shutil.copytree(work / "tree", work / "other", symlinks=True)
    (work / "other" / "empty").write_text("no more\n")


def archive(work: Path) -> None:
    """Makes "in.tar", an archive of the folder that tree() makes. Removes the folder."""
    tree(work)
    subprocess.run(
        ["tar", "--mtime=@1", "--sort=name", "-cf", "in.tar", "tree"], cwd=work, check=True
    )
    subprocess.run(["rm", "-r", "tree"], cwd=work, check=True)


def words(work: Path) -> None:
    """Makes the file "words" of fifty thousand lines in random order."""
    rng = random.Random(3)
    lines = (f"{rng.randrange(1 << 30):09} line {i}\n" for i in range(50_000))
    (work / "words").write_text("".join(lines))


def redirected(work: Path) -> None:
    """Makes the file of words(), and a shell script with many redirections."""
    words(work)
    script("redirected.sh")(work)


def sources(work: Path) -> None:
    """Makes a small C program and its makefile."""
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
    """Makes a git repository with three commits."""
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


def script(name: str) -> Callable[[Path], None]:
    """Returns a function that copies one of the scripts into a folder."""

    def setup(work: Path) -> None:
        shutil.copyfile(SCRIPTS / name, work / name)

    return setup


def copied_by_script(work: Path) -> None:
    """Makes the big file and the script that copies it."""
    big_file(work)
    script("copies.py")(work)
