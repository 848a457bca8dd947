"""Finds effects of a program outside of the copied folder, which a second run would repeat."""

from __future__ import annotations

from collections.abc import Iterator

from ...diagnose.facts import Facts
from ...measure.processes.programs import program_name
from ...units import amount
from ..planning.temporary import is_below, is_temporary

# Programs that start work elsewhere, or talk to other machines.
_ELSEWHERE = frozenset(
    [
        "sbatch",
        "srun",
        "salloc",
        "scancel",
        "qsub",
        "qdel",
        "bsub",
        "bkill",
        "condor_submit",
        "oarsub",
        "flux",
        "msub",
        "docker",
        "podman",
        "kubectl",
        "systemctl",
        "crontab",
        "at",
        "batch",
        "mail",
        "sendmail",
        "ssh",
        "scp",
        "sftp",
        "rsync",
        "curl",
        "wget",
        "aws",
        "gsutil",
        "rclone",
        "psql",
        "mysql",
        "mount",
        "umount",
        "shutdown",
        "reboot",
    ]
)


def side_effects(facts: Facts, folder: str) -> list[str]:
    """Returns a clause for each effect that a run has outside of `folder`, according to the log:
    files written and removed, and programs that start something on other machines. folder: "" if no
    folder is copied."""
    return [*_written(facts, folder), *_removed(facts, folder), *_started(facts)]


def _outside(name: str, folder: str) -> bool:
    return (
        name.startswith("/")
        and not is_below(name, folder)
        and not is_below(name, "/dev")
        and not is_below(name, "/proc")
        and not is_temporary(name)
    )


def _written(facts: Facts, folder: str) -> Iterator[str]:
    """Yields a line for each file outside of `folder` that the program wrote."""
    found: dict[str, float] = {}
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        for place, record in enumerate(table.ids if table is not None else ()):
            name = facts.name(int(record))
            if table is None or not (table["WRITES"][place] or table["BYTES_WRITTEN"][place]):
                continue
            if _outside(name, folder):
                found[name] = found.get(name, 0.0) + float(table["BYTES_WRITTEN"][place])
    for name, written in sorted(found.items()):
        yield f"writes {amount(written)} to {name}"


def _removed(facts: Facts, folder: str) -> Iterator[str]:
    table = facts.table("POSIX_EXT")
    for place, record in enumerate(table.ids if table is not None else ()):
        name = facts.name(int(record))
        if table is None or not _outside(name, folder):
            continue
        if table["UNLINKS"][place] + table["RMDIRS"][place] > 0:
            yield f"removes {name}"


def programs(facts: Facts) -> set[str]:
    """Returns the names of all programs of a run, as users know them."""
    names = {program_name(facts.info.exe)[0]}  # a log of one process has no other list
    names |= {program.name for program in facts.tree.programs} if facts.tree is not None else set()
    return names - {""}


def _started(facts: Facts) -> Iterator[str]:
    for name in sorted(programs(facts) & _ELSEWHERE):
        yield f"starts {name}"
