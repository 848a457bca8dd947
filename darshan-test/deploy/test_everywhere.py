"""Tests /etc/ld.so.preload, by which every process of a node loads the runtime's library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .cluster import LOGS, PREFIX, SHARED, Cluster, logs_of, run

pytestmark = pytest.mark.needs("slurm")
LIBRARY = PREFIX / "lib" / "libdarshan.so"
# The file with the preloaded libraries of all processes.
EVERYWHERE = Path("/etc/ld.so.preload")
# Starts a shell in its own mount namespace, so that the layer's file does not change.
SPACE = ["unshare", "--mount", "sh", "-ec"]


def with_library(library: str, script: str) -> subprocess.CompletedProcess[str]:
    """Runs a shell script in a mount namespace in which /etc/ld.so.preload names this library.
    Returns its status and output."""
    made = SHARED / "ld.so.preload"
    made.write_text(f"{library}\n")
    EVERYWHERE.touch()
    try:
        return run(*SPACE, f"mount --bind {made} {EVERYWHERE}; exec sh -ec '{script}'", check=False)
    finally:
        EVERYWHERE.unlink()


def test_jobs_leave_logs_and_nothing_else_does(cluster: Cluster) -> None:
    """If /etc/ld.so.preload names the library on all nodes, jobs leave logs; daemons of Slurm and
    system tools do not."""
    before = set(LOGS.rglob("*.darshan"))
    EVERYWHERE.write_text(f"{LIBRARY}\n")
    try:
        job = cluster.submit(
            f"srun --mpi=pmix {SHARED}/ranks .\nsort /etc/passwd | head -n 1", "-n2"
        )
        cluster.finish(job)
        user = cluster.on("n1", "id", "-un", user="alice")
    finally:
        EVERYWHERE.unlink()
    assert user == "alice\n"
    assert set(LOGS.rglob("*.darshan")) - before == set(logs_of(job))
    assert len(logs_of(job)) == 1


def test_raised_rights(cluster: Cluster) -> None:
    """A set-user-id program that loads the library by /etc/ld.so.preload runs normally, and writes
    no log even if the user's variables request one."""
    del cluster
    script = (
        'runuser -u alice -- sh -c "DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH=/tmp/r su --version"'
    )
    done = with_library(str(LIBRARY), script)
    assert done.returncode == 0 and done.stderr == "" and not Path("/tmp/r").exists()


def test_library_that_is_gone(cluster: Cluster) -> None:
    """If the library in /etc/ld.so.preload does not exist, the loader prints an error for every
    command, and the command runs."""
    del cluster
    done = with_library("/opt/not-mounted/libdarshan.so", "true; id -un")
    assert done.stdout == "root\n" and done.returncode == 0
    assert done.stderr.count("cannot be preloaded") >= 2
