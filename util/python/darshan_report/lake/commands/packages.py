"""The Python packages that the commands of lakes need, and how to install missing ones.

Debian's Python refuses packages from pip, and Debian 12 has neither pyarrow nor duckdb. So an
installed Darshan uses them from a virtual environment, whose Python DARSHAN_PYTHON names. A Python
with the wheel of darshan-report uses its own packages."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import metadata

REPORT = ("numpy", "matplotlib")
CENTRE = ("pyarrow", "duckdb")
# The modules of packages that have another name than their module.
_PROJECTS = {"distributed": "dask[distributed]"}
ENVIRONMENT = "~/darshan-centre"


def missing(modules: Sequence[str]) -> list[str]:
    """Returns which of the modules this Python lacks. Raises ImportError if a module exists but
    cannot be imported."""
    absent = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            absent.append(module)
    return absent


def advice(absent: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the end of a sentence ("install it with"), and the commands that install the missing
    modules, for this kind of Python: from the wheel, a virtual environment, or the system."""
    python = shlex.quote(sys.executable)
    if _is_wheel():
        return "install it with", [f"{python} -m pip install 'darshan-report[centre]'"]
    if sys.prefix != sys.base_prefix:
        return "install it with", [f"{python} -m pip install {_projects(CENTRE, absent)}"]
    return (
        "make a virtual environment with all packages for lakes (Debian: needs python3-venv), and "
        "name its Python in DARSHAN_PYTHON",
        [
            f"python3 -m venv {ENVIRONMENT}",
            f"{ENVIRONMENT}/bin/pip install {_projects(REPORT + CENTRE, absent)}",
            f"export DARSHAN_PYTHON={ENVIRONMENT}/bin/python",
        ],
    )


def _projects(usual: Sequence[str], absent: Sequence[str]) -> str:
    """Returns the names by which pip installs modules, quoted for a shell. usual: modules that are
    always installed, too."""
    modules = dict.fromkeys([*usual, *absent])
    return " ".join(shlex.quote(_PROJECTS.get(module, module)) for module in modules)


def _is_wheel() -> bool:
    """Returns whether this package was installed by pip."""
    try:
        report = metadata.distribution("darshan-report")
        found = str(report.locate_file("darshan_report/__init__.py"))
    except metadata.PackageNotFoundError:
        return False
    here = os.path.join(os.path.dirname(__file__), "../../__init__.py")
    return os.path.exists(found) and os.path.samefile(found, here)
