"""Files that an MPI library uses internally are in no log, unless a setting includes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .launch import Runner


@pytest.mark.parametrize("wanted", [False, True])
def test_ranks_and_what_surrounds_them(runner: Runner, build: Path, wanted: bool) -> None:
    """A script that starts a job leaves one log of the ranks and one of all other processes. Only
    with DARSHAN_MPI_FILES=1 (wanted) do they have the files that Open MPI keeps in its folder for
    temporary files."""
    runner.environment()
    session = runner.folder / "session"
    session.mkdir()
    shared, copy = runner.data / "shared", runner.data / "ompi.txt"
    options = ["-n", "2"]
    if runner.mpi.name == "openmpi":
        options += ["--mca", "osc_sm_backing_directory", str(session)]
    job = [*runner.mpi.launch(options), str(runner.build("windows.c")), str(shared)]
    script = f'"$@" && cat {Path(__file__)} >{copy}'
    logs = ["-o", str(runner.folder / "logs"), "--", "sh", "-c", script, "sh", *job]
    settings = ["TMPDIR=" + str(session), *(["DARSHAN_MPI_FILES=1"] if wanted else [])]
    done = runner.start(["env", *settings, str(build / "darshan"), "run", *logs])
    assert done.code == 0, done
    ranks, rest = sorted(
        (runner.read(path) for path in done.logs), key=lambda log: "mpi" not in log.metadata
    )
    assert "mpi" in ranks.metadata and "mpi" not in rest.metadata
    assert ranks.total("MPIIO_BYTES_WRITTEN", str(shared)) == 200
    assert rest.total("POSIX_BYTES_WRITTEN", str(copy)) == Path(__file__).stat().st_size
    own, others = (
        {name for name in log.names() if name.startswith(f"{session}/")} for log in (ranks, rest)
    )
    if not wanted or runner.mpi.name == "mpich":  # its segments are in /dev/shm
        assert (own, others) == (set(), set())
    else:
        assert any("/osc_sm." in name for name in own)
        assert any("_cid-" in name for name in own)
        assert any("pmix" in name for name in others)
