"""The report as JSON or CSV: the content of the PDF in a form for programs. doc/report.schema.json
describes it."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

from ..call_sites.content import content, place_content
from ..diagnose.blame import Blame
from ..diagnose.finding import Finding
from ..diagnose.programs.responsible_programs import programs_of
from ..diagnose.training.data_formats import formats
from ..diagnose.training.loading import verdicts
from ..diagnose.training.making import part_of
from ..measure.fetches import Fetches
from ..measure.layers.attribution import OPERATIONS, Upper
from ..measure.layers.layers import SIZES
from ..measure.processes.endings import endings, still_running, unknown
from ..measure.processes.processes import Processes
from ..measure.processes.tree import Row
from ..measure.training import Span
from ..show.text import visible
from .context import Context, LayerFigures
from .sections import checkpoints, loaded_state, notes, training_lanes
from .sections.processes import tree_rows

FORMAT, VERSION = "darshan-report", 1
# Largest number of rows per layer; the sums of the layer include all files.
_FILES, _DATASETS = 15, 50
_RANKS = 1024  # largest number of ranks of a training
_GROUPS = 200  # rows of the process tree; the remaining rows are added to the row above


def _number(value: float | None) -> float | int | None:
    """Returns a number for JSON; None if it is unknown, infinite or not a number."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def _known(value: float) -> float | int | None:
    return None if value < 0 else _number(value)


def _line(context: Context, finding: Finding) -> dict[str, Any] | None:
    blamed = context.blame(finding)
    if finding.at:  # the rule itself knows the line
        blamed = Blame(f"at {finding.at}", None, "", 0.0, 0)
    if blamed is None:
        return None
    place = blamed.line.place if blamed.line else None
    return {
        "text": visible(blamed.text),
        "place": place_content(place) if place else None,
        "through": visible(blamed.through) or None,
        "share": _number(blamed.share),
        "lines": blamed.lines,
    }


def _finding(context: Context, finding: Finding) -> dict[str, Any]:
    stake = finding.stake
    return {
        "name": finding.name,
        "kind": finding.kind,
        "title": finding.title,
        "reference": finding.reference,
        "sentence": visible(finding.sentence),
        "programs": visible(finding.programs),
        "line": _line(context, finding),
        "stake": {
            "seconds": _number(stake.seconds),
            "between_seconds": _number(stake.between),
            "of_seconds": _number(stake.of_seconds),
            "run_seconds": _number(stake.run),
            "of_run_seconds": _number(stake.of_run),
            "epoch_seconds": _number(stake.epoch),
            "bytes": stake.bytes,
            "of_bytes": stake.of_bytes,
            "basis": stake.basis,
            "same_as": stake.same_as,
        },
        "remedy": {"text": finding.remedy.text, "example": finding.remedy.example},
        "tried": [
            {
                "remedy": one.remedy,
                "result": one.result,
                "ratio": _number(one.ratio),
                "low": _number(one.low),
                "keep": list(one.keep),
            }
            for one in context.trials.get(finding.name, [])
        ],
        "evidence": [
            {
                "module": e.module,
                "record": visible(e.record),
                "counter": e.counter,
                "value": _number(e.value),
            }
            for e in finding.evidence
        ],
        "thresholds": [
            {"name": row.name, "value": row.value, "unit": row.unit, "source": row.source}
            for row in map(context.limits.row, finding.limits)
        ],
    }


def _files(context: Context, figures: LayerFigures) -> list[dict[str, Any]]:
    files = context.by_last_name(figures)
    return [
        {
            "name": visible(context.log.name(int(files.ids[p])) or f"id {files.ids[p]}"),
            "was": visible(context.was(int(files.ids[p]))),
            "files": int(files.stands[p]),
            "processes": None if files.processes[p] < 0 else int(files.processes[p]),
            "programs": visible(
                programs_of(context.facts, figures.layer.module, *context.names_of(files.ids[p]))
            ),
            "bytes_read": _known(int(files.read[p])),
            "bytes_written": _known(int(files.written[p])),
            "bytes_mapped": int(files.mapped[p]),
            "bytes_touched": _known(int(files.touched[p])),
            "seconds": _known(float(files.time[p])),
        }
        for p in map(int, files.slowest(_FILES))
    ]


def _layer(context: Context, figures: LayerFigures) -> dict[str, Any]:
    estimate = figures.performance
    ends = [end for end, _ in SIZES]
    return {
        "module": figures.layer.module,
        "title": figures.layer.title,
        "records": figures.records,
        "files": figures.files.number,
        "shared_files": figures.files.shared,
        "bytes_read": _number(figures.read) if figures.moves_bytes else None,
        "bytes_written": _number(figures.written) if figures.moves_bytes else None,
        "read_seconds": _number(figures.read_time),
        "write_seconds": _number(figures.write_time),
        "metadata_seconds": _number(figures.meta_time),
        "operations": dict(figures.operations),
        "sizes_read": dict(zip(ends, figures.sizes_read)),
        "sizes_written": dict(zip(ends, figures.sizes_written)),
        "common_sizes": [{"bytes": size, "count": number} for size, number in figures.common],
        "estimate": None
        if estimate is None
        else {
            "bytes": estimate.total_bytes,
            "seconds": _number(estimate.time),
            "mib_per_second": _number(estimate.rate),
            "slowest_rank": None if context.tree else estimate.slowest_rank,
        },
        "slowest_files": _files(context, figures),
    }


def _upper(context: Context, upper: Upper) -> dict[str, Any]:
    return {
        "name": visible(context.name(upper.id)),
        "calls": upper.calls(),
        "seconds": _number(upper.time()),
        "seconds_below": _number(upper.lower_time()),
        "seconds_mpiio": _number(upper.mpiio_time()),
        "seconds_communication": _number(upper.communication_time()),
        "bytes_asked": upper.asked,
        "bytes_moved": upper.moved(),
        "bytes_distinct": upper.distinct,
        "calls_below": upper.lower_calls(),
        "amplification": _number(upper.amplification),
        "seconds_by_operation": {o.lower(): _number(upper.time((o,))) for o in OPERATIONS},
        "chunk_bytes": upper.counters["CHUNK_BYTES"],
        "chunk_cache_bytes": upper.counters["CHUNK_CACHE_BYTES"],
        "filters": upper.counters["FILTERS"],
    }


def _row(tree: Processes, row: Row, above: int | None) -> dict[str, Any]:
    """Returns a row of the table of processes for JSON. above: index of its parent's row; None for
    the first."""
    group, sums = row.group, row.sums
    places = group.places if group else []
    alone = tree.commands[places[0]] if len(places) == 1 and sums.number == 1 else None
    return {
        "above": above,
        "program": visible(group.program.name) if group else None,
        "command": None if alone is None else visible(alone),
        "worker": group is not None and group.program.worker,
        "launcher": group is not None and group.program.launcher,
        "job_ranks": group.program.job_ranks if group else 0,
        "programs": 1 if group else row.programs,
        "processes": sums.number,
        "first_start": sums.start,
        "last_end": sums.end,
        "lived_seconds": sums.lives,
        "io_seconds": sums.time,
        "bytes_read": sums.read,
        "bytes_written": sums.written,
        "failed": sums.failed,
    }


def _tree(context: Context) -> dict[str, Any] | None:
    """Returns the processes of a process tree in at most _GROUPS rows; None for other runs."""
    tree = context.tree
    if tree is None or context.lanes is None:
        return None
    rows = []
    way: list[int] = []  # indices of the row's ancestors
    for place, row in enumerate(tree_rows(tree, _GROUPS)):
        del way[row.depth :]
        rows.append(_row(tree, row, way[-1] if way else None))
        way.append(place)
    return {
        "ranks": len(tree),
        "hosts": len(set(tree.hosts)),
        "at_once": context.lanes.most,
        "lived_seconds": tree.seconds,
        "still_running": still_running(tree),
        "ended_unknown": unknown(tree),
        "ended_badly": [
            {"program": visible(e.program.name), "processes": e.number, "how": e.words}
            for e in endings(tree)[:_GROUPS]
        ],
        "tree": rows,
    }


def _communication(context: Context) -> dict[str, Any] | None:
    talk = context.talk
    if talk is None:
        return None
    return {
        "ranks": len(talk.ranks),
        "seconds": _number(talk.seconds),
        "least": {"rank": talk.least[0], "seconds": _number(talk.least[1])},
        "most": {"rank": talk.most[0], "seconds": _number(talk.most[1])},
        "waiting_seconds_at_least": _number(talk.waiting),
        "calls": [
            {
                "name": call.name,
                "calls": call.calls,
                "bytes": call.bytes,
                "seconds": _number(call.seconds),
                "longest_seconds": _number(call.longest),
            }
            for call in talk.calls
        ],
    }


def _waiting(context: Context) -> dict[str, Any] | None:
    found = context.waited
    if found is None:
        return None
    during = found.during
    return {
        "ranks": found.ranks,
        "seconds": _number(found.seconds),
        "collective_seconds": _number(found.collective),
        "least": {"rank": found.least[0], "seconds": _number(found.least[1])},
        "most": {"rank": found.most[0], "seconds": _number(found.most[1])},
        "during_io": None
        if during is None
        else {"run_seconds": _number(during.seconds), "rank": during.rank},
    }


def _span(span: Span, made: Fetches | None = None) -> dict[str, Any]:
    return {
        "epoch": span.number or None,
        "epochs": span.epochs,
        "complete": span.complete,
        "batches": span.steps,
        "start": span.start,
        "end": span.end,
        "seconds": span.whole,
        "wait_seconds": span.wait,
        "wait_share": _number(span.share),
        "first_batch_seconds": span.begin,
        "longest_later_seconds": span.longest,
        "processor_seconds": span.processor,
        "bytes_read": made.read if made else None,
        "storage_bytes": made.stored if made else None,
    }


def _made(made: Fetches | None) -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        "batches": made.batches,
        "files_opened": made.opens,
        "bytes_read": made.read,
        "major_faults": made.faults,
        "storage_bytes": made.stored,
        "seconds": _number(made.whole),
        "longest_seconds": _number(made.longest),
        "opening_seconds": _number(min(made.opening, made.files)),
        "reading_seconds": _number(max(0.0, made.files - made.opening)),
        "computing_seconds": _number(made.computing),
        "ready_seconds": _number(made.ready) if made.no_processor is not None else None,
        "waiting_seconds": _number(made.other),
        "collate_seconds": _number(made.collating),
        "transform_seconds": _number(made.transforming),
        "idle_seconds": _number(made.idle),
    }


def _training(context: Context) -> list[dict[str, Any]]:
    return [
        {
            "line": place_content(verdict.loader.place) if verdict.loader.place else None,
            "sentence": visible(verdict.sentence),
            "why": verdict.why,
            "saved_seconds": _number(verdict.saved),
            "processes": verdict.loader.processes,
            "num_workers": verdict.loader.workers,
            "prefetch_factor": verdict.loader.prefetch,
            "persistent_workers": verdict.loader.persistent,
            "batch_size": verdict.loader.batch_size,
            "all": _span(verdict.loader.sums, verdict.loader.made),
            "epochs": [
                _span(span, verdict.loader.by_epoch.get(span.number))
                for span in verdict.loader.epochs
            ],
            "ranks": [
                {"rank": span.number, "all": _span(replace(span, number=0))}
                for span in verdict.loader.ranks[:_RANKS]
            ],
            "made": _made(verdict.loader.made),
            "part": part_of(verdict.loader.made) if verdict.loader.made else None,
            "workers": [
                {"worker": made.worker, "rank": made.rank, "all": _made(made)}
                for made in verdict.loader.by_worker[:_RANKS]
            ],
        }
        for verdict in verdicts(context.facts)
    ]


def _passes(context: Context) -> dict[str, Any] | None:
    one = context.passes
    if one is None:
        return None
    return {
        "number": one.number,
        "processes": one.processes,
        "files": one.files,
        "name": visible(one.name),
        "set_bytes": one.size,
        "read_bytes": one.read,
        "call_seconds": _number(one.spent),
        "start_seconds": _number(one.start),
        "end_seconds": _number(one.end),
        "ends": [_number(end) for end in one.ends],
    }


def _training_data(context: Context) -> list[dict[str, Any]]:
    if not verdicts(context.facts):
        return []
    return [
        {
            "format": one.title,
            "files": one.files,
            "opens": one.opens,
            "bytes_read": one.read,
            "bytes_touched": one.touched,
            "seconds": _number(one.seconds),
            "in_order_share": _number(one.in_order) if one.in_order is not None else None,
        }
        for one in formats(context.facts)
    ]


def _io(context: Context) -> dict[str, Any]:
    shares = context.shares
    return {
        "file_io_seconds": _number(shares.files),
        "all_layers_seconds": _number(shares.all),
        "working_seconds": _number(shares.work),
        "file_io_share": _number(shares.files / shares.work) if shares.work > 0 else None,
        "all_layers_share": _number(shares.all / shares.work) if shares.work > 0 else None,
    }


def data(context: Context) -> dict[str, Any]:
    """Returns the whole report as lists and dictionaries, which doc/report.schema.json describes;
    an unknown number is None."""
    info, attribution = context.info, context.attribution
    return {
        "format": FORMAT,
        "version": VERSION,
        "log": visible(context.log.path),
        "job": {
            "command": visible(info.exe),
            "start": _number(info.start),
            "end": None if info.live else _number(info.end),
            "run_seconds": _number(context.run_time),
            "finished": not info.live,
            "processes": context.number,
            "job_id": info.jobid,
            "user_id": info.uid,
            "log_format": info.version,
            "metadata": {visible(key): visible(value) for key, value in info.metadata},
        },
        "io": _io(context),
        "warnings": notes.warnings(context),
        "processes": _tree(context),
        "findings": [_finding(context, f) for f in context.findings],
        "training": _training(context),
        "training_data": _training_data(context),
        "passes": _passes(context),
        "training_lanes": training_lanes.data(context),
        "checkpoints": checkpoints.data(context),
        "loaded": loaded_state.data(context),
        "where": content(context.code_lines) if context.code_lines else None,
        "layers": [_layer(context, f) for f in context.figures],
        "exclusive_times": [
            {
                "layer": own.title,
                "read_seconds": _number(own.read),
                "write_seconds": _number(own.write),
                "metadata_seconds": _number(own.metadata),
            }
            for own in context.exclusive
        ],
        "datasets": [_upper(context, u) for u in attribution.datasets(_DATASETS)]
        if attribution
        else [],
        "hdf5_files": [_upper(context, u) for u in attribution.files(_DATASETS)]
        if attribution
        else [],
        "communication": _communication(context),
        "waiting": _waiting(context),
        "heat_maps": [
            {
                "layer": heat.layer,
                "bin_seconds": heat.bin_width,
                "read": [int(v) for v in heat.read],
                "written": [int(v) for v in heat.write],
            }
            for heat in context.heats
        ],
    }


def as_json(contexts: list[dict[str, Any]]) -> str:
    """Returns one report as a JSON object, several reports as a JSON list. contexts: the reports,
    as data() returns each."""
    whole = contexts[0] if len(contexts) == 1 else contexts
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rows(prefix: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [row for key, part in value.items() for row in _rows(f"{prefix}/{key}", part)]
    if isinstance(value, list):
        return [row for i, part in enumerate(value) for row in _rows(f"{prefix}/{i}", part)]
    return [(prefix, value)]


def as_csv(contexts: list[dict[str, Any]]) -> str:
    """Returns the values of the JSON as CSV, one line each: log, path of the value in the JSON,
    value. contexts: results of data()."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("log", "path", "value"))
    for one in contexts:
        for path, value in _rows("", one):
            writer.writerow((one["log"], path, "" if value is None else value))
    return out.getvalue()
