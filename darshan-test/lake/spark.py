"""A Spark cluster on this machine: a master, two workers and a session, for the option --master
spark://..."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SECONDS = 90
_HOST = "127.0.0.1"


def _free() -> int:
    """Returns a port that is free now."""
    with socket.create_server((_HOST, 0)) as server:
        port: int = server.getsockname()[1]
        return port


class Standalone:
    """A master with two workers of one core each, for the option --master spark://..."""

    def __init__(self, folder: Path) -> None:
        import pyspark  # noqa: PLC0415 - few places have it

        self._home = Path(pyspark.__file__).parent
        self._folder = folder
        self._session: Any = None
        self._running: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": _HOST,
            "PYSPARK_PYTHON": sys.executable,
        }
        port = _free()
        self.master = f"spark://{_HOST}:{port}"
        self._start("master.Master", "--port", str(port))
        for number in range(2):
            where = str(folder / f"work{number}")
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", where)
            self._start("worker.Worker", *limits, self.master)

    def _start(self, what: str, *arguments: str) -> None:
        command = [self._home / "bin" / "spark-class", f"org.apache.spark.deploy.{what}"]
        fixed = ["--host", _HOST, "--webui-port", str(_free())]
        with (self._folder / f"spark{len(self._running)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, *fixed, *arguments],
                cwd=self._folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._running.append(process)

    def _settings(self) -> dict[str, str]:
        return {
            "spark.master": self.master,
            "spark.driver.host": _HOST,
            "spark.driver.bindAddress": _HOST,
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
        }

    @property
    def session(self) -> Any:
        """Returns the Spark session of this process; starts it at the first use."""
        from pyspark.sql import SparkSession  # noqa: PLC0415 - few places have it

        if self._session is None:
            os.environ.update(SPARK_LOCAL_IP=_HOST, PYSPARK_PYTHON=sys.executable)
            builder = SparkSession.builder.appName("lake")
            for name, value in self._settings().items():
                builder = builder.config(name, value)
            self._session = builder.getOrCreate()
        return self._session

    def workers(self) -> int:
        """Waits, at most SECONDS, until the session has two executors; returns how many there
        are."""
        executors = self.session.sparkContext._jsc.sc().statusTracker()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            there = len(executors.getExecutorInfos()) - 1  # without the driver
            if there == 2:
                return there
            time.sleep(0.2)
        return there

    def program(self, name: str) -> list[str]:
        """Returns the command that runs a Spark program such as spark-sql on this master. Ends the
        session of this process, to free its cores."""
        self._end_session()
        options = [f"--conf={key}={value}" for key, value in self._settings().items()]
        metastore = f"-Dderby.system.home={self._folder}"
        return [str(self._home / "bin" / name), *options, "--driver-java-options", metastore]

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.stop()
            self._session = None

    def __enter__(self) -> Standalone:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_session()
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait(SECONDS)
