"""What a query may do: read the tables of its lake, and nothing else.

A query comes from whoever asks, and may have come to them from somebody else.  So it writes no
file (-o writes the answer), reads no file but the lake's, loads no extension, asks no server.
DuckDB itself holds the files; that it only reads is found out here, since what it may read it
may write to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from ..commit.place import LakeError

_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?(\([^)]*\)\s*)?", re.IGNORECASE)
_READS = re.compile(r"\s*(PIVOT|UNPIVOT|SELECT|FROM|WITH)\b", re.IGNORECASE)
_PLAIN = re.compile(r"\w+")
_HARMLESS = frozenset(("unnest", "range", "generate_series"))
_CATALOGUE = "SELECT DISTINCT lower(view_name) FROM duckdb_views() WHERE internal"


def close(database: duckdb.DuckDBPyConnection, folders: list[str]) -> None:
    """Nothing but what is in these folders; for good."""
    names = ", ".join("'" + f.replace("'", "''") + "'" for f in folders)
    for setting in (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",  # variables of ours are no tables
        f"allowed_directories = [{names}]",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        database.execute(f"SET {setting}")


def _reads(statement: Any) -> bool:
    kinds = duckdb.StatementType
    if statement.type == kinds.SELECT:
        return True
    if statement.type == kinds.MULTI:  # PIVOT becomes several
        return bool(_READS.match(statement.query))
    begin = _EXPLAIN.match(statement.query)
    if statement.type != kinds.EXPLAIN or begin is None:
        return False
    return all(map(_reads, duckdb.extract_statements(statement.query[begin.end() :])))


def must_read(query: str) -> None:
    """LakeError unless a query only reads."""
    try:
        query.encode()
    except UnicodeError:
        raise LakeError("the query is no UTF-8") from None
    statements = duckdb.extract_statements(query)
    if len(statements) != 1:
        raise LakeError("one query at a time" if statements else "there is no query")
    for statement in statements:
        if not _reads(statement):
            word = (statement.query.split() or ["this"])[0].upper()
            raise LakeError(f"{word}: a query of a lake can only read its tables")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def hide_the_rest(database: duckdb.DuckDBPyConnection) -> None:
    """What a view leaves out is not told by what DuckDB knows of its files, either: the least
    and the greatest value of a column are those of all rows (`stats(path)`)."""
    database.execute("SET disabled_optimizers = 'statistics_propagation'")


def must_read_views(database: duckdb.DuckDBPyConnection, query: str) -> None:
    """LakeError unless a query reads views by their names alone: by no other way can it come
    to rows that they leave out.  DuckDB's own views tell which files these are made of."""
    own = {name for (name,) in database.execute(_CATALOGUE).fetchall()}
    for statement in duckdb.extract_statements(query):
        if statement.type != duckdb.StatementType.SELECT:
            raise LakeError("a user's query can only be a SELECT")
        asked = database.execute("SELECT json_serialize_sql(?)", [statement.query])
        [(said,)] = asked.fetchall()
        tree = json.loads(said)
        if tree.get("error"):
            raise LakeError(f"a user's query: {tree.get('error_message', 'not understood')}")
        for node in _nodes(tree):
            if node.get("type") == "TABLE_FUNCTION":
                name = str(node.get("function", {}).get("function_name", ""))
                if name not in _HARMLESS:
                    raise LakeError(f"{name}: a user's query can only read the tables")
            name = node.get("table_name", "")
            others = any(node.get(n) for n in ("schema_name", "catalog_name"))
            if not isinstance(name, str) or not name:
                continue
            if others or not _PLAIN.fullmatch(name) or name.lower() in own:
                raise LakeError(f"{name}: a user's query can only read the tables")
