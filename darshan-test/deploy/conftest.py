"""Starts a small Slurm with Darshan installed as doc/deploy.md describes, once for all tests of
this folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from place import needs
from tree import use_binding

from .cluster import CONFIG, LOGS, OFF, PREFIX, SHARED, Cluster

use_binding()

HERE = Path(__file__).resolve().parent
# The configuration file of the site.
SETTINGS = f"""
LOGPATH      {LOGS}
MMAP_LOGPATH /tmp
JOBID        SLURM_JOB_ID
"""


@pytest.fixture(scope="session")
def cluster(build: Path) -> Iterator[Cluster]:
    """Installs the build, and yields the running cluster."""
    needs("slurm")
    env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    install = ["make", "-s", "-C", build, "install", f"prefix={PREFIX}"]
    subprocess.run(install, env=env, capture_output=True, timeout=300, check=True)
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(SETTINGS)
    SHARED.mkdir(exist_ok=True)
    compiler = ["mpicc.openmpi", "-O1", "-o", SHARED / "ranks", HERE / "ranks.c"]
    subprocess.run(compiler, capture_output=True, timeout=60, check=True)
    small = Cluster()
    try:
        small.start()
        yield small
    finally:
        small.stop()


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Restores the runtime's configuration after each test: removes the switch that turns it off,
    and writes the original settings."""
    yield
    OFF.unlink(missing_ok=True)
    if CONFIG.exists():
        CONFIG.write_text(SETTINGS)
