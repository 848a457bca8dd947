"""Writes doc/centre-tables.md: every table of a lake, with its columns.

./dev describe
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from darshan_report.lake import columns

PAGE = Path(__file__).resolve().parents[2] / "doc" / "centre-tables.md"
_START = """# Tables of a lake

[centre.md](centre.md) says how a lake is made and asked. These are its tables, below the folders of the same names, in partitions `month=2026-11` (of the job's begin, in UTC; `unknown` where a log does not know it). What a column means, its unit, and how values of several rows become one stand in the metadata of each field of the files, too.

What a log does not know is null, also where the log itself has -1 for it: of counters in count, bytes, seconds, elements. Texts are UTF-8; bytes of a name that are none are written `\\xNN`.

This page is made by `./dev describe`; a test holds it against the tables.
"""  # noqa: E501

_WORDS = {
    columns.TEXT: "text",
    columns.WHOLE: "int64",
    columns.ID: "uint64",
    columns.NUMBER: "double",
    columns.FLAG: "boolean",
    columns.DAY: "date",
    columns.TIME: "timestamp, UTC",
    columns.UUID: "16 bytes",
    columns.EVIDENCE: "list of (module, record, counter, value)",
}


def _rows(some: tuple[columns.Column, ...]) -> Iterator[str]:
    yield "| column | type | unit | rule | what |"
    yield "|---|---|---|---|---|"
    for c in some:
        yield f"| `{c.name}` | {_WORDS[c.type]} | {c.unit} | {c.rule} | {c.meaning} |"
    yield ""


def _own(table: columns.Table) -> tuple[columns.Column, ...]:
    return table.columns[len(columns.WHOSE) :]


def page() -> str:
    """The page."""
    lines = [_START, "## Columns that every table begins with", "", *_rows(columns.WHOSE)]
    few = {name: t for name, t in columns.tables().items() if name in _FEW}
    for name in _FEW:
        lines += [f"## {name}", "", f"A row is {few[name].title}.", "", *_rows(_own(few[name]))]
    lines += ["## Records of a module", ""]
    lines += [
        "A row is a record as the log has it. The columns, and behind them a column for each "
        "counter under its own name: [counters.md](counters.md) has their units, rules and "
        "meanings.",
        "",
        *_rows(columns.RECORD),
        "| table | a row is | columns of its own, counters |",
        "|---|---|---|",
    ]
    shared = {c.name for c in (*columns.WHOSE, *columns.RECORD)}
    modules = {columns.record_table(m).name: m for m in columns.modules()}
    for name, module in modules.items():
        if name in _FEW:
            continue
        table = columns.tables()[name]
        counters = {c.name for c in (*module.counters, *module.fcounters)}
        own = [f"`{c.name}`" for c in table.columns if c.name not in shared | counters]
        words = ", ".join([*own, f"{len(counters)} counters"])
        lines.append(f"| `{name}` | {table.title} | {words} |")
    lines += [
        "",
        "## Totals of a module",
        "",
        "`totals_posix`, `totals_stdio` and so on, one for each table of records of counters: "
        "a row is a log, all its records of the module as one, as `darshan parse --total` says "
        "it. Behind the columns of every table stand `records`, how many there were, and a "
        "column for each counter.",
        "",
    ]
    return "\n".join(lines)


_FEW = ("jobs", "layers", "findings", "problems", "heatmap", "dxt")

if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
