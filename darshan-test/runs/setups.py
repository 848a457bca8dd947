"""Makes the input files of the rows, with the same bytes each time."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from e2e.files import big_file, repository, words
from tree import SOURCE

SCRIPTS = Path(__file__).resolve().parent / "scripts"

# The reader and the parser of this tree, built with make alone: makefiles that call each other, a
# library, a program that is run, and dependencies on headers.
TOP_MAKEFILE = """\
all: listing
folders = runtime/format util/reader
util/parser/program: $(folders:=/part.a)
\t$(MAKE) -C util/parser program
$(folders:=/part.a): force
\t$(MAKE) -C $(@D) part.a
listing: util/parser/program
\t./util/parser/program --help >$@ 2>&1 || true
\twc -c <$@ | tr -d ' ' >size
force:
.PHONY: all force
"""
PART_MAKEFILE = """\
CPPFLAGS = -D_GNU_SOURCE -I. -Isummary -I../..
CPPFLAGS += -I../../runtime/format -I../../runtime -I../../util/reader
CFLAGS = -std=gnu11 -O0
objects = $(patsubst %.c,%.o,$(filter-out without-libdeflate/%,$(wildcard *.c */*.c)))
program: $(objects)
\t$(CC) -o $@ $(objects) ../reader/part.a ../../runtime/format/part.a -lz -lbz2 -ldeflate
part.a: $(objects)
\trm -f $@ && ar crD $@ $(objects)
%.o: %.c
\t$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
"""


def scripts(*names: str, and_then: Callable[[Path], None] = words) -> Callable[[Path], None]:
    """Returns a setup function that copies these scripts, after it has called another setup
    function."""

    def setup(work: Path) -> None:
        and_then(work)
        for name in names:
            shutil.copyfile(SCRIPTS / name, work / name)

    return setup


def source_tree(work: Path) -> None:
    """Copies the sources of the reader and the parser, and adds makefiles."""
    headers = shutil.ignore_patterns("*.c", "*.md", "*.json")
    shutil.copytree(SOURCE / "runtime" / "modules", work / "runtime" / "modules", ignore=headers)
    shutil.copytree(SOURCE / "runtime" / "intercept", work / "runtime" / "intercept")
    for folder in ("runtime/format", "util/reader", "util/parser"):
        shutil.copytree(SOURCE / folder, work / folder)
        (work / folder / "Makefile").write_text(PART_MAKEFILE)
    (work / "Makefile").write_text(TOP_MAKEFILE)
    (work / "config.h").write_text('#define PACKAGE_VERSION "0"\n')


def ninja(work: Path) -> None:
    """Writes a build file for ninja with 17 steps: sort parts of a file, compress them, and combine
    them."""
    words(work)
    steps = [
        "rule sort\n  command = sort -t' ' -k$n <$in >$out\n",
        "rule pack\n  command = gzip -n -c $in >$out\n",
        "rule sum\n  command = cat $in | cksum >$out\n",
    ]
    steps += [f"build sorted-{n}: sort words\n  n = {n % 3 + 1}\n" for n in range(8)]
    steps += [f"build packed-{n}.gz: pack sorted-{n}\n" for n in range(8)]
    steps.append(f"build sum: sum {' '.join(f'packed-{n}.gz' for n in range(8))}\n")
    (work / "build.ninja").write_text("".join(steps))


def many_files(work: Path) -> None:
    """Writes forty small files."""
    rng = random.Random(4)
    for i in range(40):
        (work / f"item-{i:02}").write_text("x" * rng.randrange(1, 9000) + "\n")


def samples(work: Path) -> None:
    """Writes the files that loader.py reads."""
    rng = random.Random(5)
    for i in range(32):
        (work / f"sample-{i:02}").write_bytes(rng.randbytes(20_000))


def settings(work: Path) -> None:
    """Writes the file that wrapper.sh reads for each rank."""
    (work / "settings").write_text("one = 1\n" * 10)


__all__ = ["big_file", "repository", "words"]
