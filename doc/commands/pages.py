"""Pages of the manual, as roff."""

from __future__ import annotations

import re

from help import HERE, Command, Part, Row, more

DOC = HERE.parent
RUNTIME = HERE / "runtime.txt"
BLANKS = r"(?<=[.;]) {2,}"  # behind a sentence of --help
# make install writes another folder over this one where configure was given one.
WHERE = "Guides are in share/doc/darshan of what is installed, and in doc of the sources."
EXIT_STATUS = r"(?i)(the )?exit status"


def escaped(text: str) -> str:
    """Nothing in it is a request or an escape; a hyphen is what one types."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = text.replace("`", "\\(ga").replace("'", "\\(aq").replace("µ", "\\(mc")
    text = text.replace("–", "\\(en").replace("…", "...")  # noqa: RUF001
    return "\n".join("\\&" + line if line[:1] in (".", "\\") else line for line in text.split("\n"))


def sentences(text: str) -> str:
    """Two blanks end a sentence, which begins a line of its own."""
    return re.sub(BLANKS, "\n", text.strip())


def paragraph(text: str) -> str:
    """A line of --help as a sentence, unless it begins with a name."""
    text = sentences(text)
    first = text.split()[0]
    text = text[0].upper() + text[1:] if first.islower() and first.rstrip(",;:").isalpha() else text
    return escaped(text if text[-1] in ".:;!" else text + ".")


def bold_options(text: str) -> str:
    """A term: what is typed in bold, what stands for something in italics."""

    def word(match: re.Match[str]) -> str:
        found = match.group(0)
        if found[0] == "-" or found[0].islower():
            return f"\\fB{escaped(found)}\\fR"
        return f"\\fI{found}\\fR"

    return re.sub(r"--?[A-Za-z][\w-]*|[A-Z][A-Z0-9]*(?:-[A-Z]+)*\b|[a-z][\w.-]*", word, text)


def markdown(text: str) -> str:
    """A cell of a table of the guides."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*?([^*]+)\*\*?", r"\1", text)
    pieces = re.split(r"`([^`]*)`", text)
    return "".join(
        f"\\fB{escaped(piece).removeprefix(chr(92) + '&')}\\fR" if i % 2 else escaped(piece)
        for i, piece in enumerate(pieces)
    )


def _title(name: str, section: int) -> list[str]:
    return [
        '.\\" Made by ./dev describe.',
        f'.TH {escaped(name).upper()} {section} "" "Darshan" "Darshan"',
        ".SH NAME",
    ]


def _row(row: Row) -> list[str]:
    return [".TP", bold_options(row.term), escaped(sentences(row.text)) or "\\&"]


def _body(part: Part) -> tuple[list[str], list[str], list[str]]:
    """Returns the description, the rows and the end of a help text."""
    text: list[str] = []
    rows: list[str] = []
    status: list[str] = []
    for piece in part.body:
        if isinstance(piece, Row):
            rows += _row(piece)
        elif re.match(EXIT_STATUS, piece):
            status = [paragraph(re.sub(r"(?i)^exit status: ", "", piece))]
        elif piece and rows:
            rows += [".PP", paragraph(piece)]
        elif piece:
            text += [*([".PP"] if text else []), paragraph(piece)]
    return text, rows, status


def _synopsis(part: Part) -> list[str]:
    lines: list[str] = []
    for usage in part.usage:
        lines += [*([".br"] if lines else []), bold_options(usage)]
    return lines


def page(command: Command, parts: list[Part], names: list[str]) -> str:
    """Returns the manual page of a command."""
    lines = _title(command.name, 1)
    called = ", ".join(escaped(name) for name in [command.name, *command.others])
    lines += [f"{called} \\- {escaped(command.line)}", ".SH SYNOPSIS", *_synopsis(parts[0])]
    text, rows, status = _body(parts[0])
    lines += [".SH DESCRIPTION", *(text or [paragraph(command.line)])]
    lines += [".SH COMMANDS" if command.name == "darshan" else ".SH OPTIONS", *rows] if rows else []
    for part in parts[1:]:
        text, rows, _ = _body(part)
        lines += [".SH OTHER FORMS", *_synopsis(part)] if part is parts[1] else [
            ".PP", *_synopsis(part)]  # fmt: skip
        lines += [".PP", *text, *rows]
    added = more(command.name)
    assert not (status and "EXIT STATUS" in added), command.name
    lines += [".SH EXIT STATUS", *status] if status else []
    lines += [_plain(f"{heading}\n\n{text}") for heading, text in added.items()]
    return "\n".join([*lines, *_see(command, names)]) + "\n"


def _see(command: Command, names: list[str]) -> list[str]:
    others = [n for n in names if n != command.name] if command.name == "darshan" else ["darshan"]
    lines = [".SH SEE ALSO", *(f".BR {escaped(name)} (1)," for name in others), ".BR darshan (7)"]
    return [*lines, ".PP", f"The guide {escaped(command.guide)}.md says more. {WHERE}"]


def alias(name: str) -> str:
    return f".so man1/{name}.1\n"


def settings() -> list[tuple[str, str, str, str, str]]:
    """Heading, variable, directive, meaning, default: the rows of doc/environment.md."""
    rows: list[tuple[str, str, str, str, str]] = []
    heading = ""
    for line in (DOC / "environment.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and "`" in cells[0] + cells[1]:
            rows.append((heading, cells[0], cells[1], cells[2], cells[3]))
    return rows


def runtime_page() -> str:
    """darshan(7): runtime.txt, and the settings."""
    lines = [
        *_title("darshan", 7),
        "darshan \\- what watches the I/O of programs, and its settings",
    ]
    before, after = RUNTIME.read_text("utf-8").replace("@where@", WHERE).split("@settings@\n")
    lines += [_plain(before), ".SH ENVIRONMENT"]
    lines.append("A word in brackets is the directive of the configuration file.")
    last = ""
    for heading, variable, directive, meaning, default in settings():
        if heading != last:
            lines.append(f'.SS "{escaped(heading)}"')
        last = heading
        named = "" if "`" not in directive else f" [{markdown(directive)}]"
        lines += [".TP", markdown(variable) + named if "`" in variable else named.strip()]
        lines.append(f"{markdown(meaning)}.")
        lines.append(f"Default: {markdown(default)}." if default not in ("–", "") else "\\&")  # noqa: RUF001
    return "\n".join([*lines, _plain(after)]) + "\n"


def _plain(text: str) -> str:
    """Headings in capitals, paragraphs, and indented examples."""
    lines: list[str] = []
    fresh = True
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if re.fullmatch(r"[A-Z ]+", block):
            lines.append(f".SH {block}")
            fresh = True
            continue
        if block.startswith("  "):
            lines += [".PP", ".nf", *(markdown(line) for line in block.splitlines()), ".fi"]
        else:
            lines += [*([] if fresh else [".PP"]), *(markdown(s) for s in block.splitlines())]
        fresh = False
    return "\n".join(lines)
