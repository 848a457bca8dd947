"""What the place where tests run can do.

A test that cannot run everywhere says what it needs, of the list ABILITIES or
as the name of a program:

    @pytest.mark.needs("root", "loop:xfs")      # or, in a fixture: needs("root")
    @pytest.mark.needs("program:strace")
    @pytest.mark.needs("runs:unshare -p -f --mount-proc")   # in front of a command

A need is probed by doing what the test will do: who starts a command in a new
namespace needs "runs:" and the very words that stand in front of that command.

Where something is lacking the test is skipped, and the skip says why.  Where
CI is set nothing of this may be lacking, so that green means tested: there the
test fails, and so does every skip that does not come from here.  A plain chroot
and a container (`./dev fresh --plain`, `--container`; DARSHAN_PLACE names them)
lack by their nature what the list marks as refused there.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import resource
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

ELSEWHERE = "only elsewhere: "  # how a skip begins that is right on CI, too
SECONDS = 60  # that a probe may take

Probe = Callable[[], str]  # the reason why not; nothing if it works


@dataclass(frozen=True)
class Ability:
    """A row of the list: how it is found out, and whether CI has to have it."""

    probe: Probe
    ci: bool = True
    refused: bool = False  # by a plain chroot or a container, on CI, too


def closed() -> bool:
    """Whether this is a plain chroot or a container, which refuse some of the list."""
    return os.environ.get("DARSHAN_PLACE", "") in ("plain", "container")


def on_ci() -> bool:
    """Whether nothing may be left out."""
    return bool(os.environ.get("CI"))


def works(*command: str | Path) -> str:
    """A probe's answer: the command's last words if it fails."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    words = (done.stderr or done.stdout).decode(errors="replace").split("\n")
    said = [line for line in words if line]
    return said[-1] if said else f"{command[0]} ended with {done.returncode}"


# --- probes ----------------------------------------------------------------------


def programs(*names: str) -> Probe:
    """Programs in the PATH; the sbin folders count, which an ordinary user's may lack."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"

    def probe() -> str:
        missing = [name for name in names if not shutil.which(name, path=path)]
        return f"not installed: {' '.join(missing)}" if missing else ""

    return probe


def configured(*names: str) -> Probe:
    """Libraries that configure has found for this build."""

    def probe() -> str:
        makefile = Path(os.environ.get("DARSHAN_BUILD", "build")) / "Makefile"
        text = makefile.read_text() if makefile.exists() else ""
        missing = [name for name in names if f"\nhave_{name} = yes\n" not in text]
        return f"configure has not found {' '.join(missing)}" if missing else ""

    return probe


def root() -> str:
    """Whether this is the superuser."""
    return "" if os.geteuid() == 0 else "this is not root"


def io_uring() -> str:
    """Whether the kernel lets this process make a ring; Docker's default profile forbids it."""
    setup = 425  # the number of io_uring_setup on every processor
    ring = ctypes.CDLL(None, use_errno=True).syscall(setup, 4, ctypes.create_string_buffer(120))
    if ring < 0:
        return f"io_uring_setup: {os.strerror(ctypes.get_errno())}"
    os.close(ring)
    return ""


def processor(name: str) -> Probe:
    """For what looks at registers, or sets breakpoints."""
    return lambda: "" if os.uname().machine == name else f"this is {os.uname().machine}"


def ordinary_user() -> str:
    """Whether a program can be run as somebody who is not root."""
    if os.geteuid() != 0:
        return ""
    return works("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "true")


def raised_rights() -> str:
    """Whether set-user-id and capabilities of files count where tests put theirs."""
    nosuid = os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOSUID
    return root() or ordinary_user() or ("mounted nosuid" if nosuid else programs("setcap")())


def device() -> str:
    """Whether a node of a device can be made where tests put theirs, and opened."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        path = Path(folder) / "null"
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            path.open("wb").close()
        except PermissionError as error:
            return str(error)
    return ""


def mount() -> str:
    """Whether a file system can be mounted."""
    return root() or mounted("-t", "tmpfs", "tmpfs")


def mounted(*what: str | Path) -> str:
    """Mounts something for a moment, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        failed = works("mount", *what, folder)
        return failed or works("umount", folder)


def loop(kind: str) -> Probe:
    """A file system in a file."""

    def probe() -> str:
        tool = shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin:" + os.environ.get("PATH", ""))
        if not tool:
            return f"not installed: mkfs.{kind}"
        with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
            image = Path(folder) / "image"
            image.touch()
            os.truncate(image, 320 << 20)  # the smallest that mkfs.xfs takes is 300 MiB
            return root() or works(tool, "-q", image) or mounted("-o", "loop", image)

    return probe


def overlay() -> str:
    """Whether one folder can lie over another; not everything can be below."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        parts = {name: Path(folder) / name for name in ("lower", "upper", "work")}
        for part in parts.values():
            part.mkdir()
        options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['work']}"
        return root() or mounted("-t", "overlay", "-o", options, "overlay")


def chroot() -> str:
    """Whether the root can be changed."""
    return root() or works("chroot", "/", "true")


def seccomp(action: int) -> Probe:
    """A seccomp filter with this action, which the kernel has to know."""

    def probe() -> str:
        libc = ctypes.CDLL(None, use_errno=True)
        get_action_avail, number = 2, 317 if os.uname().machine == "x86_64" else 277
        word = ctypes.c_uint32(action)
        if libc.syscall(number, get_action_avail, 0, ctypes.byref(word)) == 0:
            return ""
        return os.strerror(ctypes.get_errno())

    return probe


def no_filter() -> str:
    """Whether this process is without a seccomp filter: under one, the runtime asks first."""
    found = re.search(r"^Seccomp:\s*(\d+)", Path("/proc/self/status").read_text(), re.M)
    return "a seccomp filter is there" if found and found[1] != "0" else ""


def shared_memory() -> str:
    """Whether /dev/shm is large enough for jobs of many ranks; Docker gives it 64 MiB."""
    there = os.statvfs("/dev/shm")
    return "" if there.f_blocks * there.f_frsize >= 1 << 28 else "/dev/shm is below 256 MiB"


def slow_calls() -> str:
    """Whether the kernel can stop a thread's calls for it (Linux 5.11)."""
    if reason := processor("x86_64")():
        return reason
    set_user_dispatch, off = 59, 0
    zero = ctypes.c_ulong(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(set_user_dispatch, ctypes.c_ulong(off), zero, zero, zero) == 0:
        return ""
    return f"syscall user dispatch: {os.strerror(ctypes.get_errno())}"


def parallel(flavour: str, *more: str) -> Probe:
    """C and Fortran programs of an MPI can be built and run."""
    return programs(*(f"{name}.{flavour}" for name in ("mpicc", "mpif90", "mpiexec", *more)))


def storage() -> str:
    """Whether tests' files lie on something that the kernel counts reads from, and can be made
    to come from there."""
    with tempfile.NamedTemporaryFile(prefix="darshan-place-") as file:
        file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        os.pread(file.fileno(), 1 << 20, 0)
        read = resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before
    return "" if read * 512 >= 1 << 20 else "the kernel counts no bytes from storage here"


def real_logs() -> str:
    """Logs of real jobs, beside the tree or where DARSHAN_REAL_LOGS says."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "logs"
    folder = Path(os.environ.get("DARSHAN_REAL_LOGS") or beside)
    return "" if any(folder.glob("*.darshan")) else "the real logs were not there"


def slurm() -> str:
    """Whether this is the layer in which a cluster may be made."""
    return "" if os.environ.get("DARSHAN_LAYER") == "slurm" else "./dev slurm runs it"


def spark() -> str:
    """Whether there is PySpark, half a gigabyte, and a Java to run it."""
    if importlib.util.find_spec("pyspark") is None:
        return "./dev full installs PySpark"
    return programs("java")()


def polars() -> str:
    """Whether there is polars."""
    return "" if importlib.util.find_spec("polars") else "./dev full installs polars"


def go() -> str:
    """Whether there is the compiler of Go, with cgo."""
    return "" if shutil.which("go") else "./dev full installs Go"


def python_module(name: str) -> Probe:
    """A module that only ./dev full installs."""
    return lambda: "" if importlib.util.find_spec(name) else f"./dev full installs {name}"


I386 = Path("/lib/ld-linux.so.2")  # of 32-bit programs, on x86-64 alone

ABILITIES: dict[str, Ability] = {
    "root": Ability(root),
    "ordinary-user": Ability(ordinary_user),
    "processor:x86_64": Ability(processor("x86_64"), ci=False),
    "loader:i386": Ability(lambda: "" if I386.exists() else f"there is no {I386}"),
    "raised-rights": Ability(raised_rights),
    "device": Ability(device),
    "mount": Ability(mount, refused=True),
    "loop:ext4": Ability(loop("ext4"), refused=True),
    "loop:xfs": Ability(loop("xfs"), refused=True),
    "loop:btrfs": Ability(loop("btrfs"), refused=True),
    "overlay": Ability(overlay, refused=True),
    "chroot": Ability(chroot),
    "seccomp": Ability(seccomp(0x00050000)),  # SECCOMP_RET_ERRNO
    "seccomp:notify": Ability(seccomp(0x7FC00000)),  # SECCOMP_RET_USER_NOTIF
    "io_uring": Ability(io_uring, ci=False),
    "no-filter": Ability(no_filter, refused=True),
    "shared-memory": Ability(shared_memory, refused=True),
    "slow-calls": Ability(slow_calls, ci=False),
    "ptrace": Ability(lambda: works("strace", "-o", "/dev/null", "true")),
    "mpi:openmpi": Ability(parallel("openmpi")),
    "mpi:mpich": Ability(parallel("mpich")),
    "hdf5:openmpi": Ability(parallel("openmpi", "h5pcc")),
    "hdf5:mpich": Ability(parallel("mpich", "h5pcc")),
    "hdf5": Ability(configured("hdf5")),
    "hdf5:static": Ability(configured("hdf5", "static_hdf5")),
    "sqlite": Ability(configured("sqlite")),
    "storage": Ability(storage, ci=False),
    "real-logs": Ability(real_logs),
    "java": Ability(programs("java", "javac"), ci=False),
    "rust": Ability(programs("rustc"), ci=False),
    "slurm": Ability(slurm, ci=False),
    "spark": Ability(spark, ci=False),
    "polars": Ability(polars, ci=False),
    "go": Ability(go, ci=False),
    "lmdb": Ability(python_module("lmdb"), ci=False),
    "safetensors": Ability(python_module("safetensors"), ci=False),
}


# --- what tests say --------------------------------------------------------------


@cache
def lacking(name: str) -> str:
    """Why something is not to be had here; nothing if it is."""
    kind, _, value = name.partition(":")
    if kind == "program":
        return programs(value)()
    if kind == "runs":
        return works(*shlex.split(value), "true")
    return ABILITIES[name].probe()


def runs(*front: str) -> str:
    """The need of a test that puts these words in front of its command."""
    return f"runs:{shlex.join(front)}"


def excused(name: str) -> bool:
    """Whether CI may lack it here."""
    if name.startswith("runs:"):
        return closed()
    row = ABILITIES.get(name)
    return row is not None and (not row.ci or (row.refused and closed()))


def needs(*names: str) -> None:
    """Skips a test where something is lacking; fails where CI is set and has to have it."""
    __tracebackhide__ = True
    for name in names:
        if reason := lacking(name):
            if excused(name):
                elsewhere(f"{name}: {reason}")
            absent(f"{name}: {reason}")


def absent(reason: str) -> NoReturn:
    """Something that CI has is not here."""
    __tracebackhide__ = True
    if on_ci():
        pytest.fail(f"CI is set, but {reason}")
    pytest.skip(reason)


def for_everybody(path: Path) -> None:
    """Left out where an ordinary user cannot come to a file: a build below /root, say."""
    user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    if works(*user, "test", "-x", str(path)):
        elsewhere("an ordinary user cannot come to this build")


def elsewhere(reason: str) -> NoReturn:
    """What is right in other places only, CI or not: an older library, another processor."""
    __tracebackhide__ = True
    pytest.skip(ELSEWHERE + reason)


def allowed(reason: str) -> bool:
    """Whether a test may be skipped with this reason."""
    return not on_ci() or ELSEWHERE in reason


if __name__ == "__main__":
    for ability in ABILITIES:
        print(f"{ability:16} {lacking(ability) or 'yes'}")
