"""Refuses sentences of comments and docstrings without a named subject, as a part of `./dev lint`;
`./dev lint --words FOLDER` lists those of a folder.

A sentence that begins with one of these words is mostly a relative clause or a phrase
("Who finds none takes private memory", "Of the ring that is mapped"), and the reader has to
guess what it is about.  doc/glossary.md says what to write instead.  Questions are no such
clauses: "Which of the two is mapped?"
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from source_text import Comment, comments, contents, tracked

# The words with which no sentence may begin.
FIRST = re.compile(
    r"""(?:
        Who|Whose|Whom|Whoever|What|Whatever|Which|Whichever|Where|Wherever|Of|That|Those|Such
      | None|Nobody|Somebody|Someone
      | (?:One|All|Any|Anything|Everything|Nothing|Some|Everybody)\ (?:that|who|of)
      | (?:To|For|With|By|In|From|At|On|After|Before|Behind|Without)\ (?:what|which|wh[oe]\w*)
    )\b(?![-:])""",
    re.VERBOSE,
)
# Any place where such a sentence may begin. Most files have none, and need no lexer.
PLACE = re.compile(rf"(?:\A|[\"'#*/!.?:-]|\n\s*\n)\s*{FIRST.pattern}", re.VERBOSE)
# A sentence; a point inside of a word does not end it.
SENTENCE = re.compile(r"[^.?!]+(?:[.?!](?![\s)]|$)[^.?!]*)*[.?!]?")
NOT_OURS = ("doc/man/", "third_party/", "debian/missing-sources/")  # or generated


class Finding(NamedTuple):
    """A sentence without a named subject: its file, the first line of its comment, and the
    sentence."""

    file: str
    line: int
    sentence: str


def sentences(comment: Comment) -> Iterator[str]:
    """Yields the sentences of a comment, paragraph by paragraph and bullet by bullet."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*] )", comment.text):
        words = " ".join(paragraph.split()).lstrip("-* ")
        for match in SENTENCE.finditer(words):
            yield match[0].strip()


def findings(file: str, text: str) -> list[Finding]:
    """Returns the sentences in the comments of a file that begin with one of the words in FIRST,
    except questions. text: of the file."""
    if not PLACE.search(text):
        return []
    return [
        Finding(file, comment.line, sentence)
        for comment in comments(file, text)
        for sentence in sentences(comment)
        if FIRST.match(sentence) and not sentence.endswith("?")
    ]


def folder(file: str) -> str:
    """Returns the folder under which a file is counted: the first two folders of its path, three
    for modules, four for the Python package; "." at the top."""
    parts = file.split("/")[:-1]
    deep = parts[:2] in (["runtime", "modules"], ["util", "python"])
    return "/".join(parts[: 4 if deep and parts[1] == "python" else 3 if deep else 2]) or "."


def main() -> int:
    """Prints each sentence without a named subject, unless --count is given, and the number in each
    folder. Returns the exit status: 1 if there is such a sentence, otherwise 0."""
    tree = Path(__file__).resolve().parents[2]
    prefixes = tuple(word for word in sys.argv[1:] if not word.startswith("-"))
    names = [name for name in tracked(tree) if not any(part in name for part in NOT_OURS)]
    found = [
        finding
        for name in names
        if name.startswith(prefixes or "")
        for finding in findings(name, contents(tree / name))
    ]
    for finding in [] if "--count" in sys.argv else found:
        print(f"{finding.file}:{finding.line}: {finding.sentence}")
    for name, number in sorted(Counter(folder(finding.file) for finding in found).items()):
        print(f"{number:6} {name}")
    print(f"words: {len(found)} sentences begin without a named subject")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
