"""Follows every link of a site that was made: check_links.py FOLDER

Pages and what they load have to be in the folder, anchors on the page that is named, and what is
loaded from elsewhere is an error: the site works without a network. Links to other sites are
followed by `./dev docs --external`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements that load a file, and the attribute with its address. A <link> loads one or not, by its
# rel=.
_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
_INSIDE = {"a", "code", "em", "span"}  # elements inside a line of text
_QUIET = {"canonical", "index", "search", "next", "prev", "author"}


@dataclass
class Page(HTMLParser):
    """One HTML page: the ids to which links can lead, and the links in the page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_data(self, data: str) -> None:
        """Collects the text between elements."""
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects the ids and links of every element."""
        found = {name: value or "" for name, value in attrs}
        self.text += "" if tag in _INSIDE else "\n"
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        if tag == "link" and not _QUIET.intersection(found.get("rel", "").split()):
            self.loads.append(found.get("href", ""))
        if tag in _LOADS:
            self.loads.append(found.get(_LOADS[tag], ""))


def read(path: Path) -> Page:
    """Parses a page."""
    page = Page()
    page.feed(path.read_text("utf-8"))
    return page


def _lost(folder: Path, pages: dict[Path, Page], path: Path, link: str) -> str:
    """Returns the reason why a link has no target. Returns an empty string if the link leads to an
    existing page or to another site.
    """
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if folder not in target.parents:
        return "is outside"
    if not target.exists():
        return "is not there"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return "has no such anchor"
    return ""


def problems(folder: Path) -> list[str]:
    """Returns one line for each link of the site without a target."""
    folder = folder.resolve()
    pages = {path: read(path) for path in sorted(folder.rglob("*.html"))}
    lines = [] if pages else [f"{folder}: no pages"]
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in dict.fromkeys([*page.links, *page.loads]):
            if why := _lost(folder, pages, path, link):
                lines.append(f"{name}: {link} {why}")
        lines += [f"{name}: loads {link}" for link in page.loads if urlsplit(link)[:2] != ("", "")]
        twice = {one for one in page.ids if page.ids.count(one) > 1}
        lines += [f"{name}: {one} twice" for one in sorted(twice)]
    return lines


def main() -> int:
    """Prints the broken links. Returns the exit status: 1 if there are any, otherwise 0."""
    found = problems(Path(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
