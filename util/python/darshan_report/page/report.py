"""Reports that are text and tables only, as a page."""

from __future__ import annotations

from ..summary.model import Block, Heading, Report
from .blocks import of_blocks, section
from .shell import page, text


def _sections(prefix: str, blocks: list[Block]) -> str:
    """A part for each heading; what stands before the first is not to be closed."""
    starts = [i for i, block in enumerate(blocks) if isinstance(block, Heading) and not block.level]
    parts = [of_blocks(blocks[: starts[0] if starts else len(blocks)])]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(blocks)])):
        parts.append(section(f"{prefix}-part-{number}", blocks[start:end], True))
    return "\n".join(parts)


def render(reports: list[Report]) -> str:
    """The page of the reports, one after another."""
    articles = "\n".join(
        f'<article class="run" id="r{i}"><h1>{text(one.title)}</h1>\n'
        f"{_sections(f'r{i}', one.blocks)}</article>"
        for i, one in enumerate(reports)
    )
    body = (
        '<nav id="places" aria-label="Sections"></nav>\n'
        f'<main id="main">{articles}<div id="page"></div></main>'
    )
    return page(reports[0].title, body, {"runs": []})
