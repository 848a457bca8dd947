"""The page of lineage: a graph of the programs, or jobs, that produced files which others read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from ...classes import dataclass
from ...show.text import visible
from ...units import amount, plural
from ..ask.engine import Asked
from ..ask.ready.lineage import PAIRS, edges
from ..ask.ready.question import Question
from ..ask.ready.questions import Filters, query
from . import graph
from .blocks import Column, Made, Row
from .request import Refused, Wanted

_MOST = 60  # nodes of a graph
_EDGES = 5000  # largest number of edges that are considered, those with most bytes
_ROWS = 500  # of the table
_BETWEEN_JOBS = """SELECT producer, consumer, count(DISTINCT name) AS files,
  CAST(sum(r) AS DOUBLE) AS bytes_read, min(name) AS one_of_them
FROM edge GROUP BY producer, consumer"""
_NEAR = """SELECT * FROM between_jobs WHERE producer IN (SELECT unnest($logs::VARCHAR[]))
  OR consumer IN (SELECT unnest($logs::VARCHAR[]))
ORDER BY bytes_read DESC NULLS LAST, producer, consumer LIMIT $top"""
_JOBS_OF = """SELECT log, day, program, "user", job_id, started FROM jobs
WHERE log IN (SELECT unnest($logs::VARCHAR[]))"""
_BELOW = "name = $path OR starts_with(name, $folder)"
_HOW = (
    "An arrow leads from what wrote files to what read them later; its label has "
    "the number of files, and the bytes that were read. Of several jobs that wrote a file before, "
    "it is the last one. Files of one host's own disk count if both logs name the same host. "
)
_NONE = "No recorded job of these days read a file that another one had written before."
_OWN = (
    "Only the jobs of one user are known here: a file that another user rewrote meanwhile still "
    "has an arrow from the last of these jobs that wrote it."
)
_COLUMNS = (
    Column("Producer", "text", "producer"), Column("Producer's user", "text", "produced_by"),
    Column("Reader", "text", "consumer"), Column("Reader's user", "text", "read_by"),
    Column("Producing jobs", "count", "producing_jobs"), Column("Reading jobs", "count", "jobs"),
    Column("Files", "count", "files"), Column("Read", "amount", "bytes_read"),
    Column("One of them", "path", "one_of_them"),
)  # fmt: skip
_OF_JOBS = (
    Column("Producer", "text", "from"), Column("Reader", "text", "to"),
    Column("Files", "count", "files"), Column("Read", "amount", "bytes_read"),
    Column("One of them", "path", "one_of_them"),
)  # fmt: skip
Node = Hashable


@dataclass(frozen=True)
class _Box:
    """A node on the page: its two lines of text, and the address to which it leads. chosen: whether
    the request names it, so that it is marked."""

    title: str
    below: str
    link: str
    chosen: bool


def _edges(asked: Wanted) -> tuple[str, dict[str, str]]:
    """Returns the first part of the query, which selects the files that the request names, and the
    values of its parameters."""
    values: dict[str, str] = {}
    only = []
    if asked.path:
        only.append(_BELOW)
        values = {"path": asked.path, "folder": asked.path.rstrip("/") + "/"}
    if asked.filters.mount is not None:
        only.append("mount = $on")
        values["on"] = asked.filters.mount
    return edges(" AND ".join(f"({one})" for one in only)), values


def _draw(
    made: Made, found: list[Row], shown: graph.Columns, box: Callable[[Node], _Box], kind: str
) -> None:
    """Adds the graph to the page: its nodes in columns, and the edges between them. found: a row
    per edge. box: returns what a node shows. kind: what a node represents."""
    # Boxes have the first numbers, then come the places between them.
    number = {node: i for i, node in enumerate(shown.of)}
    boxes = []
    for node in shown.of:
        one = box(node)
        boxes.append([visible(one.title), visible(one.below), one.link, one.chosen])
    for column in shown.columns:
        for node in column:
            number.setdefault(node, len(number))
    lines = []
    for row in found:
        edge = row["edge"]
        if edge[0] in shown.of and edge[1] in shown.of:
            moved = row["bytes_read"] or 0
            label = f"{plural(row['files'], 'file')}, {amount(moved)}"
            way = [number[node] for node in (edge[0], *shown.vias(edge), edge[1])]
            lines.append([way, float(moved), label, visible(row["one_of_them"] or "")])
    made.add('<div class="picture" id="graph"></div>')
    made.data["graph"] = {"boxes": boxes, "edges": lines, "columns": [
        [number[node] for node in column] for column in shown.columns
    ]}  # fmt: skip
    left = len({node for row in found for node in row["edge"]}) - len(boxes)
    if left > 0:
        arrows = plural(len(found) - len(lines), "arrow")
        made.say(f"The graph shows {plural(len(boxes), kind)}; at least {left:,} more and {arrows} "
                 "are left out. Days, names or a folder select a part.")  # fmt: skip


def _of_programs(made: Made, lake: Asked, asked: Wanted) -> None:
    """Adds the graph of programs, and the table of its edges: all of the days, or those around the
    program or user that the request names."""
    given = asked.filters
    begin, values = _edges(asked)
    question = Question("lineage", "", f"WITH {begin}\n{PAIRS}")
    days = Filters(given.since, given.until)
    found = lake.sql(*query(question, days, {**values, "top": _EDGES})).rows()
    for row in found:
        made_by = row["producer"] or "", row["produced_by"] or ""
        row["edge"] = made_by, (row["consumer"] or "", row["read_by"] or "")
    weights: dict[graph.Edge, float] = {row["edge"]: row["bytes_read"] or 0 for row in found}
    pairs = list(weights)

    def is_chosen(node: Node) -> bool:
        assert isinstance(node, tuple)
        return given.program in (None, node[0]) and given.user in (None, node[1])

    is_part = given.program is not None or given.user is not None
    begin_at = [n for n in dict.fromkeys(n for pair in pairs for n in pair) if is_chosen(n)]
    if not found or (is_part and not begin_at):
        made.say(_NONE, "strong")
        return
    nodes = graph.around(pairs, begin_at if is_part else (), _MOST)
    if is_part:
        far = graph.around(pairs, begin_at, len(pairs) * 2)
        found = [row for row in found if far.issuperset(row["edge"])]
    inside = {pair: weight for pair, weight in weights.items() if nodes.issuperset(pair)}
    chosen = set(begin_at) if is_part else set()
    to = replace(asked, filters=replace(given, program=None, user=None))

    def box(node: Node) -> _Box:
        assert isinstance(node, tuple)
        name, user = node
        link = to.address("program", name=name, user=user)
        return _Box(name or "(no name)", user, link, node in chosen)

    _draw(made, found, graph.columns(nodes, inside, str), box, "program")
    made.head("Who read what others wrote, by bytes")
    made.table("pairs", _COLUMNS, found[:_ROWS], lambda row: to.address(
        "lineage", program=row["producer"], user=row["produced_by"], path=asked.path or None,
    ), most=_ROWS)  # fmt: skip


def _near(lake: Asked, log: str) -> tuple[list[Row], set[Node]]:
    """Returns the edges between a job and the jobs around it, and the nodes that fit on the page.
    log: identity of the job."""
    known: dict[tuple[str, str], Row] = {}
    asked_for: set[str] = set()
    waiting = {log}
    nodes: set[Node] = {log}
    while waiting and len(nodes) < _MOST:
        values = {"logs": sorted(waiting), "top": _EDGES}
        for row in lake.sql(_NEAR, values).rows():
            known[row["producer"], row["consumer"]] = row
        asked_for |= waiting
        nodes = graph.around(list(known), [log], _MOST)
        waiting = {str(node) for node in nodes} - asked_for
    # Jobs that only share a producer or a reader with the nodes are not of this graph.
    far = graph.around(list(known), [log], 1 + 2 * len(known))
    return [row for pair, row in known.items() if far.issuperset(pair)], nodes


def _of_jobs(made: Made, lake: Asked, asked: Wanted) -> None:
    """Adds the graph of the jobs around the requested one, and the table of its edges."""
    begin, values = _edges(asked)
    question = Question("lineage", "", f"WITH {begin}\n{_BETWEEN_JOBS}")
    days = Filters(asked.filters.since, asked.filters.until)
    lake.keep("between_jobs", *query(question, days, values))
    found, nodes = _near(lake, asked.log)
    if not found:
        made.say("No recorded job of these days read what this job wrote, or wrote what it read.",
                 "strong")  # fmt: skip
        return
    found.sort(key=lambda row: -(row["bytes_read"] or 0))
    logs = sorted({row[end] for row in found for end in ("producer", "consumer")})
    jobs = {row["log"]: row for row in lake.sql(_JOBS_OF, {"logs": logs}).rows()}

    def box(node: Node) -> _Box:
        row = jobs[str(node)]
        begun = f"{row['started']:%Y-%m-%d %H:%M}" if row["started"] else "no time"
        below = f"{row['user']}, {begun}"
        day = str(row["day"]) if row["day"] else None
        link = Wanted("", Filters(day, day)).address("job", log=row["log"])
        return _Box(row["program"] or "(no name)", below, link, node == asked.log)

    for row in found:
        row["edge"] = row["producer"], row["consumer"]
    inside: dict[graph.Edge, float] = {
        row["edge"]: row["bytes_read"] or 0 for row in found if nodes.issuperset(row["edge"])
    }

    def when(node: Node) -> str:
        return str(jobs[str(node)]["started"])

    _draw(made, found, graph.columns(nodes, inside, when), box, "job")
    for row in found:
        for end, job in (("from", jobs[row["producer"]]), ("to", jobs[row["consumer"]])):
            row[end] = f"{job['program']}, job {job['job_id']}"
    made.head("Which job read what another one wrote, by bytes")
    made.table("pairs", _OF_JOBS, found[:_ROWS], lambda row: asked.address(
        "lineage", log=row["producer"], path=asked.path or None,
    ), most=_ROWS)  # fmt: skip


def render(lake: Asked, asked: Wanted) -> Made:
    """Returns the page: a graph of programs or, if the request names a job, of the jobs around it.
    Raises Refused if the request has a relative path."""
    if asked.path and not asked.path.startswith("/"):
        raise Refused(400, "path: must be the full path of a file or folder, such as /scratch/data")
    made = Made(asked, "Lineage of the files around a job" if asked.log else "Lineage of files")
    made.filters(more=(("path", "File or folder", asked.path),))
    made.say(_HOW + ("The marked box is the job." if asked.log else ""), "note")
    if lake.is_of_one_user:
        made.say(_OWN, "note")
    if asked.log:
        _of_jobs(made, lake, asked)
    else:
        _of_programs(made, lake, asked)
    return made
