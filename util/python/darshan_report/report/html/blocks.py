"""Blocks of a report as HTML. Plots are left out, because the page's scripts draw their own plots
from data."""

from __future__ import annotations

from collections.abc import Sequence

from ...show.model import Block, Code, Facts, Heading, Paragraph, PlotRow, Table
from .shell import text


def _table(table: Table) -> str:
    lines = ['<div class="scroll" tabindex="0"><table>']
    heads = (
        f'<th scope="col"{" class=right" if c.right else ""}>{text(c.title)}</th>'
        for c in table.columns
    )
    lines.append(f"<thead><tr>{''.join(heads)}</tr></thead><tbody>")
    for number, row in enumerate(table.rows):
        depth = min(table.indents[number], 12) if table.indents else 0
        cells = []
        for place, (column, value) in enumerate(zip(table.columns, row)):
            kinds = [k for k, on in (("right", column.right), ("code", column.code)) if on]
            if place == 0 and depth:
                kinds.append(f"deep{depth}")
            kind = f' class="{" ".join(kinds)}"' if kinds else ""
            # The first cell is the header of its row.
            name, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
            cells.append(f"<{name}{scope}{kind}>{text(value)}</{name}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div>")
    if table.note:  # outside the scrolling element
        lines.append(f'<p class="note">{text(table.note)}</p>')
    return "\n".join(lines)


def _facts(facts: Facts) -> str:
    pairs = [*facts.wide, *facts.short]
    return "<dl>" + "".join(f"<dt>{text(a)}</dt><dd>{text(b)}</dd>" for a, b in pairs) + "</dl>"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h3>{text(block.text)}</h3>"
    if isinstance(block, Paragraph):
        return f"<p{' class=strong' if block.strong else ''}>{text(block.text)}</p>"
    if isinstance(block, Facts):
        return _facts(block)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Code):
        return "<pre>" + "\n".join(text(line) for line in block.lines) + "</pre>"
    if isinstance(block, PlotRow):
        return ""
    raise TypeError(f"cannot write a block of type {type(block).__name__} as HTML")


def of_blocks(blocks: Sequence[Block]) -> str:
    """Returns the HTML of the blocks in their order."""
    return "\n".join(filter(None, map(_block, blocks)))


def section(name: str, blocks: Sequence[Block], is_open: bool, more: str = "") -> str:
    """Returns a collapsible section as HTML. Its title is the first block; "" if that is not a
    heading. name: id of the section. is_open: whether it is open at first. more: HTML that follows
    the blocks."""
    if not blocks or not isinstance(blocks[0], Heading):
        return ""
    return part(name, blocks[0].text, of_blocks(blocks[1:]) + more, is_open)


def part(name: str, title: str, content: str, is_open: bool) -> str:
    """Returns a collapsible section as HTML. name: id of the section. title: plain text. content:
    HTML. is_open: whether it is open at first."""
    return (
        f'<section class="part" id="{name}"><details{" open" if is_open else ""}>'
        f"<summary><h2>{text(title)}</h2></summary>\n{content}\n</details></section>"
    )
