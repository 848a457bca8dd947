"""A lake: Parquet tables that darshan collect fills from many logs, for every reader of Parquet.

from darshan_report import lake

with lake.open("/lake") as centre:
    print(centre.tables)
    print(centre.sql("SELECT program, sum(bytes_written) FROM jobs GROUP BY ALL").frame())

doc/centre.md has the details. This package needs pyarrow, and queries need duckdb. Both are
imported at their first use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .commit.storage import LakeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .ask.engine import Asked
    from .ask.spark import OnSpark

__all__ = ["LakeError", "on_spark", "open"]


def open(path: str | os.PathLike[str]) -> Asked:
    """Opens a lake for queries. path: of its folder. Raises LakeError if the folder is not a lake,
    or if a newer release made it."""
    from .ask.engine import Asked  # noqa: PLC0415 - needs duckdb

    return Asked(path)


def on_spark(session: SparkSession, path: str | os.PathLike[str]) -> OnSpark:
    """Registers a view for each table of a lake in a Spark session, and returns an object whose
    method ask() runs ready queries. path: of the lake's folder. Changes three settings of the
    session, which doc/centre.md lists. Raises LakeError if the folder is not a lake, or if a newer
    release made it."""
    from .ask.spark import OnSpark  # noqa: PLC0415 - as seldom as Spark

    return OnSpark(session, path)
