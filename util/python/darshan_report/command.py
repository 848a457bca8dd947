"""The commands as pip installs them; `make install` has scripts for the same."""

from __future__ import annotations

import os
import resource
import signal
import sys

# Nothing here computes with matrices: threads for that would only spin, and take memory.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _version() -> None:
    """--version, which installed scripts answer themselves."""
    if sys.argv[1:2] == ["--version"]:
        from importlib.metadata import version  # noqa: PLC0415

        print(os.path.basename(sys.argv[0]), version("darshan-report"))
        raise SystemExit(0)


def _prepare() -> None:
    """Ctrl-C ends a command that has only begun, without a word; and Python would keep the
    half of a compiled module that fits, and fall over it ever after."""
    _version()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True
    from .summary import ending  # noqa: PLC0415

    ending.prepare()


def trace() -> int:
    """darshan-trace."""
    _prepare()
    from .events.main import main  # noqa: PLC0415

    return main()


def transfers() -> int:
    """darshan-dxt-analyzer."""
    _prepare()
    from .transfers.main import main  # noqa: PLC0415

    return main()


def _of_lakes(command: str) -> int:
    from .lake.commands.main import main  # noqa: PLC0415

    return main(command)


def collect() -> int:
    """darshan-collect, which ends by signals in a way of its own."""
    _version()
    return _of_lakes("collect")


def ask() -> int:
    """darshan-ask."""
    _prepare()
    return _of_lakes("ask")


def lake() -> int:
    """darshan-lake."""
    _prepare()
    return _of_lakes("lake")


def digest() -> int:
    """darshan-digest."""
    _prepare()
    return _of_lakes("digest")


def serve() -> int:
    """darshan-serve."""
    _prepare()
    return _of_lakes("serve")


def _per_file(folder: str, log: str, *options: str) -> int:
    """Another program, beside this one."""
    name = "darshan-summary-per-file"
    path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), name)
    try:
        os.execv(path, [name, log, folder, *options])
    except OSError as error:
        print(f"darshan-job-summary: {path}: {error.strerror}", file=sys.stderr)
    return 1


def main() -> int:
    """darshan-job-summary, whose first option may name another command."""
    first, more = sys.argv[1:2], sys.argv[2:]
    if first == ["--python-path"]:
        print(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        return 0
    if first == ["--per-file"] and len(more) >= 2:
        return _per_file(*more)
    if first in (["--trace"], ["--transfers"]):
        del sys.argv[1]
        return trace() if first == ["--trace"] else transfers()
    _prepare()
    from .summary.main import main as summary  # noqa: PLC0415

    return summary()
