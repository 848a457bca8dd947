"""An open lake that is queried in SQL, by DuckDB in this process."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from ...closing import Closing
from .. import columns
from ..commit.commits import File, Snapshot
from ..commit.storage import LakeError
from ..commit.verify import all_wrong
from ..sums.kinds import TABLES as SUMS
from ..sums.read import Sums
from ..write.arrow import schema, shape
from . import closed
from .limits import Limits, Watch
from .results import exact
from .results.stream import Stream
from .results.stream import typed as with_types

if TYPE_CHECKING:
    import pandas
    import polars

MEMORY = "2GB"  # memory limit of a query; DuckDB spills the rest to the disk
# The SQL types of columns, for tables without files.
_TYPES = {
    columns.TEXT: "VARCHAR",
    columns.WHOLE: "BIGINT",
    columns.ID: "UBIGINT",
    columns.NUMBER: "DOUBLE",
    columns.FLAG: "BOOLEAN",
    columns.DAY: "DATE",
    columns.TIME: "TIMESTAMPTZ",
    columns.UUID: "BLOB",
    columns.EVIDENCE: "STRUCT(module VARCHAR, record VARCHAR, counter VARCHAR, value DOUBLE)[]",
}
# Functions of Spark that the ready queries use.
_MACROS = (
    "unix_micros(moment) AS epoch_us(moment)",
    "xxhash64(x) AS hash(x)",
    "named_struct(a, x, b, y, c, z) AS row(x, y, z)",
    # A sum that has more than 64 bits is null in Spark, and exact in DuckDB.
    "try_sum(x) AS sum(x)",
    "explode(x) AS unnest(x)",
    "sequence(first, last) AS range(first, last + 1)",
    "timestamp_micros(x) AS make_timestamp(CAST(x AS BIGINT)) AT TIME ZONE 'UTC'",
)
Values = Mapping[str, Any]
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")  # in which DuckDB shows its settings


class Answer:
    """The rows of a query's result, in memory, in several forms."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yields the rows as tuples with exact numbers."""
        return zip(*map(exact.values, self._table.columns))

    def rows(self) -> list[dict[str, Any]]:
        """Returns the rows as dicts: value by column name."""
        return [dict(zip(self.columns, row)) for row in self]

    def arrow(self) -> pa.Table:
        """Returns the rows as a table of pyarrow."""
        return self._table

    def frame(self) -> pandas.DataFrame:
        """Returns the rows as a data frame of pandas, which must be installed."""
        return self._table.to_pandas()

    def polars(self) -> polars.DataFrame:
        """Returns the rows as a data frame of polars, which must be installed."""
        import polars  # noqa: PLC0415 - the caller's

        frame = polars.from_arrow(self._table)
        assert isinstance(frame, polars.DataFrame)  # of a table, not a column
        return frame

    def _repr_html_(self) -> str:
        html: str = self.frame()._repr_html_()
        return html


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _empty(table: columns.Table) -> str:
    some = [f'NULL::{_TYPES[c.type]} AS "{c.name}"' for c in table.columns]
    return f"SELECT {', '.join(some)}, NULL::VARCHAR AS month WHERE false"


def read_parquet(lake: str, files: Sequence[File]) -> str:
    """Returns the SQL expression that reads these Parquet files of one table. lake: path of the
    lake."""
    names = ", ".join(_quoted(os.path.join(lake, f.path)) for f in files)
    # Files of another release may have other counters.  union_by_name opens all files, which takes
    # time.
    union = len({f.shape for f in files}) > 1
    return (
        f"read_parquet([{names}], hive_partitioning = true, hive_types_autocast = false, "
        f"union_by_name = {'true' if union else 'false'})"
    )


def _root(lake: str, folder: str) -> str:
    """Returns a path of the lake in which DuckDB interprets no character. DuckDB takes user=jane in
    a path as a column, and a star as all files. If the lake's path has such characters, the result
    is a new symbolic link in `folder`."""
    try:
        lake.encode()
    except UnicodeError:
        odd = True
    else:
        odd = bool(re.search(r"[^\w/ .,:+-]", lake))
    if not odd:
        return lake
    link = os.path.join(folder, "lake")
    os.symlink(lake, link)
    return link


def _conditions(only: Mapping[str, str]) -> str:
    texts = {
        "since": "day >= DATE {0} AND month >= {1}",
        "until": "day <= DATE {0} AND month <= {1}",
        "user": '"user" = {0}',
        "program": "program = {0}",
    }
    found = (texts[n].format(_quoted(v), _quoted(v[:7])) for n, v in only.items())
    return " AND ".join(found)


class Asked(Closing):
    """An open lake: a view for each table, with the files that were committed at the last refresh.
    Only one query may run at a time."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        user: str | None = None,
        memory: str = MEMORY,
        *,
        only: Mapping[str, str] | None = None,
        beside: Mapping[str, str] | None = None,
    ) -> None:
        """Opens the lake. user: queries see only rows of this user; None: of all users. memory:
        beyond this size DuckDB writes temporary data to the disk. only: restricts the rows by
        since, until (days), user and program; None: not at all. beside: further tables by name,
        from files of CSV, JSON or Parquet. Raises LakeError if this is not a lake, or if `memory`
        or a file of `beside` is not usable."""
        self.path = os.path.abspath(os.fspath(path))
        self._snapshot = Snapshot(self.path)
        self._shown = 0  # the commit that the views show
        self._summed, self._has_sums = -1, False  # the commit of the views of sums
        self._user = user
        self._watch: Watch | None = None
        self._only = _conditions({**(only or {}), **({} if user is None else {"user": user})})
        self._folder = tempfile.mkdtemp(prefix="darshan-ask-")
        self._finalizer = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._root = _root(self.path, self._folder)
        self._sums = Sums(self._folder)
        self._database = duckdb.connect(":memory:")
        try:
            if memory.lstrip().startswith("-"):  # to DuckDB this means no limit
                raise duckdb.Error
            self._database.execute(f"SET memory_limit = {_quoted(memory)}")
        except duckdb.Error:
            raise LakeError(f"--memory {memory}: must be a size like 2GB or 500MB") from None
        self._database.execute("SET TimeZone = 'UTC'")
        # For long queries DuckDB prints a progress bar on standard output, among the rows.
        self._database.execute("SET enable_progress_bar = false")
        for macro in _MACROS:
            self._database.execute(f"CREATE MACRO {macro}")
        spill = os.path.join(self._folder, "rest")
        self._database.execute(f"SET temp_directory = {_quoted(spill)}")
        for name, file in (beside or {}).items():
            self._take(name, file)
        if user is not None:
            closed.hide_the_rest(self._database)
        closed.close(self._database, [f"{self._root}/", f"{self._folder}/"])
        self._make_views()

    def _take(self, name: str, file: str) -> None:
        """Reads a file of the option --with into a table, now, because queries may read only the
        lake. Raises LakeError if the lake has a table of this name, or if the file cannot be
        read."""
        if name in columns.tables():
            raise LakeError(f"--with {file}: the lake has a table {name}; rename the file")
        if not os.path.isfile(file):
            what = "not a regular file" if os.path.exists(file) else "No such file or directory"
            raise LakeError(f"--with {file}: {what}")
        ending = os.path.splitext(file)[1].lower()
        reader = {".parquet": "read_parquet", ".json": "read_json_auto"}.get(ending, "read_csv")
        quoted = '"' + name.replace('"', '""') + '"'
        try:
            self._database.execute(
                f"CREATE TABLE {quoted} AS SELECT * FROM {reader}({_quoted(os.path.abspath(file))})"
            )
        except duckdb.Error as error:
            raise LakeError(str(error).strip()) from None

    def _make_views(self) -> None:
        try:
            self._make_each()
        except duckdb.Error as error:
            raise LakeError(str(error).strip()) from None
        self._shown = self._snapshot.number

    def _make_each(self) -> None:
        """Creates the view of each table, with the files of the newest visible commit and, if the
        lake was opened for one user, only this user's rows."""
        for name, table in columns.tables().items():
            files = self._snapshot.of(name)
            rows = self._rows(files) if files else _empty(table)
            if self._only and files:
                rows += f" WHERE {self._only}"
            if any(f.shape != shape(schema(table)) for f in files):
                # Files of an earlier release lack newer columns.
                rows = f"({rows}) UNION ALL BY NAME ({_empty(table)})"
            self._database.execute(f'CREATE OR REPLACE VIEW "{name}" AS {rows}')

    def _rows(self, files: list[File]) -> str:
        """Returns the query for all rows of some files of one table. Columns that had other names
        in earlier releases get their present names."""
        table = columns.tables()[files[0].table]
        one_of_each = {f.shape: f for f in files if f.shape != shape(schema(table))}
        there: set[str] = set()
        for file in one_of_each.values():
            there |= set(pq.read_schema(os.path.join(self.path, file.path)).names)
        old = [c for c in table.columns if c.was and c.was in there]
        what = "*"
        if old:
            new = any(f.shape == shape(schema(table)) for f in files)
            both = [c for c in old if new or c.name in there]
            names = ", ".join(f'"{n}"' for n in (*(c.was for c in old), *(c.name for c in both)))
            one = [f'"{c.was}" AS "{c.name}"' for c in old if c not in both]
            one += [f'coalesce("{c.name}", "{c.was}") AS "{c.name}"' for c in both]
            what = f"* EXCLUDE ({names}), {', '.join(one)}"
        return f"SELECT {what} FROM {read_parquet(self._root, files)}"

    def has_sums(self) -> bool:
        """Returns whether the tables of sums (sums/kinds.py), which make some queries faster, have
        the visible commit. Makes missing sums if that takes little time. Large lakes of earlier
        releases lack them until `darshan lake compact` or a collector has run."""
        if self._sums.forget(self.path) or self._summed != self._shown:
            self._summed = self._shown
            self._has_sums = self._sums.are_at_hand(self._snapshot)
            for name, rows in self._sums.views(self._snapshot, self._root).items():
                if self._has_sums:
                    where = f" WHERE {self._only}" if self._only and "FROM" in rows else ""
                    self._database.execute(f'CREATE OR REPLACE VIEW "{name}" AS {rows}{where}')
                else:
                    self._database.execute(f'DROP VIEW IF EXISTS "{name}"')
        return self._has_sums

    def refresh(self) -> None:
        """Makes the commits since the last refresh visible to later queries."""
        self._snapshot.refresh()
        if self._snapshot.number != self._shown:
            self._make_views()

    @property
    def commit(self) -> int:
        """The number of the newest visible commit."""
        return self._snapshot.number

    def is_newest(self, look: bool = False) -> bool:
        """Returns whether the visible commit is the newest of the lake. look: lists all commits, so
        that the result is right even if a sweep has removed the next commit."""
        return self._shown == self._snapshot.number and self._snapshot.is_newest(look)

    @property
    def hidden(self) -> bool:
        """Whether the names in the lake are anonymized."""
        return bool(self._snapshot.settings.get("hidden"))

    @property
    def is_of_one_user(self) -> bool:
        """Whether queries see only one user's rows."""
        return self._user is not None

    @property
    def tables(self) -> list[str]:
        """The names of the tables that have rows."""
        return self._snapshot.tables

    def files(self, table: str) -> list[str]:
        """Returns the paths of a table's files, for another engine. They have the rows of all
        users."""
        return [os.path.join(self.path, f.path) for f in self._snapshot.of(table)]

    def tables_of(self, query: str) -> set[str]:
        """Returns the tables whose names occur in a query. Returns all tables if none occurs, or if
        the query may compose names (query_table)."""
        words = set(re.findall(r"\w+", query.lower()))
        named = words & set(self.tables)
        return set(self.tables) if not named or words & {"query", "query_table"} else named

    def verify(
        self, tables: Iterable[str], since: str | None = None, until: str | None = None
    ) -> None:
        """Compares the files of some tables with the hashes of what was written. Raises LakeError
        at the first file that differs. since, until: only files that may have jobs of these days;
        None: no first or last day."""
        for table in sorted(tables):
            some = [
                file
                for file in self._snapshot.of(table)
                if not (file.first and since and file.last < since)
                and not (file.first and until and file.first > until)
            ]
            for line in all_wrong(self.path, some):
                raise LakeError(line)

    def describe(self, table: str) -> tuple[columns.Column, ...]:
        """Returns the columns of a table, with type, unit, merge rule and meaning. Raises LakeError
        if there is no such table."""
        known = columns.tables().get(table)
        if known is None:
            raise LakeError(f"the lake has no table {table}")
        return known.columns

    def limits(self, seconds: float) -> Limits:
        """Returns the limits for queries: this many seconds in all (0: any), and the memory of this
        lake."""
        [(shown,)] = self._database.execute("SELECT current_setting('memory_limit')").fetchall()
        number, unit = shown.split()
        return Limits(seconds, int(float(number) * 1024 ** _UNITS.index(unit)))

    @contextlib.contextmanager
    def limited(self, limits: Limits, end: Callable[[str], None] | None = None) -> Iterator[Watch]:
        """Limits the time of the block, and the memory of this process meanwhile. Queries that
        exceed a limit raise LimitExceeded. end: ends this process, for queries that cannot be
        interrupted; None: they go on."""
        with Watch(limits, self._database.interrupt, end) as watch:
            self._watch = watch
            try:
                yield watch
            except (LakeError, duckdb.Error):
                watch.check()
                raise
            finally:
                self._watch = None

    def _found(
        self, query: str, values: Values | Sequence[Any] | None
    ) -> duckdb.DuckDBPyRelation | None:
        """Starts a query, after checks that it only reads and that no limit is exceeded. Returns
        its result, which DuckDB computes as it is read; None for a statement without a result."""
        if self._watch is not None:
            self._watch.check()
        closed.must_read(query)
        if any(table in query.lower() for table in SUMS):
            self.has_sums()
        if self._user is not None:
            closed.must_read_views(self._database, query)
        return self._database.sql(query, params=values)

    def stream(
        self, query: str, values: Values | Sequence[Any] | None = None, *, typed: bool = False
    ) -> Stream:
        """Runs a query and returns its rows, to be read in batches. No other query may run until
        they are read. values: replace $name or ? in the query. typed: in Arrow's batches, integer
        sums get a numeric type that is large enough; else they are text. Raises LakeError if the
        query fails or does more than read."""
        try:
            found = self._found(query, values)
            if typed and found is not None:
                found = with_types(self._database, found)
            return Stream(found)
        except duckdb.Error as error:
            raise LakeError(str(error).strip()) from None

    def sql(self, query: str, values: Values | Sequence[Any] | None = None) -> Answer:
        """Runs a query and returns its whole result. values: replace $name or ? in the query; None:
        none. Raises LakeError if the query fails or does more than read, LimitExceeded (a
        LakeError) if it exceeds a limit of limited()."""
        try:
            found = self._found(query, values)
            return Answer(pa.table({}) if found is None else exact.table(found))
        except duckdb.Error as error:
            raise LakeError(str(error).strip()) from None

    def keep(self, name: str, query: str, values: Values) -> None:
        """Stores a query's result as the temporary table `name` for later queries, in place of an
        older one. values: replace $name in the query. Raises LakeError if the query fails or does
        more than read."""
        if self._watch is not None:
            self._watch.check()
        closed.must_read(query)
        try:
            self._database.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" AS {query}', values)
        except duckdb.Error as error:
            raise LakeError(str(error).strip()) from None

    def close(self) -> None:
        """Closes the database and removes its temporary folder."""
        self._database.close()
        self._finalizer()
