"""The report as one HTML file that needs nothing else: no script, no network."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from importlib import resources

from . import figures
from .model import Block, Code, Facts, Heading, Paragraph, Plot, PlotRow, Report, Table
from .text import visible

_MM_PER_INCH = 25.4
# Nothing may be loaded or run, whatever a name in the log looks like.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def _text(text: str) -> str:
    return html.escape(visible(text))


def _table(table: Table) -> str:
    lines = ['<div class="scroll" tabindex="0"><table>']
    if table.note:
        lines.append(f"<caption>{_text(table.note)}</caption>")
    heads = (
        f'<th scope="col"{" class=right" if c.right else ""}>{_text(c.title)}</th>'
        for c in table.columns
    )
    lines.append(f"<thead><tr>{''.join(heads)}</tr></thead><tbody>")
    for number, row in enumerate(table.rows):
        cells = []
        for place, (column, text) in enumerate(zip(table.columns, row)):
            kinds = [k for k, on in (("right", column.right), ("code", column.code)) if on]
            kind = f' class="{" ".join(kinds)}"' if kinds else ""
            # The first cell names its row.
            start, end = ("th", "th") if place == 0 and not kinds else ("td", "td")
            scope = ' scope="row"' if start == "th" else ""
            if place == 0 and table.indents:
                kind += f' style="padding-left: {0.5 + 1.2 * table.indents[number]:g}em"'
            cells.append(f"<{start}{scope}{kind}>{_text(text)}</{end}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def _facts(facts: Facts) -> str:
    pairs = [*facts.wide, *facts.short]
    return "<dl>" + "".join(f"<dt>{_text(a)}</dt><dd>{_text(b)}</dd>" for a, b in pairs) + "</dl>"


def _svg(plot: Plot, width: float, number: int) -> str:
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width / _MM_PER_INCH, plot.height / _MM_PER_INCH))
    canvas = FigureCanvasSVG(figure)
    figures.draw(plot, figure, width, plot.height)
    drawing = io.StringIO()
    canvas.print_svg(drawing, metadata={"Date": None})
    text = drawing.getvalue()
    text = text[text.index("<svg") :]
    # Several drawings in one document: their names must differ.
    text = re.sub(r'\bid="([^"]+)"', rf'id="f{number}-\1"', text)
    text = re.sub(r'(href="#|url\(#)', rf"\1f{number}-", text)
    label = html.escape(visible(plot.title), quote=True)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _plots(row: PlotRow, numbers: Iterator[int]) -> str:
    width = figures.width_in(row)
    parts = []
    for plot in row.plots:
        note = f" <em>{_text(plot.note)}</em>" if plot.note else ""
        caption = f"<figcaption><strong>{_text(plot.title)}</strong>{note}</figcaption>"
        parts.append(f"<figure>{caption}{_svg(plot, width, next(numbers))}</figure>")
    return f'<div class="row">{"".join(parts)}</div>'


def _block(block: Block, headings: Iterator[int], numbers: Iterator[int], report: int) -> str:
    if isinstance(block, Heading):
        level = 3 if block.level else 2
        anchor = f'<a id="r{report}-{block.anchor}"></a>' if block.anchor else ""
        return f'<h{level} id="s{next(headings)}">{anchor}{_text(block.text)}</h{level}>'
    if isinstance(block, Paragraph):
        kind = ' class="strong"' if block.strong else ""
        text = _text(block.text)
        if block.link:
            text = f'<a href="#r{report}-{block.link}">{text}</a>'
        return f"<p{kind}>{text}</p>"
    if isinstance(block, Facts):
        return _facts(block)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, PlotRow):
        return _plots(block, numbers)
    if isinstance(block, Code):
        return "<pre>" + "\n".join(_text(line) for line in block.lines) + "</pre>"
    raise TypeError(f"no HTML for {type(block).__name__}")


def render(reports: list[Report]) -> str:
    """The whole page of the reports."""
    figures.prepare()
    import matplotlib  # noqa: PLC0415 - needs it at once

    # Letters as letters, so that they can be searched and read aloud.
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "darshan"
    blocks = [block for report in reports for block in report.blocks]
    titles = [b.text for b in blocks if isinstance(b, Heading)]
    headings, numbers = iter(range(len(titles))), iter(range(len(blocks) * 4))
    body = []
    for number, report in enumerate(reports):
        body.append(f"<h1>{_text(report.title)}</h1>")
        body += [_block(block, headings, numbers, number) for block in report.blocks]
    places = "".join(f'<li><a href="#s{i}">{_text(t)}</a></li>' for i, t in enumerate(titles))
    style = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{_text(reports[0].title)}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#report">Skip to the report</a>
<nav aria-label="Sections"><ul>{places}</ul></nav>
<main id="report">
{chr(10).join(body)}
</main>
</body>
</html>
"""
