"""A lake that is asked through a session of Spark, which the caller has: for one that one
machine does not answer about in time."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from ..commit.commits import Snapshot
from ..commit.place import LakeError
from .questions import BY_NAME, Filters, query
from .views import for_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class OnSpark:
    """Views of a lake in a session, of what was committed when they were made.  Every worker of
    Spark needs the lake under the same name."""

    def __init__(self, session: SparkSession, path: str | os.PathLike[str]) -> None:
        self._session = session
        self._snapshot = Snapshot(os.path.abspath(os.fspath(path)))
        self.refresh()

    def refresh(self) -> None:
        """Sees what was committed since."""
        self._snapshot.refresh()
        for statement in for_spark(self._snapshot):
            self._session.sql(statement)

    def ask(self, name: str, filters: Filters | None = None, /, **values: Any) -> DataFrame:
        """A ready question, as `darshan ask` has them; values: top, date, from_, to, name, least.
        LakeError if there is no such question, or a value is lacking."""
        question = BY_NAME.get(name)
        if question is None:
            raise LakeError(f"no question is called {name}; these are: {', '.join(BY_NAME)}")
        given = {"top": 20, **{key.rstrip("_"): value for key, value in values.items()}}
        lacks = [key for key in question.needs if key not in given]
        if lacks:
            raise LakeError(f"{name} needs {' and '.join(lacks)}")
        sql, used = query(question, filters or Filters(), given)
        return self._session.sql(re.sub(r"\$(\w+)", r":\1", sql), args=used)
