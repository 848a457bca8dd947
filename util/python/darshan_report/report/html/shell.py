"""The HTML file: security policy, styles, scripts, data, and the elements around them.

A page loads nothing from the network. The policy names each script and style by its hash, so only
the scripts of this package run, even if names in the log contain scripts."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from ...classes import dataclass
from ...show.text import visible

# Ordered by their dependencies; all are concatenated into one function.
_SCRIPTS = (
    "units.js",
    "columns.js",
    "elements.js",
    "axes.js",
    "picture.js",
    "training-lanes.js",
    "lanes.js",
    "timeline.js",
    "timeline-input.js",
    "stacks.js",
    "stacks-input.js",
    "tables.js",
    "bars.js",
    "pages.js",
    "campaign.js",
    "start.js",
)
_STYLES = ("page.css", "timeline.css", "stacks.css")


def text(value: str) -> str:
    """Returns a string of a log as HTML, with markup and control characters escaped."""
    return html.escape(visible(value), quote=True)


def _read(folder: str, name: str) -> str:
    package = resources.files(__package__).joinpath(folder)
    return package.joinpath(name).read_text("utf-8")


def script(names: Sequence[str] = _SCRIPTS) -> str:
    """Returns the source of the package's scripts, joined to one. names: files in assets."""
    body = "\n".join(_read("assets", name) for name in names)
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _data(value: Any) -> str:
    """Returns JSON without "<", so that it cannot end the script element that contains it."""
    plain = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return plain.replace("<", "\\u003c")


@dataclass(frozen=True)
class Kind:
    """Properties that all pages of one kind share: scripts, styles, and the permitted targets of
    forms and of the scripts' requests, as in a Content-Security-Policy."""

    maker: str = "darshan report --html"  # the command that made the page
    scripts: Sequence[str] = _SCRIPTS
    styles: Sequence[str] = _STYLES
    forms: str = "'none'"  # permitted targets of forms
    requests: str = "'none'"


REPORT = Kind()


def page(title: str, body: str, data: Any, kind: Kind = REPORT) -> str:
    """Returns a whole HTML page. title: plain text. body: HTML. data: a value that JSON can
    represent, for the scripts. kind: its scripts, styles and permissions."""
    scripts = (_read("third_party", "uPlot.js"), script(kind.scripts))
    style = "".join(
        [_read("third_party", "uPlot.css"), "\n", *(_read("assets", name) for name in kind.styles)]
    )
    licence = html.escape(_read("third_party", "uPlot-LICENSE"))
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; "
        f"style-src {_hash(style)}; base-uri 'none'; form-action {kind.forms}"
    )
    if kind.requests != REPORT.requests:
        policy += f"; connect-src {kind.requests}"
    # The text comes before the data, so that a browser can show the text while it reads the data.
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="{kind.maker}">
<title>{text(title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
{body}
<footer>
<details><summary>Licence of the plotting library uPlot, which is in this file</summary>
<pre>{licence}</pre></details>
</footer>
<script type="application/json" id="data">{_data(data)}</script>
<script>{scripts[0]}</script>
<script>{scripts[1]}</script>
</body>
</html>
"""
