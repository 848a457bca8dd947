"""Darshan works in containers of an ordinary user, made with bwrap like those of Apptainer,
Docker and Podman, if the library and the folder for logs are bound. Without them, the program
still runs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import lab.environment as lab
import pytest
from darshan_report import open_log

from .cluster import PREFIX, SHARED, Cluster, run

pytestmark = pytest.mark.needs("slurm")
LIBRARY = PREFIX / "lib" / "libdarshan.so"
# A container with a read-only root, and with processes and a /tmp of its own.
IMAGE = [
    "bwrap", "--unshare-user", "--unshare-pid", "--die-with-parent", "--proc", "/proc",
    "--dev", "/dev", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc",
    "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
    "/lib64", "--tmpfs", "/tmp",
]  # fmt: skip


@pytest.fixture
def place(cluster: Cluster) -> Path:
    """Returns a new folder that belongs to the user alice, and that a container and the host
    share."""
    del cluster  # the fixture has installed everything
    folder = Path(run("mktemp", "-d", "-p", str(SHARED)).stdout.strip())
    run("chown", "alice:", folder)
    return folder


def inside(
    place: Path, *command: str, binds: Sequence[str], **settings: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command as alice in a container, with the runtime preloaded. binds: options of bwrap
    for bind mounts. settings: of the runtime. Returns the exit status and the output."""
    env = lab.settings(LIBRARY, place, **settings)
    words = [part for name, value in env.items() for part in ("--setenv", name, value)]
    become = ["runuser", "-u", "alice", "--"]
    return run(*become, *IMAGE, *binds, "--chdir", "/tmp", *words, *command, check=False)


def logs(place: Path) -> list[Path]:
    """Returns the logs in a folder."""
    return sorted(place.glob("*.darshan"))


# The bind mounts of the library and of the folder for logs.
BIND = ["--ro-bind", str(PREFIX), str(PREFIX), "--bind", str(SHARED), str(SHARED)]


def test_library_and_folder_for_logs_are_bound(place: Path) -> None:
    """A program in a container leaves its log if the library and the folder for logs are
    bind-mounted; no other mount is needed. The root is read-only, and /tmp and the processes are
    the container's own."""
    done = inside(place, "cp", "/etc/passwd", f"{place}/copy", binds=BIND)
    assert (done.returncode, done.stderr) == (0, "")
    (log,) = logs(place)
    assert log.owner() == "alice"


def test_a_run_of_several_processes(place: Path) -> None:
    """In a container, the merger of a run of several processes is found next to the library by its
    path in the container, so the run has one log."""
    done = inside(place, "sh", "-c", "cat /etc/passwd | sort >out", binds=BIND)
    assert (done.returncode, done.stderr) == (0, "")
    for _ in range(100):
        if logs(place):
            break
        time.sleep(0.05)
    (log,) = logs(place)
    with open_log(log) as opened:
        assert opened.info.nprocs == 3


def test_library_is_not_bound(place: Path) -> None:
    """If the library is not bind-mounted, the loader reports it for each program in the container,
    and the program runs without a log."""
    binds = ["--bind", str(SHARED), str(SHARED)]
    done = inside(place, "cp", "/etc/passwd", f"{place}/copy", binds=binds)
    assert done.returncode == 0 and (place / "copy").exists() and not logs(place)
    assert done.stderr.startswith(f"ERROR: ld.so: object '{LIBRARY}' from LD_PRELOAD")


def test_nothing_may_be_written(place: Path) -> None:
    """If a container has no writable folder for logs, only the runtime prints errors, and the
    program runs normally."""
    binds = ["--ro-bind", str(PREFIX), str(PREFIX), "--remount-ro", "/tmp"]
    script = "cat /etc/passwd >/dev/null; cat /usr/bin/env | wc -c"
    done = inside(place, "sh", "-c", script, binds=binds, DARSHAN_JOB_TREE="0")
    assert done.returncode == 0 and int(done.stdout) > 0 and not logs(place)
    assert all(line.startswith("darshan") for line in done.stderr.splitlines())


def test_shared_tmp(place: Path) -> None:
    """`darshan recover` on a /tmp that a container shares with the host leaves the journals of the
    container's living processes alone."""
    shared = ["--bind", "/tmp", "/tmp"]
    script = f"exec 3>{place}/file; echo 12345 >&3; touch {place}/ready; sleep 60"
    env = lab.settings(LIBRARY, DARSHAN_JOB_TREE="0")
    words = [part for name, value in env.items() for part in ("--setenv", name, value)]
    command = ["runuser", "-u", "alice", "--", *IMAGE, *BIND, *shared, *words, "sh", "-c", script]
    recover = [PREFIX / "bin" / "darshan", "recover", "--all-users", "-o", place]
    with subprocess.Popen(command) as container:
        while not (place / "ready").exists():
            time.sleep(0.05)
        journals = sorted(Path("/tmp").glob("*_mmap-log-*"))
        assert run(*recover).stdout == "" and not logs(place)
        assert journals and sorted(Path("/tmp").glob("*_mmap-log-*")) == journals
        run("pkill", "-9", "-P", str(container.pid))
    for journal in journals:
        journal.unlink()
