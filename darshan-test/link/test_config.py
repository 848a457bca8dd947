"""darshan-config has the options that it has in Darshan 3.5.0, and prints values that are true of
the installation."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab.command import finished
from lab.environment import plain, settings

from .runs import Installed, run

# Options whose value is yes or no.
_YES_OR_NO = """
    ld-preload cuserid group-readable-logs mmap-logs null-mod posix-mod stdio-mod dxt-mod
    heatmap-mod mpiio-mod apmpi-mod apmpi-coll-sync hdf5-mod pnetcdf-mod daos-mod bgq-mod
    lustre-mod mdhim-mod ldms-mod rdtscp exit-wrapper
"""
# Options with any value.
_VALUES = """
    zlib-path mem-align log-hints jobid-env username-env mod-mem name-mem hdf5-path
    pnetcdf-path daos-path ldms-path cc log-path log-path-by-env
"""
YES_OR_NO, VALUES = _YES_OR_NO.split(), _VALUES.split()


def told(installed: Installed, *options: str) -> str:
    """Returns the output of darshan-config with these options."""
    return run([installed.command("darshan-config"), *options]).stdout


def test_each_option_of_3_5_0(installed: Installed) -> None:
    """Each option of darshan-config in Darshan 3.5.0 prints one line here, and the output of --all
    contains this line."""
    lines = told(installed, "--all").splitlines()
    every = dict((line + " ").split(" ", 1) for line in lines)
    assert set(every) == {*YES_OR_NO, *VALUES}
    for name, value in every.items():
        assert told(installed, f"--{name}").splitlines() == [value.strip()]
        assert name not in YES_OR_NO or value.strip() in ("yes", "no")
    assert told(installed, "--libs") == told(installed, "--dyn-ld-flags")
    assert re.fullmatch(r"\d[\w.]*\n", told(installed, "--version"))


def test_defaults_are_those_of_the_runtime(installed: Installed) -> None:
    """The default settings that darshan-config prints are those that the runtime itself prints."""
    more = {"DARSHAN_DUMP_CONFIG": "1", "LD_LIBRARY_PATH": str(installed.prefix / "lib")}
    env = plain() | settings(Path("libdarshan.so"), Path(os.devnull), **more)
    done = subprocess.run(["/bin/true"], env=env, capture_output=True, text=True, check=True)
    found = dict(line.split(" ", 1) for line in done.stderr.splitlines() if " " in line)
    for option, setting in (
        ("mem-align", "MEMALIGN"),
        ("mod-mem", "MODMEM"),
        ("name-mem", "NAMEMEM"),
        ("jobid-env", "JOBID"),
    ):
        assert told(installed, f"--{option}").strip() == found[setting]


@pytest.mark.parametrize("option", ["--none", "--posix", "posix-mod", "--[a-z]*", "--"])
def test_an_unknown_option(option: str, installed: Installed) -> None:
    """An unknown option prints nothing but an error that says so, and the exit status is 2."""
    command = [installed.command("darshan-config"), option]
    done = finished(command)
    assert done.returncode == 2 and "unknown option" in done.stderr and not done.stdout
