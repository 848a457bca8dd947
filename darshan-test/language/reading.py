"""Draws what a reader explains from the text alone: `./dev reading --seed N`.

200 commented declarations, 60 messages and 30 paragraphs.  Half of the declarations are C of
runtime/ and util/, a quarter Python of util/, a quarter tests and tools.  The seed and an
item's name decide whether it is drawn, so changes elsewhere do not change the draw.  --from
COMMIT draws from the texts of COMMIT and shows the same items as they are now; an item that
lost its comment, or is gone, is shown as that.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from declarations import Item, c_declarations, items
from source_text import contents, kind, tracked

# Pages that ./dev describe makes of tables.
GENERATED = ("doc/counters.md", "doc/centre-tables.md", "doc/man")
# Each share: the kind of its items, their number, and a test of the file name.
SHARES: tuple[tuple[str, int, Callable[[str], bool]], ...] = (
    ("declaration", 100, lambda file: file.startswith(("runtime/", "util/")) and file[-2] == "."),
    ("declaration", 50, lambda file: file.startswith("util/") and file.endswith(".py")),
    ("declaration", 50, lambda file: not file.startswith(("runtime/", "util/"))),
    ("message", 60, lambda file: file.startswith(("runtime/", "util/"))),
    ("paragraph", 30, lambda file: file.startswith("doc/") and not file.startswith(GENERATED)),
)


def working_tree(tree: Path) -> dict[str, str]:
    """Returns the texts of all tracked files in the working tree, by path; "" for a file that is
    not UTF-8."""
    return {name: contents(tree / name) for name in tracked(tree)}


def texts_of(tree: Path, commit: str) -> dict[str, str]:
    """Returns the texts of all files of a commit, by path."""
    command = ["git", "-C", str(tree), "archive", commit]
    packed = io.BytesIO(subprocess.run(command, capture_output=True, check=True).stdout)
    with tarfile.open(fileobj=packed) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {
            name: file.read().decode("utf-8", "replace") for name, file in files.items() if file
        }


def renamed(tree: Path, commit: str) -> dict[str, str]:
    """Returns the new paths of files that were renamed since a commit according to git, by their
    old paths."""
    command = ["git", "-C", str(tree), "diff", "-M", "--diff-filter=R", "--name-status", commit]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(line.split("\t")[1:3] for line in rows.splitlines())


def drawn(texts: dict[str, str], seed: int) -> list[tuple[str, Item]]:
    """Returns the drawn items, each with its kind. From each group of SHARES come those whose hash
    of seed and name is smallest, in the order of the hash. texts: of the files, by path."""
    every = [
        (what, item)
        for file, text in sorted(texts.items())
        if file.endswith(".md") or kind(file, text) in ("c", "python")
        for what, found in items(file, text).items()
        for item in found
    ]

    def rank(pair: tuple[str, Item]) -> str:
        return hashlib.sha256(f"{seed} {pair[1].name}".encode()).hexdigest()

    chosen: list[tuple[str, Item]] = []
    for what, count, fits in SHARES:
        some = [pair for pair in every if pair[0] == what and fits(pair[1].name.split(":")[0])]
        chosen += sorted(some, key=rank)[:count]
    order = ["declaration", "message", "paragraph"]
    return sorted(chosen, key=lambda pair: (order.index(pair[0]), rank(pair)))


def now(what: str, name: str, texts: dict[str, str], names: dict[str, str]) -> str:
    """Returns today's text of an item that was drawn from another commit, or a text that says that
    the item is gone. what: its kind. texts: today's files. names: new paths of renamed files."""
    file, colon, inner = name.partition(":")
    file = names.get(file, file)
    text = texts.get(file, "")
    for item in items(file, text).get(what, []):
        if item.name == f"{file}{colon}{inner}":
            return item.text
    bare = (
        [d.text for d in c_declarations(text) if d.name == inner] if kind(file, text) == "c" else []
    )
    return bare[0] if bare else "(it is gone, or has no comment)"


def main() -> int:
    """Prints the items that the seed draws, each with a number such as D1. Returns the exit status
    0."""
    parser = argparse.ArgumentParser(prog="dev reading", description="See the file's head.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--from", dest="commit", help="draw from the texts of this commit")
    options = parser.parse_args()
    tree = Path(__file__).resolve().parents[2]
    texts = working_tree(tree)
    names: dict[str, str] = {}
    draw = drawn(texts, options.seed)
    if options.commit:
        names = renamed(tree, options.commit)
        old = drawn(texts_of(tree, options.commit), options.seed)
        draw = [(what, Item(i.name, now(what, i.name, texts, names))) for what, i in old]
    letters = {"declaration": "D", "message": "M", "paragraph": "P"}
    counts = dict.fromkeys(letters, 0)
    for what, item in draw:
        counts[what] += 1
        print(f"=== {letters[what]}{counts[what]} {item.name}\n{item.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
