"""Reads Delta tables with an engine of another project:

    delta_engines.py ENGINE LAKE OUT TABLE...

    delta_engines.py ENGINE LAKE watch

The first form writes each table as OUT/TABLE.arrow, and the results of QUERIES as OUT/answers.json.
The second form prints the numbers of rows and of logs in jobs, for each line of the standard input.
Each engine reads as doc/centre.md describes it. It needs no file of this source tree."""

# ruff: noqa: PLC0415 - a process has one of the engines

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

QUERIES = (
    # A user who forges logs can make a sum of bytes that has more than 64 bits.
    'SELECT "user", count(*) AS jobs, sum(bytes_written) AS bytes FROM jobs '
    'GROUP BY "user" ORDER BY "user"',
    'SELECT "user", count(*) AS jobs, max(run_seconds) AS longest FROM jobs '
    "WHERE day >= DATE '2023-11-20' AND month = '2023-11' AND \"user\" <> 'user1' "
    'GROUP BY "user" ORDER BY "user"',
    'SELECT j."user", count(*) AS files, sum(f."POSIX_BYTES_READ") AS bytes FROM jobs j '
    "JOIN files_posix f ON j.log = f.log WHERE j.\"user\" IN ('user0', 'user2') "
    'GROUP BY j."user" ORDER BY j."user"',
)
# Rows and logs in jobs.
_COUNTS = "SELECT count(*) AS n, count(DISTINCT log) AS logs FROM jobs"


class Engine:
    """The operations of an engine on a lake, which is given by the path of its folder."""

    def __init__(self, lake: str) -> None:
        self.lake = lake

    def table(self, name: str) -> pa.Table:
        """Returns all rows of a table."""
        return self.sql(f'SELECT * FROM "{name}"', name)

    def sql(self, query: str, *tables: str) -> pa.Table:
        """Returns the result of an SQL query. tables: the names of the Delta tables that it uses,
        at their newest versions."""
        raise NotImplementedError


class Deltalake(Engine):
    """The package deltalake, with pandas and pyarrow; its queries are run by DataFusion."""

    def table(self, name: str) -> pa.Table:
        from deltalake import DeltaTable

        frame = DeltaTable(f"{self.lake}/{name}").to_pandas()
        whole = DeltaTable(f"{self.lake}/{name}").to_pyarrow_table()
        assert len(frame) == len(whole)
        return whole

    def sql(self, query: str, *tables: str) -> pa.Table:
        from deltalake import DeltaTable, QueryBuilder

        builder = QueryBuilder()
        for name in tables:
            builder.register(name, DeltaTable(f"{self.lake}/{name}"))
        return pa.table(builder.execute(query).read_all())


class Polars(Engine):
    """Polars, whose own reader refuses integers that are decimals in the table; pyarrow reads
    them."""

    def table(self, name: str) -> pa.Table:
        import polars

        return polars.scan_delta(f"{self.lake}/{name}", use_pyarrow=True).collect().to_arrow()

    def sql(self, query: str, *tables: str) -> pa.Table:
        import polars

        frames = {
            name: polars.scan_delta(f"{self.lake}/{name}", use_pyarrow=True) for name in tables
        }
        return polars.SQLContext(frames).execute(query).collect().to_arrow()


class Datafusion(Engine):
    """DataFusion, which reads a table through deltalake."""

    def sql(self, query: str, *tables: str) -> pa.Table:
        from datafusion import SessionContext
        from deltalake import DeltaTable

        session = SessionContext()
        for name in tables:
            session.register_table(name, DeltaTable(f"{self.lake}/{name}"))
        return session.sql(query).to_arrow_table()


class Duckdb(Engine):
    """DuckDB with its extension delta, which the wheel duckdb-extension-delta contains."""

    _database: Any = None

    def sql(self, query: str, *tables: str) -> pa.Table:
        self._database = self._database or self._begin()
        for name in tables:
            view = f"SELECT * FROM delta_scan('{self.lake}/{name}')"
            self._database.execute(f'CREATE OR REPLACE VIEW "{name}" AS {view}')
        return self._database.execute(query).to_arrow_table()

    @staticmethod
    def _begin() -> Any:
        import duckdb
        import duckdb_extension_delta

        assert duckdb.__version__.startswith("1.5.")
        folder = Path(duckdb_extension_delta.__file__).parent
        (extension,) = folder.glob("extensions/*/delta.duckdb_extension")
        database = duckdb.connect()
        database.execute(f"LOAD '{extension}'; SET TimeZone = 'UTC'")
        return database


class Spark(Engine):
    """Spark with Delta's jar."""

    _session: Any = None

    def sql(self, query: str, *tables: str) -> pa.Table:
        if self._session is None:
            self._session = self._begin()
        for name in tables:
            frame = self._session.read.format("delta").load(f"{self.lake}/{name}")
            frame.createOrReplaceTempView(name)
        return self._session.sql(query).toArrow()

    @staticmethod
    def _begin() -> Any:
        from pyspark.sql import SparkSession

        settings = {
            "spark.jars.packages": "io.delta:delta-spark_4.1_2.13:4.4.0",
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.ansi.doubleQuotedIdentifiers": "true",
            "spark.sql.session.timeZone": "UTC",
            # of this test alone: the tables are small
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.shuffle.partitions": "1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
        }
        builder = SparkSession.builder.master("local[1]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


ENGINES = {kind.__name__.lower(): kind for kind in (Deltalake, Polars, Datafusion, Duckdb, Spark)}


def main(name: str, lake: str, out: str, *tables: str) -> None:
    """Runs the command. name: the engine; lake: its folder; out: the output folder or "watch";
    tables: the names of tables."""
    engine = ENGINES[name](lake)
    if out == "watch":
        for _ in sys.stdin:
            ((n, logs),) = (tuple(row.values()) for row in engine.sql(_COUNTS, "jobs").to_pylist())
            print(n, logs, flush=True)
        return
    for table in tables:
        found = engine.table(table)
        path = f"{out}/{table}.arrow"
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, found.schema) as writer:
            writer.write_table(found)
    answers = [engine.sql(query, "jobs", "files_posix").to_pylist() for query in QUERIES]
    Path(out, "answers.json").write_text(json.dumps(answers, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
