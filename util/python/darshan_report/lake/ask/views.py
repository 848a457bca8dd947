"""The SQL statements that create the views of a lake in Spark: each table consists of its committed
files.

engine.py has the views for DuckDB. Settings of the Spark session make it accept the same SQL: names
in double quotes, and times in UTC."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from .. import columns
from ..commit.commits import File, Snapshot
from ..delta.publish import wide_columns

_TYPES = {
    columns.TEXT: "STRING",
    columns.WHOLE: "BIGINT",
    columns.ID: "DECIMAL(20, 0)",  # Spark has no unsigned integers
    columns.NUMBER: "DOUBLE",
    columns.FLAG: "BOOLEAN",
    columns.DAY: "DATE",
    columns.TIME: "TIMESTAMP",
    columns.UUID: "BINARY",
    columns.EVIDENCE: "ARRAY<STRUCT<module: STRING, record: STRING, counter: STRING, "
    "value: DOUBLE>>",
}


def _text(text: str) -> str:
    r"""Returns a string as a literal of Spark's SQL, which interprets backslashes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _pattern(lake: str, files: Sequence[File]) -> str:
    """Returns a Hadoop path pattern that matches these files of one table, at least one. Special
    characters of the lake's path are escaped. lake: path of the lake."""
    folder = re.sub(r"([][{}*?,\\^])", r"\\\1", os.path.join(lake, files[0].table))
    names = [file.path.partition("/")[2] for file in files]
    return f"{folder}/{names[0]}" if len(names) == 1 else f"{folder}/{{{','.join(names)}}}"


def for_spark(lake: Snapshot) -> Iterator[str]:
    """Yields the SQL statements that create the views of a lake as it is in the snapshot. The first
    three set options of the session. Integer columns whose sum may have more than 64 bits are
    decimals, because Spark adds up integers in 64 bits."""
    yield "SET spark.sql.ansi.enabled=true"
    yield "SET spark.sql.ansi.doubleQuotedIdentifiers=true"
    yield "SET spark.sql.session.timeZone=UTC"
    for name, table in columns.tables().items():
        files = lake.of(name)
        wide = wide_columns(lake.path, table, files)
        types = {c.name: _TYPES[columns.ID if c.name in wide else c.type] for c in table.columns}
        some = [f"`{name}` {kind}" for name, kind in types.items()]
        if files:
            folder = os.path.join(lake.path, name)
            path, base = _text(_pattern(lake.path, files)), _text(folder)
            yield (
                f"CREATE OR REPLACE TEMPORARY VIEW `{name}` ({', '.join(some)}, `month` STRING) "
                f"USING parquet OPTIONS (path {path}, basePath {base})"
            )
        else:
            nulls = [f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in types.items()]
            yield (
                f"CREATE OR REPLACE TEMPORARY VIEW `{name}` AS SELECT {', '.join(nulls)}, "
                "CAST(NULL AS STRING) AS `month` WHERE false"
            )


def script(statements: Iterator[str]) -> str:
    """Returns the statements as a script for the program spark-sql."""
    return "".join(f"{statement};\n" for statement in statements)
