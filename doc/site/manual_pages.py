"""An extension of Sphinx that makes pages of the site from the manual pages in doc/man.

It knows the requests and escapes that `./dev describe` writes, and warns about any other one.  A
warning ends the build of the site.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.parsers import Parser
from sphinx.util import logging

PAGES = Path(__file__).resolve().parents[1] / "man"
FIRST = "darshan"  # the page that lists all other pages
SETTINGS = "doc/environment"  # shows what darshan(7) shows
WIDTH = 80  # columns of a synopsis

_ESCAPES = {
    "-": "-", "&": "", "e": "\\", "(aq": "'", "(ti": "~", "(ga": "`", "(ha": "^", "(mc": "µ",
    "(en": "–",  # noqa: RUF001
}  # fmt: skip
_FONTS = {"B": nodes.literal, "I": nodes.emphasis, "R": nodes.inline}
_NAMES = (  # options, settings and file extensions, which --help does not mark
    r"(?<![\w/.-])(--?[A-Za-z][\w-]*(?:[= ][A-Z][A-Z_]+\b)?|\$?[A-Z][A-Z0-9]*_[A-Z0-9_]+|\.\w{3,})"
)
_log = logging.getLogger(__name__)


def aliases() -> dict[str, str]:
    """Returns the pages that only refer to another page, each with that page."""
    found = {}
    for page in PAGES.glob("*.1"):
        target = re.fullmatch(r"\.so man1/(.+)\.1\n", page.read_text("utf-8"))
        if target:
            found[page.stem] = target[1]
    return found


def _plain(text: str) -> str:
    """Returns the text without font changes and escapes."""

    def escape(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            _log.warning("doc/man: unknown escape %s", found[0])
        return _ESCAPES.get(found[1], "")

    return re.sub(r"\\(\(..|.)", escape, re.sub(r"\\f[BIR]", "", text))


def _inline(text: str) -> list[nodes.Node]:
    """Converts a text with its font changes to nodes. Names in ordinary text become code."""
    made: list[nodes.Node] = []
    pieces = re.split(r"\\f([BIR])", text)
    for font, piece in zip(["R", *pieces[1::2]], pieces[::2]):
        plain = _plain(piece)
        if font != "R" and plain:
            made.append(_FONTS[font](plain, plain))
            continue
        for place, part in enumerate(re.split(_NAMES, plain)):
            if part:
                made.append(nodes.literal(part, part) if place % 2 else nodes.Text(part))
    return made


def _link(target: str, text: str = "") -> nodes.Node:
    """Returns a link to a page of the site. Without a text, the link shows the page title."""
    link = addnodes.pending_xref(
        "", refdomain="std", reftype="doc", reftarget=f"/{target}", refexplicit=bool(text),
        refwarn=True,
    )  # fmt: skip
    link += nodes.literal(text, text) if text else nodes.inline("", "")
    return link


def _paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", *_inline(text))


def _code(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def _synopsis(lines: list[str]) -> nodes.literal_block:
    """Wraps long forms of a command, but never inside brackets."""
    forms = []
    for form in "\n".join(lines).split("\n.br\n"):
        whole = re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", "\0"), _plain(form))
        wrapped = textwrap.wrap(
            whole, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        forms.append("\n".join(wrapped).replace("\0", " "))
    return _code("\n".join(forms), "text")


class Manual:
    """A manual page: a list of sections with their lines."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.sections: dict[str, list[str]] = {}
        for line in text.splitlines():
            if line.startswith((".\\", ".TH ")):
                continue
            if line.startswith(".SH "):
                self.sections[line[4:]] = []
            else:
                self.sections[next(reversed(self.sections))].append(line)
        names, _, self.line = _plain(self.sections["NAME"][0]).partition(" - ")
        self.others = names.split(", ")[1:]

    def title(self) -> str:
        """Returns the name of the command as users type it."""
        typed = _plain(self.sections["SYNOPSIS"][0]).split()[:2]
        return " ".join(typed) if "-".join(typed) == self.name else self.name

    def head(self) -> list[nodes.Node]:
        """Returns the content before the first heading."""
        made: list[nodes.Node] = [_paragraph(f"{self.line[0].upper()}{self.line[1:]}.")]
        if self.others:
            words: list[nodes.Node] = [nodes.Text("Also called ")]
            for place, other in enumerate(self.others):
                words += [nodes.Text(", ")] if place else []
                words.append(nodes.literal(other, other))
            made.append(nodes.paragraph("", "", *words, nodes.Text(".")))
        return made

    def body(self, section: str) -> list[nodes.Node]:
        """Returns the content of a section."""
        lines = self.sections[section]
        if section == "SEE ALSO":
            return self._see(lines)
        if section == "SYNOPSIS":
            return [_synopsis(lines)]
        made: list[nodes.Node] = []
        at = 0
        while at < len(lines):
            request, at = lines[at].split()[0], at + 1
            if request == ".nf":
                end = lines.index(".fi", at)
                made.append(_code(textwrap.dedent(_plain("\n".join(lines[at:end]))), "sh"))
                at = end + 1
            elif request == ".TP":
                end = _next(lines, at + 1)
                if not made or not isinstance(made[-1], nodes.definition_list):
                    made.append(nodes.definition_list())
                made[-1] += self._item(lines[at], "\n".join(lines[at + 1 : end]))
                at = end
            elif request != ".PP":
                if request[0] == "." and not lines[at - 1].startswith(".\\"):
                    _log.warning("doc/man/%s.1: unknown request %s", self.name, request)
                end = _next(lines, at)
                made.append(_paragraph("\n".join(lines[at - 1 : end])))
                at = end
        return made

    def _item(self, term: str, text: str) -> nodes.definition_list_item:
        """Returns the entry of an option, or of a command with a link to its page."""
        plain = _plain(term)
        shown: nodes.Node = nodes.literal(plain, plain)
        page = f"{FIRST}-{plain.split()[0]}"
        page = aliases().get(page, page)
        if self.name == FIRST and (PAGES / f"{page}.1").exists():
            shown = _link(f"doc/man/{page}", plain)
        meaning = [] if _plain(text) == "" else [_paragraph(text)]
        return nodes.definition_list_item(
            "", nodes.term("", "", shown), nodes.definition("", *meaning)
        )

    def _see(self, lines: list[str]) -> list[nodes.Node]:
        """Returns links to the other pages and to the guide."""
        made: list[nodes.Node] = []
        pages = [_plain(line.split()[1]) for line in lines if line.startswith(".BR ")]
        targets = [f"doc/man/{page}" for page in pages[:-1]] + [SETTINGS]  # the last: darshan(7)
        guide = re.search(r"The guide ([\w-]+)\.md", _plain("\n".join(lines)))
        targets += [f"doc/{guide[1]}"] if guide else []
        if self.name == FIRST:  # the list above leads to the other commands
            made.append(_contents(targets[: len(pages) - 1]))
            targets = targets[len(pages) - 1 :]
        links: list[nodes.Node] = []
        for place, target in enumerate(targets):
            links += [nodes.Text(", ")] if place else []
            links.append(_link(target))
        return [*made, nodes.paragraph("", "", *links)]


def _next(lines: list[str], at: int) -> int:
    """Returns the index of the next line that is a request."""
    while at < len(lines) and not re.match(r"\.[A-Za-z]", lines[at]):
        at += 1
    return at


def _contents(targets: list[str]) -> nodes.Node:
    """Returns the part of the navigation that lists these pages."""
    tree = addnodes.toctree(
        "", parent=f"doc/man/{FIRST}", entries=[(None, target) for target in targets],
        includefiles=targets, maxdepth=1, caption=None, glob=False, hidden=True,
        includehidden=False, numbered=0, titlesonly=False,
    )  # fmt: skip
    return nodes.compound("", tree, classes=["toctree-wrapper"])


class ManualParser(Parser):
    """Parses a file of doc/man for Sphinx."""

    supported = ("man",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Adds the content of a manual page to the document."""
        self.setup_parse(inputstring, document)
        page = Manual(Path(document["source"]).stem, inputstring)
        document += self._section(page.title(), document, page.head())
        told = {node.astext() for node in page.head()}
        for heading in [name for name in page.sections if name != "NAME"]:
            body = page.body(heading)
            if {node.astext() for node in body} - told or heading == "SEE ALSO":
                document[0] += self._section(heading.capitalize(), document, body)
        self.finish_parse()

    def _section(
        self, title: str, document: nodes.document, body: list[nodes.Node]
    ) -> nodes.section:
        section = nodes.section("", nodes.title(title, title), *body, names=[title.lower()])
        document.note_implicit_target(section, section)
        return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers manual pages as sources, and their parser. Sphinx calls it."""
    app.add_source_suffix(".1", "man")
    app.add_source_parser(ManualParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
