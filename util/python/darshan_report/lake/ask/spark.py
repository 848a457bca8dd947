"""A lake that is queried in the caller's Spark session, if one machine would take too long."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from ..commit.commits import Snapshot
from ..commit.storage import LakeError
from .ready.questions import BY_NAME, Filters, query
from .views import for_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class OnSpark:
    """Views of a lake in the caller's Spark session, with the files that were committed at the last
    refresh. Every worker of Spark must see the lake under the same path."""

    def __init__(self, session: SparkSession, path: str | os.PathLike[str]) -> None:
        self._session = session
        self._snapshot = Snapshot(os.path.abspath(os.fspath(path)))
        self.refresh()

    def refresh(self) -> None:
        """Makes the commits since the last refresh visible to later queries."""
        self._snapshot.refresh()
        for statement in for_spark(self._snapshot):
            self._session.sql(statement)

    def ask(self, name: str, filters: Filters | None = None, /, **values: Any) -> DataFrame:
        """Runs a ready query of `darshan ask` and returns its rows. name: of the query. filters:
        select the jobs; None: all jobs. values: its parameters, such as top (20 if it is not
        given), date, from_, to, name, job and least. Raises LakeError if there is no such query, or
        if a value that it needs is missing."""
        question = BY_NAME.get(name)
        if question is None:
            raise LakeError(f"unknown question {name}; use one of {', '.join(BY_NAME)}")
        given = {"top": 20, **{key.rstrip("_"): value for key, value in values.items()}}
        lacks = [key for key in question.needs if key not in given]
        if lacks:
            raise LakeError(f"{name} needs {' and '.join(lacks)}")
        sql, used = query(question, filters or Filters(), given)
        return self._session.sql(re.sub(r"\$(\w+)", r":\1", sql), args=used)
