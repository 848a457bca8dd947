"""The entry points of the commands that pip installs. `make install` installs scripts instead."""

from __future__ import annotations

import os
import resource
import signal
import sys

from .version import VERSION

# The commands do no linear algebra, so threads for it would only use memory and processors.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _version() -> None:
    """If the option is --version, prints the version and exits. Scripts of `make install` do this
    themselves."""
    if sys.argv[1:2] == ["--version"]:
        print(os.path.basename(sys.argv[0]), VERSION)
        raise SystemExit(0)


def _prepare() -> None:
    """Prepares a command: handles --version, and lets Ctrl-C end a starting command without a
    message. If the file size is limited, keeps Python from writing compiled modules, because a
    truncated compiled module would make every later import fail."""
    _version()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True
    from .show import signal_exit  # noqa: PLC0415

    signal_exit.prepare()


def trace() -> int:
    """Runs darshan-trace in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    from .events.main import main  # noqa: PLC0415

    return main()


def where() -> int:
    """Runs darshan-where in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    from .call_sites.commands.main import main  # noqa: PLC0415

    return main()


def annotate() -> int:
    """Runs darshan-annotate in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    from .call_sites.commands.annotate import main  # noqa: PLC0415

    return main()


def try_remedies() -> int:
    """Runs darshan-try in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    from .trial.main import main  # noqa: PLC0415

    here = os.path.dirname(os.path.abspath(sys.argv[0]))
    return main([os.path.join(here, "darshan"), *sys.argv[1:]])


def compare() -> int:
    """Runs darshan-compare in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    from .regression.main import main  # noqa: PLC0415

    return main()


def transfers() -> int:
    """Runs darshan-dxt-analyzer in this process, with the arguments in sys.argv, and returns its
    exit status."""
    _prepare()
    from .transfers.main import main  # noqa: PLC0415

    return main()


def _of_lakes(command: str) -> int:
    from .lake.commands.main import main  # noqa: PLC0415

    return main(command)


def collect() -> int:
    """Runs darshan-collect in this process, with the arguments in sys.argv, and returns its exit
    status. The command installs its own signal handlers."""
    _version()
    return _of_lakes("collect")


def ask() -> int:
    """Runs darshan-ask in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    return _of_lakes("ask")


def lake() -> int:
    """Runs darshan-lake in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    return _of_lakes("lake")


def digest() -> int:
    """Runs darshan-digest in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    return _of_lakes("digest")


def serve() -> int:
    """Runs darshan-serve in this process, with the arguments in sys.argv, and returns its exit
    status."""
    _prepare()
    return _of_lakes("serve")


def _per_file(folder: str, log: str, *options: str) -> int:
    """Replaces this process by darshan-summary-per-file, which writes a report for each file of the
    log `log` into `folder`. options: further arguments. If it cannot be started, prints a message
    and returns 1."""
    from .called import called_as  # noqa: PLC0415

    name = "darshan-summary-per-file"
    path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), name)
    try:
        os.execv(path, [name, log, folder, *options])
    except OSError as error:
        print(f"{called_as('darshan-job-summary')}: {path}: {error.strerror}", file=sys.stderr)
    return 1


def main() -> int:
    """Runs darshan-job-summary. Internal options of `darshan` come first: they start another
    command (--trace, --transfers, --per-file, --first-findings) or print the package's folder
    (--python-path). Returns the exit status, 0 if it succeeds."""
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
    if first == ["--first-findings"]:
        from .report.first_findings import main as first_findings  # noqa: PLC0415

        return first_findings(more)
    from .report.main import main as report  # noqa: PLC0415

    return report()
