"""The site of the guides, for Sphinx: ./dev docs, or any host of documentation (doc/site.md).

Its pages are those of the tree, where they lie: links between them are the same here and
there.  So the sources of the site are the tree itself: sphinx-build -c doc . OUTPUT
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TREE / "doc" / "site"))

import manual_pages  # noqa: E402 - its folder is known only now

_INIT = re.search(r"^AC_INIT\(\[darshan\], \[(.+?)\]\)", (TREE / "configure.ac").read_text(), re.M)

project = "Darshan"
release = version = _INIT[1] if _INIT else ""
root_doc = "doc/index"
include_patterns = [
    "*.md",
    "doc/*.md",
    "doc/history/*.md",
    "doc/man/*.1",
    "runtime/*.md",
    "runtime/**/*.md",
    "darshan-test/**/*.md",
]
exclude_patterns = ["build*", "results", "autom4te.cache", ".*", "**/third_party"]
exclude_patterns += [f"doc/man/{name}.1" for name in manual_pages.aliases()]
extensions = ["myst_parser", "manual_pages"]
myst_heading_anchors = 4

# Nothing is loaded from elsewhere: letters are the reader's own, and the search is a script.
html_theme = "furo"
html_title = f"Darshan {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
templates_path = ["site/templates"]
html_additional_pages = {"index": "first.html"}  # leads to root_doc
html_copy_source = False
html_show_search_summary = False  # it would have to fetch pages, which a disk forbids
html_search_scorer = str(TREE / "doc" / "site" / "scorer.js")
html_show_copyright = False
html_use_index = False
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "github-dark"
highlight_language = "text"


def _named(anchor: nodes.raw, kind: str) -> str:
    """Returns the name for an anchor: the counter in its table cell, or the diagnosis in the next
    heading.
    """
    if kind == "counter":
        return anchor.parent.next_node(nodes.literal).astext()
    return anchor.next_node(nodes.title, siblings=True, ascend=True).astext()


def note_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Adds each counter and diagnosis to the search index of the site, with a link to its <a
    id="..."></a>.
    """
    kinds = {"doc/counters": "counter", "doc/diagnoses": "diagnosis"}
    kind = kinds.get(app.env.docname)
    for anchor in list(doctree.findall(nodes.raw)) if kind else []:
        found = re.fullmatch(r'<a id="([\w-]+)">', anchor.astext())
        if found and kind:
            name = _named(anchor, kind)
            app.env.domains.standard_domain.note_object(kind, name, found[1], anchor)
            # For links of other pages: as MyST keeps what the headings are called.
            slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
            slugs[found[1]] = (anchor.line or 0, found[1], name)


def note_settings(app: Sphinx, doctree: nodes.document) -> None:
    """Adds each variable and directive of the runtime to the search index of the site, with a link
    to its table row.
    """
    rows = doctree.findall(nodes.row) if app.env.docname == "doc/environment" else []
    for row in rows:
        cells = row.children[:2] if len(row.children) == 4 else []
        for name in (literal for cell in cells for literal in cell.findall(nodes.literal)):
            anchor = name.astext().lower()
            if re.fullmatch(r"\w+", anchor) and anchor not in doctree.ids:
                name["ids"].append(anchor)
                doctree.ids[anchor] = name
                domain = app.env.domains.standard_domain
                domain.note_object("setting", name.astext(), anchor, name)


def name_pages(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replaces the text of a link by the title of the target page, if that text is a file name."""
    for link in doctree.findall(nodes.reference):
        if link.get("internal") and re.fullmatch(r"[\w./-]+\.md", link.astext()):
            page = link.get("refuri", "").partition("#")[0]
            target = os.path.normpath(os.path.join(os.path.dirname(docname), page))
            title = app.env.titles.get(target.removesuffix(".html"))
            if title is not None:
                link.children = [nodes.inline("", title.astext())]


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the object types and functions of this file. Sphinx calls it."""
    app.add_object_type("counter", "counter", objname="counter")
    app.add_object_type("diagnosis", "diagnosis", objname="diagnosis")
    app.add_object_type("setting", "setting", objname="setting")
    app.connect("doctree-read", note_anchors)
    app.connect("doctree-read", note_settings)
    app.connect("doctree-resolved", name_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
