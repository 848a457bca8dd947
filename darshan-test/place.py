"""Determines which features the environment of the tests has.

A test that cannot run everywhere names its needs, from the list ABILITIES or as the name of a
program:

    @pytest.mark.needs("root", "loop:xfs")      # or, in a fixture: needs("root")

    @pytest.mark.needs("program:strace")

    @pytest.mark.needs("runs:unshare -p -f --mount-proc")   # in front of a command

A probe tries the same operation as the test: a test that starts a command in a new namespace needs
"runs:" and the same prefix of that command.

If a need is not met, the test is skipped with the reason. If CI is set, the test fails instead, and
so does every skip that was not requested through this file. Two kinds of features may be missing on
CI as well: those that the list marks with ci=False, and, in a plain chroot or a container (`./dev
fresh --plain`, `--container`; DARSHAN_PLACE names them), the refused ones and all of "runs:"."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import resource
import shlex
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from tree import build_folder

# Beginning of the reasons for a skip that is permitted on CI.
ELSEWHERE = "only elsewhere: "
# Most seconds of a probe.
SECONDS = 60

# Returns the reason why a feature is missing; "" if it works.
Probe = Callable[[], str]  # returns the reason why not; "" if it works


@dataclass(frozen=True)
class Ability:
    """A feature that tests may need: its probe, which returns "" or why it is missing, and whether
    it may be missing on CI."""

    probe: Probe
    ci: bool = True
    refused: bool = False  # may be missing in a plain chroot or a container, on CI as well


def closed() -> bool:
    """Returns whether the tests run in a plain chroot or a container (DARSHAN_PLACE), in which some
    features may be missing."""
    return os.environ.get("DARSHAN_PLACE", "") in ("plain", "container")


def on_ci() -> bool:
    """Returns whether the variable CI is set; then a missing feature fails a test, unless excused()
    returns True."""
    return bool(os.environ.get("CI"))


def works(*command: str | Path) -> str:
    """Runs a command as a probe. Returns "" if it succeeds, otherwise the last line of its output
    or the error."""
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
    """Returns a probe for these programs in PATH or in the sbin folders, which may not be in an
    ordinary user's PATH."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"

    def probe() -> str:
        missing = [name for name in names if not shutil.which(name, path=path)]
        return f"not installed: {' '.join(missing)}" if missing else ""

    return probe


def configured(*names: str) -> Probe:
    """Returns a probe that checks whether configure found these libraries for the build."""

    def probe() -> str:
        makefile = build_folder() / "Makefile"
        text = makefile.read_text() if makefile.exists() else ""
        missing = [name for name in names if f"\nhave_{name} = yes\n" not in text]
        return f"configure has not found {' '.join(missing)}" if missing else ""

    return probe


def root() -> str:
    """Returns "" if the user of the tests is root, otherwise a text that says so."""
    return "" if os.geteuid() == 0 else "this is not root"


def page_faults() -> str:
    """Returns "" if this process may sample the addresses of its page faults, otherwise the reason
    why not."""
    opening = 241 if platform.machine() == "aarch64" else 298  # perf_event_open
    event = struct.pack("IIQQQQQIIQ", 1, 64, 2, 1, 8, 0, 96, 0, 0, 0)
    fd = ctypes.CDLL(None, use_errno=True).syscall(opening, event, 0, -1, -1, 8)
    if fd < 0:
        return f"perf_event_open: {os.strerror(ctypes.get_errno())}"
    os.close(fd)
    return ""


def io_uring() -> str:
    """Returns "" if this process may create an io_uring, otherwise the reason why not: Docker's
    default profile forbids it."""
    setup = 425  # system call number of io_uring_setup on all processors
    ring = ctypes.CDLL(None, use_errno=True).syscall(setup, 4, ctypes.create_string_buffer(120))
    if ring < 0:
        return f"io_uring_setup: {os.strerror(ctypes.get_errno())}"
    os.close(ring)
    return ""


def processor(name: str) -> Probe:
    """Returns a probe for a kind of processor, such as x86_64, for tests that read registers or set
    breakpoints."""
    return lambda: "" if os.uname().machine == name else f"this is {os.uname().machine}"


def ordinary_user() -> str:
    """Returns "" if a program can run as a user other than root, otherwise the reason why not."""
    if os.geteuid() != 0:
        return ""
    return works("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "true")


def raised_rights() -> str:
    """Returns "" if set-user-id programs and file capabilities work in the tests' folder, otherwise
    the reason why not."""
    nosuid = os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOSUID
    return root() or ordinary_user() or ("mounted nosuid" if nosuid else programs("setcap")())


def device() -> str:
    """Returns "" if a device node can be created in the tests' folder and opened, otherwise the
    reason why not."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        path = Path(folder) / "null"
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            path.open("wb").close()
        except PermissionError as error:
            return str(error)
    return ""


def mount() -> str:
    """Returns "" if a file system can be mounted, otherwise the reason why not."""
    return root() or mounted("-t", "tmpfs", "tmpfs")


def mounted(*what: str | Path) -> str:
    """Returns "" if `mount` with these arguments succeeds on a temporary folder, which is then
    unmounted, otherwise the reason why not."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        failed = works("mount", *what, folder)
        return failed or works("umount", folder)


def loop(kind: str) -> Probe:
    """Returns a probe for a file system of this kind in an image file."""

    def probe() -> str:
        tool = shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin:" + os.environ.get("PATH", ""))
        if not tool:
            return f"not installed: mkfs.{kind}"
        with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
            image = Path(folder) / "image"
            image.touch()
            os.truncate(image, 320 << 20)  # mkfs.xfs needs at least 300 MiB
            return root() or works(tool, "-q", image) or mounted("-o", "loop", image)

    return probe


def overlay() -> str:
    """Returns "" if an overlay can be mounted here, otherwise the reason why not: some file systems
    cannot be its lower layer."""
    with tempfile.TemporaryDirectory(prefix="darshan-place-") as folder:
        parts = {name: Path(folder) / name for name in ("lower", "upper", "work")}
        for part in parts.values():
            part.mkdir()
        options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['work']}"
        return root() or mounted("-t", "overlay", "-o", options, "overlay")


def chroot() -> str:
    """Returns "" if the root directory can be changed, otherwise the reason why not."""
    return root() or works("chroot", "/", "true")


def runs_privately() -> str:
    """Returns "" if a process can get new namespaces for mounts and network, otherwise the reason
    why not."""
    return works("unshare", "--map-root-user", "--mount", "--net", "mount", "--make-rprivate", "/")


def seccomp(action: int) -> Probe:
    """Returns a probe that checks whether the kernel knows this action of seccomp filters (a
    SECCOMP_RET_ value)."""

    def probe() -> str:
        libc = ctypes.CDLL(None, use_errno=True)
        get_action_avail, number = 2, 317 if os.uname().machine == "x86_64" else 277
        word = ctypes.c_uint32(action)
        if libc.syscall(number, get_action_avail, 0, ctypes.byref(word)) == 0:
            return ""
        return os.strerror(ctypes.get_errno())

    return probe


def no_filter() -> str:
    """Returns "" if this process has no seccomp filter, otherwise a text that says so: under a
    filter the runtime first probes which calls are permitted."""
    found = re.search(r"^Seccomp:\s*(\d+)", Path("/proc/self/status").read_text(), re.M)
    return "a seccomp filter is there" if found and found[1] != "0" else ""


def shared_memory() -> str:
    """Returns "" if /dev/shm is large enough for jobs of many ranks, otherwise a text with its
    size. In Docker it has 64 MiB."""
    there = os.statvfs("/dev/shm")
    return "" if there.f_blocks * there.f_frsize >= 1 << 28 else "/dev/shm is below 256 MiB"


def slow_calls() -> str:
    """Returns "" if the kernel has syscall user dispatch (Linux 5.11), with which tests delay
    system calls (verdicts/slow.c), otherwise the reason why not."""
    if reason := processor("x86_64")():
        return reason
    set_user_dispatch, off = 59, 0
    zero = ctypes.c_ulong(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(set_user_dispatch, ctypes.c_ulong(off), zero, zero, zero) == 0:
        return ""
    return f"syscall user dispatch: {os.strerror(ctypes.get_errno())}"


def parallel(flavour: str, *more: str) -> Probe:
    """Returns a probe for the compilers and the launcher of an MPI, openmpi or mpich. more: further
    programs with this ending."""
    return programs(*(f"{name}.{flavour}" for name in ("mpicc", "mpif90", "mpiexec", *more)))


def storage() -> str:
    """Returns "" if the kernel counts bytes read from storage for files of the tests, and can drop
    their pages from the cache, otherwise the reason why not."""
    with tempfile.NamedTemporaryFile(prefix="darshan-place-") as file:
        file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        os.pread(file.fileno(), 1 << 20, 0)
        read = resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before
    return "" if read * 512 >= 1 << 20 else "the kernel counts no bytes from storage here"


def real_logs() -> str:
    """Returns "" if logs of real jobs exist, next to the source tree or in DARSHAN_REAL_LOGS,
    otherwise a text that says where they were searched."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "logs"
    folder = Path(os.environ.get("DARSHAN_REAL_LOGS") or beside)
    return "" if any(folder.glob("*.darshan")) else "the real logs were not there"


def slurm() -> str:
    """Returns "" if the tests may set up a Slurm cluster in this environment, otherwise the reason
    why not."""
    return "" if os.environ.get("DARSHAN_LAYER") == "slurm" else "./dev slurm runs it"


def spark() -> str:
    """Returns "" if PySpark (half a gigabyte) and Java are installed, otherwise the missing one."""
    if importlib.util.find_spec("pyspark") is None:
        return "./dev full installs PySpark"
    return programs("java")()


def delta(folder: str) -> Probe:
    """Returns a probe for an engine that reads Delta tables and that ./dev full installs in this
    folder, beside the Python environment of the tests."""
    where = Path(sys.executable).parent.parent / folder
    return lambda: "" if where.is_dir() else f"./dev full installs {folder}"


def hadolint() -> str:
    """Returns "" if hadolint is installed next to the Python of the tests, otherwise a text that
    says so."""
    beside = Path(sys.executable).parent / "hadolint"
    return "" if beside.exists() else "./dev full installs hadolint"


def polars() -> str:
    """Returns "" if polars is installed, otherwise a text that says so."""
    return "" if importlib.util.find_spec("polars") else "./dev full installs polars"


def go() -> str:
    """Returns "" if the Go compiler is installed, otherwise a text that says so."""
    return "" if shutil.which("go") else "./dev full installs Go"


def snakemake() -> str:
    """Returns "" if Snakemake is installed, otherwise a text that says so."""
    return "" if shutil.which("snakemake") else "./dev full installs Snakemake"


def python_module(name: str) -> Probe:
    """Returns a probe for a Python module that only ./dev full installs."""
    return lambda: "" if importlib.util.find_spec(name) else f"./dev full installs {name}"


def torch() -> str:
    """Returns "" if Debian's Python has PyTorch, otherwise a text that says so. Does not import it,
    because that takes seconds."""
    found = "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))"
    return works("/usr/bin/python3", "-c", found) and "./dev full installs PyTorch"


def newest_torch() -> str:
    """Returns the path of the Python with the newest PyTorch: that of the tests, or
    DARSHAN_TORCH_PYTHON."""
    return os.environ.get("DARSHAN_TORCH_PYTHON") or sys.executable


def torch_newest() -> str:
    """Returns "" if the Python of newest_torch() has PyTorch, otherwise a text that says so."""
    found = "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))"
    return works(newest_torch(), "-c", found) and "./dev full installs PyTorch's newest wheel"


def libraries_python() -> str:
    """Returns the path of the Python with the libraries of training/libraries/requirements.txt:
    that of the virtual environment that ./dev full makes, or DARSHAN_LIBRARIES_PYTHON."""
    beside = Path(sys.executable).parent.parent / "training-libraries" / "bin" / "python"
    return os.environ.get("DARSHAN_LIBRARIES_PYTHON") or str(beside)


def training_libraries() -> str:
    """Returns "" if the Python of libraries_python() exists, otherwise a text that says so."""
    there = Path(libraries_python()).exists()
    return "" if there else "./dev full installs Lightning, transformers, JAX, TensorFlow"


I386 = Path("/lib/ld-linux.so.2")  # of 32-bit programs, only on x86-64

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
    "private": Ability(runs_privately, refused=True),
    "seccomp": Ability(seccomp(0x00050000)),  # SECCOMP_RET_ERRNO
    "seccomp:notify": Ability(seccomp(0x7FC00000)),  # SECCOMP_RET_USER_NOTIF
    "io_uring": Ability(io_uring, ci=False),
    "page-faults": Ability(page_faults, ci=False),
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
    "cargo": Ability(programs("cargo", "rustc"), ci=False),
    "r": Ability(programs("Rscript"), ci=False),
    "octave": Ability(programs("octave-cli"), ci=False),
    "slurm": Ability(slurm, ci=False),
    "spark": Ability(spark, ci=False),
    "polars": Ability(polars, ci=False),
    "delta:deltalake": Ability(python_module("deltalake"), ci=False),
    "delta:duckdb": Ability(delta("duckdb-delta"), ci=False),
    "delta:spark": Ability(lambda: delta("spark-delta")() or programs("java")(), ci=False),
    "go": Ability(go, ci=False),
    "snakemake": Ability(snakemake, ci=False),
    "rattler-build": Ability(python_module("rattler_build"), ci=False),
    "hadolint": Ability(hadolint, ci=False),
    "lmdb": Ability(python_module("lmdb"), ci=False),
    "torch": Ability(torch, ci=False),
    "torch:newest": Ability(torch_newest, ci=False),
    "training:libraries": Ability(training_libraries, ci=False),
    "safetensors": Ability(python_module("safetensors"), ci=False),
}


# --- what tests say --------------------------------------------------------------


@cache
def lacking(name: str) -> str:
    """Returns why the feature `name` is not available here; "" if it is. name: "program:NAME",
    "runs:COMMAND", or a key of ABILITIES."""
    kind, _, value = name.partition(":")
    if kind == "program":
        return programs(value)()
    if kind == "runs":
        return works(*shlex.split(value), "true")
    return ABILITIES[name].probe()


def runs(*front: str) -> str:
    """Returns the name of the need "runs:" of a test that starts its command with these words."""
    return f"runs:{shlex.join(front)}"


def excused(name: str) -> bool:
    """Returns whether the feature `name` may be missing on CI in this environment."""
    if name.startswith("runs:"):
        return closed()
    row = ABILITIES.get(name)
    return row is not None and (not row.ci or (row.refused and closed()))


def needs(*names: str) -> None:
    """Skips the test if one of these features is missing; on CI, fails it unless the feature is
    excused there."""
    __tracebackhide__ = True
    for name in names:
        if reason := lacking(name):
            if excused(name):
                elsewhere(f"{name}: {reason}")
            absent(f"{name}: {reason}")


def absent(reason: str) -> NoReturn:
    """Skips the test with this reason; on CI, fails it."""
    __tracebackhide__ = True
    if on_ci():
        pytest.fail(f"CI is set, but {reason}")
    pytest.skip(reason)


def for_everybody(path: Path) -> None:
    """Skips the test, on CI as well, if an ordinary user cannot reach a file, for example because
    the build is below /root. Needs root and setpriv."""
    user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    if works(*user, "test", "-x", str(path)):
        elsewhere("an ordinary user cannot come to this build")


def elsewhere(reason: str) -> NoReturn:
    """Skips the test, on CI as well, because it can only pass in another environment: with an older
    library, or on another processor."""
    __tracebackhide__ = True
    pytest.skip(ELSEWHERE + reason)


def allowed(reason: str) -> bool:
    """Returns whether a test may be skipped with this reason: on CI only with one given by
    elsewhere()."""
    return not on_ci() or ELSEWHERE in reason


if __name__ == "__main__":
    for ability in ABILITIES:
        print(f"{ability:16} {lacking(ability) or 'yes'}")
