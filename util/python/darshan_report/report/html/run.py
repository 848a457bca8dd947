"""The part of a page that describes one log: its HTML, and the data of its diagrams and tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...classes import dataclass
from ...show.model import PlotRow
from ...show.text import visible
from ..context import Context
from ..sections import (
    accesses,
    checkpoints,
    code_lines,
    communication,
    datasets,
    job,
    layers,
    ledger,
    loaded_state,
    notes,
    processes,
    training,
)
from ..sections.files import told_mapped
from . import (
    blocks,
    details,
    evidence,
    files,
    first,
    picture,
    sources,
    stacks,
    timeline,
    training_lanes,
)
from .shell import page, text


@dataclass(frozen=True)
class Run:
    """The part of a page about one log: its title (plain text), its HTML, and the data for the
    scripts."""

    title: str
    body: str  # HTML
    data: dict[str, Any]


def _links(prefix: str, kind: str, ids: list[int]) -> dict[int, str]:
    return {number: f"{prefix}-{kind}-{place}" for place, number in enumerate(ids)}


def _told_of(context: Context, ids: list[int]) -> dict[int, list[int]]:
    """Returns, by the index of a file in `ids`, the indices of the findings about this file."""
    places = {number: place for place, number in enumerate(ids)}
    found: dict[int, list[int]] = {}
    for number, finding in enumerate(context.findings):
        records = {e.id for e in finding.evidence if e.id is not None} | set(finding.covers)
        for record in records & places.keys():
            found.setdefault(places[record], []).append(number)
    return found


def _details(context: Context, ids: list[int]) -> dict[str, Any]:
    return {
        **details.of_files(context, ids),
        "stripes": details.stripes(context, ids),
        "below": details.below(context, ids),
        "findings": _told_of(context, ids),
    }


def _table(context: Context, rows: list[files.Row], whole: int) -> dict[str, Any]:
    return {
        "rows": files.as_data(context, rows),
        "whole": whole,
        "details": _details(context, [row.id for row in rows[: details.PAGES]]),
    }


def _home(context: Context, datasets_of: list[files.Row], files_of: list[files.Row]) -> list[int]:
    """Returns, for each dataset, the index of its file in `files_of`; -1 if the table does not show
    the file."""
    places = {row.id: place for place, row in enumerate(files_of)}
    found: dict[int, int] = {}
    for module in files.DATASETS:
        region = context.info.region(module)
        if region is not None and region.length:
            records = context.log.records(module)
            for number, file in zip(records.ids.tolist(), records["file_rec_id"].tolist()):
                found[number] = places.get(file, -1)
    return [found.get(row.id, -1) for row in datasets_of]


def _layer(figures: Any) -> dict[str, Any]:
    return {
        "title": figures.layer.title,
        "read_seconds": figures.read_time or 0,
        "write_seconds": figures.write_time or 0,
        "meta_seconds": figures.meta_time or 0,
        "operations": [[n, c] for n, c in figures.operations if c],
        "sizes_read": figures.sizes_read,
        "sizes_written": figures.sizes_written,
    }


def _training(context: Context, prefix: str) -> str:
    """Returns the section about a training as HTML. The PDF has a plot; the page has an element in
    which a script draws."""
    found = training.blocks(context)
    place = next((i for i, block in enumerate(found) if isinstance(block, PlotRow)), 0)
    if not place:
        return blocks.section(f"{prefix}-training", found, True)
    lanes = f'<div id="{prefix}-training-lanes"></div>'
    content = "\n".join((blocks.of_blocks(found[1:place]), lanes, blocks.of_blocks(found[place:])))
    return blocks.part(f"{prefix}-training", "Training", content, True)


def _body(
    context: Context,
    prefix: str,
    links: dict[int, str],
    has: dict[str, bool],
    graph: str,
) -> str:
    """Returns the HTML of all sections. links: addresses of the parts about files, by record id.
    has: whether sections that scripts fill have data; a section without data is left out. graph:
    HTML of the graph of stacks."""

    def empty(name: str, title: str) -> str:
        place = f'<div id="{prefix}-{name}-table"></div>'
        return blocks.part(f"{prefix}-{name}", title, place, True) if has[name] else ""

    bars = f'<div id="{prefix}-bars"></div>'
    parts = [
        first.screen(context, prefix),
        empty("timeline", "Timeline"),
        blocks.section(f"{prefix}-spent", ledger.blocks(context), True),
        evidence.findings(context, prefix, links),
        _training(context, prefix),
        blocks.section(f"{prefix}-where", code_lines.blocks(context), True, graph),
        blocks.section(f"{prefix}-checkpoints", checkpoints.blocks(context), True),
        blocks.section(f"{prefix}-loaded", loaded_state.blocks(context), True),
        empty("files", "Files"),
        empty("datasets", "Datasets"),
        blocks.section(f"{prefix}-layers", layers.blocks(context), True, bars),
        blocks.section(f"{prefix}-below", datasets.blocks(context), False),
        blocks.section(f"{prefix}-communication", communication.blocks(context), False),
        blocks.section(f"{prefix}-processes", processes.blocks(context), False),
        blocks.section(f"{prefix}-sizes", accesses.blocks(context), False),
        blocks.section(f"{prefix}-job", job.blocks(context), True),
        blocks.section(f"{prefix}-notes", notes.blocks(context), False),
    ]
    return "\n".join(filter(None, parts))


def run(context: Context, number: int = 0, *, with_sources: bool = False) -> Run:
    """Returns the part of a page about one log. number: the log's index on the page. with_sources:
    whether to show lines of the program's source code."""
    # Numbers of a damaged record may overflow; the page shows them as unknown.
    with np.errstate(over="ignore", invalid="ignore"):
        return _run(context, f"r{number}", with_sources)


def _run(context: Context, prefix: str, with_sources: bool) -> Run:
    """Returns the part of a page about one log. prefix: begins all ids of its elements, so that
    several logs fit on one page. with_sources: adds source files with the sums of their lines."""
    file_rows, all_files = files.rows_of(files.file_layers(context))
    dataset_rows, all_datasets = files.rows_of(files.dataset_layers(context))
    links = {
        **_links(prefix, "file", [r.id for r in file_rows[: details.PAGES]]),
        **_links(prefix, "dataset", [r.id for r in dataset_rows[: details.PAGES]]),
    }
    line, traced = timeline.timeline(context, [row.id for row in file_rows])
    files_data = _table(context, file_rows, all_files)
    files_data["mapped"] = told_mapped(context) if context.maps else ""
    datasets_data = _table(context, dataset_rows, all_datasets)
    datasets_data["files"] = _home(context, dataset_rows, file_rows)
    frames = stacks.make(context)
    graph = stacks.picture(frames, prefix) if frames else ""
    if with_sources:
        graph += sources.tables(context)
    data = {
        "seconds": context.run_time,
        "processes": context.number,
        "picture": picture.picture(context, traced),
        "timeline": line,
        "files": files_data,
        "datasets": datasets_data,
        "lanes": training_lanes.lanes(context),
        "layers": [_layer(figures) for figures in context.figures],
        "exclusive": [[o.title, o.read, o.write, o.metadata] for o in context.exclusive],
        "stacks": stacks.data(context, frames, links) if frames else None,
        "findings": [visible(f.title) for f in context.findings],
    }
    has = {
        "timeline": line is not None,
        "files": bool(file_rows),
        "datasets": bool(dataset_rows),
    }
    return Run(visible(context.title), _body(context, prefix, links, has, graph), data)


def render(runs: list[Run]) -> str:
    """Returns an HTML page with several logs, one below another. runs: at least one."""
    articles = "\n".join(
        f'<article class="run" id="r{place}">{one.body}</article>' for place, one in enumerate(runs)
    )
    several = ""
    if len(runs) > 1:
        several = "".join(
            f'<li><a href="#r{i}">{text(r.title)}</a></li>' for i, r in enumerate(runs)
        )
        several = f'<nav aria-label="Logs"><ol>{several}</ol></nav>'
    body = (
        '<nav id="places" aria-label="Sections"></nav>\n'
        f'<main id="main">{several}{articles}<div id="page"></div></main>\n'
        "<noscript><p>The picture, the timeline and the tables need scripts, which this browser "
        "does not run. <code>darshan report LOG</code> makes a PDF.</p></noscript>"
    )
    return page(f"I/O report: {runs[0].title}", body, {"runs": [one.data for one in runs]})
