"""Pages of the manual for the site of the guides: doc/manual."""

from __future__ import annotations

import re
import textwrap

from help import Command, Part, Row, more
from pages import BLANKS, EXIT_STATUS

NOTE = "<!-- Made by ./dev describe. -->\n"
_WIDTH = 80


def escaped(text: str) -> str:
    """Nothing in it is markup."""
    return re.sub(r"([\\`*_<>\[\]|$])", r"\\\1", text)


def prose(text: str) -> str:
    """A text of --help: names of options, files and settings as code, the rest as it is."""
    text = re.sub(BLANKS, " ", text.strip())
    names = (
        r"(?<![\w/.-])(--?[A-Za-z][\w-]*(?:[= ][A-Z][A-Z_]+\b)?|[A-Z][A-Z0-9]*_[A-Z0-9_]+|\.\w{3,})"
    )
    pieces = re.split(names, text)
    return "".join(f"`{p}`" if i % 2 else escaped(p) for i, p in enumerate(pieces))


def sentence(text: str) -> str:
    """A line of --help as a sentence, unless it begins with a name."""
    first = text.split(maxsplit=1)[0]
    text = text[0].upper() + text[1:] if first.islower() and first.rstrip(",;:").isalpha() else text
    return prose(text if text[-1] in ".:;!" else text + ".")


def _usage(text: str) -> str:
    """On several lines where it is long; what stands in brackets stays together."""
    whole = re.sub(r"\[[^\]]*\]", lambda found: found.group(0).replace(" ", "\0"), text)
    lines = textwrap.wrap(
        whole, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace("\0", " ")


def _row(row: Row) -> str:
    text = prose(row.text) if row.text else ""
    return f"* `{row.term}`" + (f"\\\n  {text}" if text else "")


def _part(part: Part) -> list[str]:
    """Blocks of a form of the command."""
    blocks = ["```text\n" + "\n".join(map(_usage, part.usage)) + "\n```"]
    rows: list[str] = []
    status = ""
    for piece in part.body:
        if isinstance(piece, Row):
            rows.append(_row(piece))
        elif re.match(EXIT_STATUS, piece):
            status = sentence(re.sub(r"(?i)^exit status: ", "", piece))
        elif piece:
            blocks += ["\n".join(rows)] if rows else []
            rows = []
            blocks.append(sentence(piece))
    blocks += ["\n".join(rows)] if rows else []
    return [*blocks, *([f"## Exit status\n\n{status}"] if status else [])]


def title(command: Command) -> str:
    """Returns the command as users type it."""
    return " ".join(command.words) if command.words[0] == "darshan" else command.name


def index(rows: list[Command]) -> str:
    """The page of all of them."""
    lines = [f"* [{title(row)}]({row.name}.md): {prose(row.line)}" for row in rows]
    tree = "\n".join(["```{toctree}", ":hidden:", *(row.name for row in rows), "```"])
    about = (
        "`darshan help COMMAND` and `man COMMAND` say the same; the variables that all of them "
        "heed are in [Settings of the runtime](../environment.md)."
    )
    return "\n\n".join([NOTE + "# Commands", about, "\n".join(lines), tree]) + "\n"


def _block(text: str) -> str:
    """A paragraph, or indented examples."""
    if not text.startswith("  "):
        return prose(text)
    lines = "\n".join(line.strip() for line in text.splitlines())
    return f"```sh\n{lines}\n```"


def page(command: Command, parts: list[Part]) -> str:
    """Returns the Markdown page of a command."""
    first = sentence(command.line)
    blocks = [NOTE + f"# {title(command)}", first]
    if command.others:
        others = ", ".join(f"`{other}`" for other in command.others)
        blocks.append(f"Also called {others}.")
    blocks += [b for b in _part(parts[0]) if b != first]
    for place, part in enumerate(parts[1:]):
        blocks += ["## Other forms"] if place == 0 else []
        blocks += _part(part)
    for heading, text in more(command.name).items():
        blocks.append(f"## {heading.capitalize()}")
        blocks += [_block(block) for block in text.split("\n\n")]
    blocks.append(f"The guide: [{command.guide}.md](../{command.guide}.md).")
    return "\n\n".join(blocks) + "\n"
