"""Lists C messages that report a failed operation without what it failed on:
`./dev lint --messages`.

A message says what failed, on which path or option, why, and what to do next (doc/glossary.md).
This script sees only the arguments of a message function, so it lists a message that says that
something cannot be done but has no argument besides the reason and names no option and no
variable.  It also lists "cannot be written" and the like, because the subject of such a message
is a thing, not an operation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from source_text import Token, c_code, contents, tracked

# Functions whose string is a message.
FUNCTIONS = {
    "DARSHAN_MESSAGE",
    "darshan_message_add",
    "say",
    "merge_say",
    "convert_say",
    "recovery_tell",
    "complain",
    "fprintf",
    "fputs",
}
# Words of a message about an operation that failed.
FAILED = re.compile(r"\b(?:cannot|could not|can't|failed|unable)\b")
# Words of a message whose subject is a thing.
PASSIVE = re.compile(r"\b(?:cannot|could not) be \w+(?:ed|en|t|ne|de)\b")
# An option, a command, a variable or a stream in a message.
NAMED = re.compile(
    r"--[a-z]|darshan-[a-z]+|\b[A-Z]+_[A-Z_]+\b|/dev/|standard (?:output|input|error)"
)
# Identifiers that tell a reason, a stream or a name of the program, but no path.
NO_PATH = {
    "strerror",
    "errno",
    "error",
    "stderr",
    "stdout",
    "NULL",
    "called_as",
    "command",
    "written",
    "EIO",
    "darshan_error_text",
    "result",
    "darshan_problems",
    "messages",
}
# Messages that need no path, with the reason.
ALLOWED = {
    "cannot allocate memory for records; this process leaves no log": "the process is the subject",
    "cannot make a random key: %s; use --key": "the operation has no path",
    "cannot write a log to a terminal; name a file with -o": "the terminal has no name",
    "cannot write a log to a terminal; name a file": "the terminal has no name",
    "cannot number the threads of a trace: out of memory": "the reason is not the path",
    "cannot merge these logs: none of them names its rank": "all logs together are the subject",
}


class Finding(NamedTuple):
    """A message that a person should check: its file, the line of the call, and the message."""

    file: str
    line: int
    text: str


def arguments(code: list[Token], start: int) -> list[Token]:
    """Returns the tokens between the parenthesis at index `start` and its counterpart; [] if it has
    none."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at].text, 0)
        if depth == 0:
            return code[start + 1 : at]
    return []


def messages(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yields each call of a message function in a C file, except output that is not for stderr: its
    line, its joined strings, and whether an argument has a word that is not in NO_PATH, so that it
    may be a path."""
    code = c_code(text)
    for at, token in enumerate(code[:-1]):
        if token.text not in FUNCTIONS or code[at + 1].text != "(":
            continue
        found = arguments(code, at + 1)
        if token.text in {"fprintf", "fputs"} and not any(t.text == "stderr" for t in found):
            continue
        strings = [t.text[1:-1] for t in found if t.kind == "string" and t.text[0] == '"']
        words = [t.text for t in found if t.kind == "word" and not t.text[0].isdigit()]
        yield token.line, "".join(strings).replace("\\n", ""), bool(set(words) - NO_PATH)


def findings(file: str, text: str) -> list[Finding]:
    """Returns the messages of a C file that do not say on what an operation failed, or say that a
    thing "cannot be ...". text: of the file."""
    return [
        Finding(file, line, words)
        for line, words, has_path in messages(text)
        if words not in ALLOWED
        and (
            PASSIVE.search(words)
            or (FAILED.search(words) and not has_path and not NAMED.search(words))
        )
    ]


def tree_findings(tree: Path) -> list[Finding]:
    """Returns the findings in all C files of runtime/ and util/."""
    names = [n for n in tracked(tree) if n.startswith(("runtime/", "util/")) and n.endswith(".c")]
    return [finding for name in names for finding in findings(name, contents(tree / name))]


def main() -> int:
    """Prints each message that `tree_findings` finds, and their number. Returns the exit status: 1
    if there is one, otherwise 0."""
    found = tree_findings(Path(__file__).resolve().parents[2])
    for finding in found:
        print(f"{finding.file}:{finding.line}: {finding.text}")
    print(f"messages: {len(found)} do not say what failed on which path or option")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
