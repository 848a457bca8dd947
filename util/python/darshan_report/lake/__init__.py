"""A lake: many logs as Parquet, collected once each, read by whatever reads Parquet.

from darshan_report import lake

with lake.open("/lake") as centre:
    print(centre.tables)
    print(centre.sql("SELECT program, sum(bytes_written) FROM jobs GROUP BY ALL").frame())

doc/centre.md tells the rest.  What is here needs pyarrow, and asking needs duckdb; both
are imported when they are used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .commit.place import LakeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .ask.engine import Asked
    from .ask.spark import OnSpark

__all__ = ["LakeError", "on_spark", "open"]


def open(path: str | os.PathLike[str]) -> Asked:
    """A lake to be asked; LakeError if there is none, or a newer release made it."""
    from .ask.engine import Asked  # noqa: PLC0415 - needs duckdb

    return Asked(path)


def on_spark(session: SparkSession, path: str | os.PathLike[str]) -> OnSpark:
    """The same in a session of Spark, which gets a view for each table; three of its settings
    become those of doc/centre.md.  LakeError, as above."""
    from .ask.spark import OnSpark  # noqa: PLC0415 - as seldom as Spark

    return OnSpark(session, path)
