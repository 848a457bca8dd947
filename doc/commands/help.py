"""Reads the --help of a command as data."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 60


@dataclass
class Command:
    """A row of commands.txt."""

    name: str
    words: list[str]
    line: str
    others: list[str]
    guide: str


@dataclass
class Row:
    """Options with one meaning, or a word or a command, together with its description."""

    term: str
    text: str

    @property
    def options(self) -> list[str]:
        """Returns the options of the row without their values: --key for "--key KEY"."""
        if not self.term.startswith("-"):
            return []
        return re.findall(r"(?:^|[\s\[,])(--?[A-Za-z][\w-]*)", self.term)

    @property
    def value(self) -> str:
        """Returns the text after the last option, or an empty string."""
        match = re.search(r"--?[A-Za-z][\w-]*[ =](\S+)$", self.term)
        return match.group(1) if match else ""


@dataclass
class Part:
    """One form of the command. A str is text between the rows."""

    usage: list[str]
    body: list[Row | str] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return [row for row in self.body if isinstance(row, Row)]


_WORD = r"([a-z][a-z0-9-]*)(?: [\[(][^\])]*[\])])?"


def _listed(text: str) -> list[str]:
    """Returns the words of a list such as "a [x], b (y) or c". Returns no words if the text
    contains more than a list.
    """
    if not re.fullmatch(rf"{_WORD}(, {_WORD})*( or {_WORD})?\.?", text):
        return []
    return re.findall(
        _WORD, re.sub(r" or (?=[a-z])", ", ", re.sub(r" [\[(][^\])]*[\])]", "", text))
    )


def choices(row: Row) -> list[list[str]]:
    """Returns the words that an option accepts, if there are only a few: one list for each word
    after the option.
    """
    if not re.search(r"-[\w-]+ \[?[A-Za-z]", row.term):
        return []
    groups = [g.split("|") for g in re.findall(r"\[([a-z|]+)\]", row.term)]
    words = _listed(row.text.partition("; ")[0])
    return groups or ([words] if len(words) > 1 else [])


def places(parts: list[Part]) -> dict[int, list[str]]:
    """Returns the words that users may type as a positional argument, by its position. In the help
    text, these words follow "NAME is one of:".
    """
    usage = re.sub(r"\[-[^\]]*(\[[^\]]*\][^\]]*)*\]", "", parts[0].usage[0])
    names = [word.strip("[].") for word in re.findall(r"\[?[A-Z][A-Z.-]*\]?", usage)]
    found: dict[int, list[str]] = {}
    for text in (piece for part in parts for piece in part.body if isinstance(piece, str)):
        match = re.search(
            rf"\b([A-Z]+) is one of: ({_WORD}(?:, {_WORD})*)\.", text.replace("\n", " ")
        )
        if match:
            found[names.index(match[1]) + 1] = _listed(match[2])
    return found


def more(name: str) -> dict[str, str]:
    """Returns the sections that more.txt adds to the manual page of a command: heading and text."""
    lines = [line for line in (HERE / "more.txt").read_text("utf-8").splitlines()
             if not line.startswith("#")]  # fmt: skip
    blocks = ("\n" + "\n".join(lines)).split("\n@")
    text = next((b.partition("\n")[2] for b in blocks if b.partition("\n")[0] == name), "")
    pieces = re.split(r"(?m)^([A-Z][A-Z ]+)$", text)
    return {heading: body.strip("\n") for heading, body in zip(pieces[1::2], pieces[2::2])}


def commands() -> list[Command]:
    rows = [line.split("|") for line in (HERE / "commands.txt").read_text().splitlines()]
    return [
        Command(name.strip(), words.split(), line.strip(), others.split(), guide.strip())
        for name, words, line, others, guide in (row for row in rows if row[0][0] != "#")
    ]


class HelpFailed(Exception):
    """Reports that a command has no --help text. The message names the command and the reason."""


_TEXTS: dict[str, str] = {}  # by what was typed: programs in Python need a third of a second


def asked(command: Command, build: Path) -> str:
    """Returns the text of --help, formatted independently of the terminal. Runs each command once
    per process and caches its text. Raises HelpFailed.
    """
    file, *words = command.words
    program = build / file
    if file.startswith("/"):  # a script of the sources
        program = HERE.parents[1] / file[1:]
    # Wide, since versions of Python break lines, also at hyphens, in places of their own.
    environment = {**os.environ, "COLUMNS": "1000", "NO_COLOR": "1"}
    typed = " ".join([str(program), *words, "--help"])
    if typed in _TEXTS:
        return _TEXTS[typed]
    try:
        done = subprocess.run(
            [program, *words, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=SECONDS, check=False, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise HelpFailed(f"cannot run {typed}: {error.strerror} (is {build} built?)") from error
    except subprocess.TimeoutExpired as error:
        raise HelpFailed(f"{typed} did not end within {SECONDS} s") from error
    if done.returncode == 0 and done.stdout.strip():
        _TEXTS[typed] = done.stdout
        return done.stdout
    ended = (
        f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
    )
    raise HelpFailed(f"{typed} failed: {ended}; {done.stderr.strip() or 'it printed no error'}")


def read(command: Command, build: Path) -> list[Part]:
    """Parses the --help of a command. Returns its forms, the first of which is the usual one."""
    parts: list[Part] = []
    lines = asked(command, build).expandtabs(40).splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if re.match(r"(?i)usage: |darshan-", line):
            at = _usage(lines, at, parts)
        elif not line.startswith(" ") and line.endswith(":"):
            at += 1  # argparse's headings
        else:
            at = _body(lines, at, parts[-1].body)
    return parts


def _usage(lines: list[str], at: int, parts: list[Part]) -> int:
    """Reads all usage lines and adds them to parts as one form. A line that begins with "darshan"
    is another variant of the usage; any other line continues the previous one. Returns the index of
    the next line.
    """
    usage = [re.sub(r"(?i)^usage: ", "", lines[at])]
    at += 1
    while at < len(lines) and lines[at].startswith("       "):
        more = lines[at].strip()
        if more.startswith("darshan"):
            usage.append(more)
        else:
            usage[-1] += " " + more
        at += 1
    parts.append(Part(usage))
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _body(lines: list[str], at: int, body: list[Row | str]) -> int:
    """Parses a row with its continuation lines, or a paragraph, into body. Returns the index of the
    next line.
    """
    line = lines[at].strip()
    indent = _indent(lines[at])
    at += 1
    if not line:
        body.append("")
        return at
    is_option = indent > 0 and re.match(r"-[^ ]", line) is not None
    if re.fullmatch(r"--\S+( {2,}--\S+)+", line):
        body += [Row(option, "") for option in line.split()]
        return at
    deeper = at < len(lines) and _indent(lines[at]) >= indent + 4
    gap = re.split(r" {2,}" if is_option else r" {3,}", line, maxsplit=1)
    if not is_option and len(gap) == 1 and not (indent and deeper):
        if body and isinstance(body[-1], str) and body[-1] and not line.startswith("Exit status"):
            body[-1] += "\n" + line
        else:
            body.append(line)
        return at
    text = gap[1:]
    while at < len(lines) and lines[at].strip() and _indent(lines[at]) >= indent + 4:
        text.append(lines[at].strip())
        at += 1
    body.append(Row(_term(gap[0]), " ".join(text)))
    return at


def _term(term: str) -> str:
    """Names a value once, as Python 3.13 does: "-o, --output OUT" instead of "-o OUT, --output
    OUT".
    """
    return re.sub(r"^(-\w) ([A-Z]+), (--[\w-]+ \2)$", r"\1, \3", term)
