"""Lays out a graph so that it fits on a page: which of its nodes are shown, and in which columns.

The first column has the nodes that no other node leads to. If edges form a circle, an edge that
would lead to an earlier column is drawn backwards."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import field

from ...classes import dataclass

_SWEEPS = 4  # over the columns, to put nodes opposite to their neighbours
Node = Hashable
Edge = tuple[Node, Node]


def around(edges: Sequence[Edge], begin: Collection[Node], most: int) -> set[Node]:
    """Returns at most `most` nodes that are connected with the nodes `begin` in either direction,
    the nearest first. Without such nodes, returns the nodes of the first edges. edges: the most
    important first."""
    if not begin:
        found: dict[Node, None] = {}
        for edge in edges:
            new = [node for node in dict.fromkeys(edge) if node not in found]
            if len(found) + len(new) > most:
                break
            found.update(dict.fromkeys(new))
        return set(found)
    after: dict[Node, list[Node]] = {}
    before: dict[Node, list[Node]] = {}
    for one, other in edges:
        after.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    first = list(begin)[:most]
    shown = set(first)
    # Both directions take turns, so that each has its nearest nodes.
    ways = deque((deque(first), {*first}, way) for way in (before, after))
    while ways and len(shown) < most:
        waiting, known, way = ways.popleft()
        if not waiting:
            continue
        for node in way.get(waiting.popleft(), ()):
            if node not in known and (node in shown or len(shown) < most):
                known.add(node)
                shown.add(node)
                waiting.append(node)
        ways.append((waiting, known, way))
    return shown


def _order(nodes: Iterable[Node], weights: Mapping[Edge, float]) -> list[Node]:
    """Returns the nodes in an order in which few edges lead backwards. A circle begins at the node
    with the largest ratio of outgoing to incoming bytes. weights: bytes of each edge."""
    left = list(nodes)
    into: dict[Node, dict[Node, float]] = {node: {} for node in left}
    out: dict[Node, dict[Node, float]] = {node: {} for node in left}
    for (one, other), weight in weights.items():
        into[other][one] = weight
        out[one][other] = weight

    def gives(node: Node) -> float:
        given, got = sum(out[node].values()), sum(into[node].values())
        return given / (given + got or 1)

    found: list[Node] = []
    while left:
        node = next((one for one in left if not into[one]), None) or max(left, key=gives)
        left.remove(node)
        found.append(node)
        for other in out[node]:
            into[other].pop(node, None)
        for other in into[node]:
            out[other].pop(node, None)
    return found


@dataclass(frozen=True)
class Via:
    """A point in a column through which the edges of a node pass on their way to a later column.
    node: at which these edges begin."""

    node: Node
    column: int


@dataclass
class Columns:
    """The nodes of a graph in columns, from left to right and from top to bottom, with points
    between them for edges that pass a column. of: the index of each node's column."""

    columns: list[list[Node]] = field(default_factory=list)
    of: dict[Node, int] = field(default_factory=dict)  # the column of each node

    def vias(self, edge: Edge) -> list[Node]:
        """Returns the points through which an edge passes between its two columns; [] if these are
        neighbours."""
        one, other = (self.of[node] for node in edge)
        return [Via(edge[0], column) for column in range(one + 1, other)]

    def sweep(self, near: Mapping[Node, list[Node]]) -> None:
        """Sorts each column by the mean position of its nodes' neighbours. near: the neighbours of
        each node, which may be points between."""
        place = {n: (i + 0.5) / len(column) for column in self.columns
                 for i, n in enumerate(column)}  # fmt: skip

        def mean(node: Node) -> float:
            some = [place[other] for other in near.get(node, ())]
            return sum(some) / len(some) if some else place[node]

        for column in self.columns:
            column.sort(key=mean)
            place.update({node: (i + 0.5) / len(column) for i, node in enumerate(column)})


def columns(
    nodes: Iterable[Node], weights: Mapping[Edge, float], first: Callable[[Node], str]
) -> Columns:
    """Arranges nodes in columns. weights: the bytes of each edge. first: returns a text of each
    node, by which nodes are sorted whose order the edges leave open."""
    real = {edge: weight for edge, weight in weights.items() if edge[0] != edge[1]}
    order = _order(sorted(nodes, key=first), real)
    number = {node: i for i, node in enumerate(order)}
    pairs = sorted(real, key=lambda edge: (number[edge[0]], number[edge[1]]))
    made = Columns(of=dict.fromkeys(order, 0))
    for one, other in pairs:
        if number[one] < number[other]:
            made.of[other] = max(made.of[other], made.of[one] + 1)
    made.columns = [[] for _ in range(1 + max(made.of.values(), default=-1))]
    for node in order:
        made.columns[made.of[node]].append(node)
    near: dict[Node, list[Node]] = {}
    for pair in pairs:
        way = [pair[0], *made.vias(pair), pair[1]]
        for one, other in zip(way, way[1:]):
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
            if isinstance(other, Via) and other not in made.columns[other.column]:
                made.columns[other.column].append(other)
    for _ in range(_SWEEPS):
        made.sweep(near)
    return made
