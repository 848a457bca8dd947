"""Restricts a query to reading the tables of its lake.

A query is untrusted: users may copy it from elsewhere. It must not write a file (-o writes the
result), read a file outside the lake, load an extension or connect to a server. DuckDB's settings
restrict the files. DuckDB may write the files that it may read, so this module checks that the
query only reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from ..commit.storage import LakeError

_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?(\([^)]*\)\s*)?", re.IGNORECASE)
_READS = re.compile(r"\s*(PIVOT|UNPIVOT|SELECT|FROM|WITH)\b", re.IGNORECASE)
_PLAIN = re.compile(r"\w+")
_HARMLESS = frozenset(("unnest", "range", "generate_series"))
_ONLY_TABLES = (
    "a query that is limited to one user (--user) can only read the tables of the lake, by their "
    "names"
)
# Largest depth of nested parentheses and brackets. DuckDB's parser takes gigabytes for thousands of
# open parentheses, and its limit of memory does not count this.
_DEEPEST = 500
_OPEN, _CLOSED = frozenset("([{"), frozenset(")]}")
_CATALOGUE = "SELECT DISTINCT lower(view_name) FROM duckdb_views() WHERE internal"


def close(database: duckdb.DuckDBPyConnection, folders: list[str]) -> None:
    """Restricts a database connection to the files in some folders, given with a slash at the end.
    The restriction cannot be removed."""
    names = ", ".join("'" + f.replace("'", "''") + "'" for f in folders)
    for setting in (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",  # Python variables are not tables
        f"allowed_directories = [{names}]",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        database.execute(f"SET {setting}")


def _reads(statement: Any) -> bool:
    """Returns whether a statement only reads: a SELECT, a PIVOT, or EXPLAIN of such statements."""
    kinds = duckdb.StatementType
    if statement.type == kinds.SELECT:
        return True
    if statement.type == kinds.MULTI:  # DuckDB makes several statements of PIVOT
        return bool(_READS.match(statement.query))
    begin = _EXPLAIN.match(statement.query)
    if statement.type != kinds.EXPLAIN or begin is None:
        return False
    return all(map(_reads, duckdb.extract_statements(statement.query[begin.end() :])))


def _depth(query: str) -> int:
    """Returns the largest depth of nested parentheses and brackets, including those in strings."""
    depth = deepest = 0
    for one in query:
        depth = depth + 1 if one in _OPEN else max(0, depth - (one in _CLOSED))
        deepest = max(deepest, depth)
    return deepest


def must_read(query: str) -> None:
    """Raises LakeError unless the query is one statement that only reads, and is not nested too
    deep. Raises duckdb.Error if DuckDB cannot parse it. Does not run the query."""
    if _depth(query) > _DEEPEST:
        raise LakeError(f"the query is nested more than {_DEEPEST} deep")
    try:
        query.encode()
    except UnicodeError:
        raise LakeError("the query is not valid UTF-8") from None
    statements = duckdb.extract_statements(query)
    if len(statements) != 1:
        raise LakeError("only one query is allowed" if statements else "the query is empty")
    for statement in statements:
        if not _reads(statement):
            word = (statement.query.split() or ["this"])[0].upper()
            raise LakeError(
                f"the query begins with {word}: a query of a lake can only read its tables"
            )


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
    """Disables the optimizer that uses a file's statistics, for a database of one user's rows.
    Otherwise `stats(path)` shows the smallest and largest value of a column, including rows that a
    view leaves out."""
    database.execute("SET disabled_optimizers = 'statistics_propagation'")


def must_read_views(database: duckdb.DuckDBPyConnection, query: str) -> None:
    """Raises LakeError unless a query reads only the lake's views, by their plain names. Otherwise
    the query could reach rows that the views leave out. DuckDB's own views are refused, because
    they show the names of files."""
    own = {name for (name,) in database.execute(_CATALOGUE).fetchall()}
    for statement in duckdb.extract_statements(query):
        if statement.type != duckdb.StatementType.SELECT:
            raise LakeError("a query that is limited to one user (--user) must be a SELECT")
        asked = database.execute("SELECT json_serialize_sql(?)", [statement.query])
        [(said,)] = asked.fetchall()
        tree = json.loads(said)
        if tree.get("error"):
            raise LakeError(
                f"cannot parse the query: {tree.get('error_message', 'not understood')}"
            )
        for node in _nodes(tree):
            if node.get("type") == "TABLE_FUNCTION":
                name = str(node.get("function", {}).get("function_name", ""))
                if name not in _HARMLESS:
                    raise LakeError(f"cannot use {name}(): {_ONLY_TABLES}")
            name = node.get("table_name", "")
            others = any(node.get(n) for n in ("schema_name", "catalog_name"))
            if not isinstance(name, str) or not name:
                continue
            if others or not _PLAIN.fullmatch(name) or name.lower() in own:
                raise LakeError(f"cannot read {name}: {_ONLY_TABLES}")
