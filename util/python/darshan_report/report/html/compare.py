"""The HTML page that compares two runs: the differences, both diagrams with a common time axis,
then each run in full."""

from __future__ import annotations

from ...show.model import Heading
from ...units import seconds
from ..compare import compare, share_rows
from ..context import Context
from . import run
from .blocks import of_blocks, section
from .shell import page, text

_ONE, _TWO = "First", "Second"


def _figures(one: Context, two: Context) -> str:
    rows = (
        ("run time", seconds(one.run_time), seconds(two.run_time)),
        *share_rows(one, two),
    )
    return "".join(
        f'<div class="figure"><span>{text(words)}:</span> '
        f"<b>{text(before)} \u2192 {text(after)}</b></div>"
        for words, before, after in rows
    )


def _pictures(names: list[str]) -> str:
    return "".join(
        f'<h3>{which}: {text(name)}</h3><div class="picture" id="compared-{place}"></div>'
        for place, (which, name) in enumerate(zip((_ONE, _TWO), names))
    )


def render(one: Context, two: Context) -> str:
    """Returns the page that compares two open logs. The first log is the baseline."""
    report = compare(one, two)
    runs = [run.run(one, 0), run.run(two, 1)]
    starts = [i for i, b in enumerate(report.blocks) if isinstance(b, Heading) and not b.level]
    parts = [
        f"<h1>{text(report.title)}</h1>",
        of_blocks(report.blocks[: starts[0]]),
        f'<div class="figures">{_figures(one, two)}</div>',
        _pictures([r.title for r in runs]),
    ]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(report.blocks)])):
        parts.append(section(f"changed-{number}", report.blocks[start:end], True))
    for place, (which, single) in enumerate(zip((_ONE, _TWO), runs)):
        parts.append(
            f'<details class="whole"><summary><h2>{which} run in full: {text(single.title)}</h2>'
            f'</summary><article class="run" id="r{place}">{single.body}</article></details>'
        )
    body = f'<main id="main"><div class="run">{"".join(parts)}</div><div id="page"></div></main>'
    return page(report.title, body, {"runs": [r.data for r in runs], "compared": True})
