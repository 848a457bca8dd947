"""The files of the Debian packages in debian/ agree with the tree. ./dev packages builds and tests
the packages themselves."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab.environment import settings
from tree import SOURCE

# The folder from which Debian's packages are built.
DEBIAN = SOURCE / "debian"
# The example of a configuration file, which a package installs.
EXAMPLE = SOURCE / "doc" / "darshan.conf"
SECONDS = 60


def test_the_version_is_that_of_the_tree() -> None:
    """The newest entry of debian/changelog has the version of configure.ac."""
    tree = re.search(
        r"^AC_INIT\(\[darshan\], \[(.*)\]\)", (SOURCE / "configure.ac").read_text(), re.M
    )
    package = re.match(r"darshan \((.*)\) ", (DEBIAN / "changelog").read_text("utf-8"))
    assert tree and package and package[1] == tree[1]


@pytest.mark.parametrize(("package", "folder"), [("util", "library"), ("read", "reader")])
def test_symbols_are_those_that_a_library_shows(package: str, folder: str) -> None:
    """The symbols file of a library's Debian package is sorted, has all exported symbols, and has
    for each the version in which it first appeared."""
    table = (DEBIAN / f"libdarshan-{package}0.symbols").read_text("utf-8").splitlines()
    assert table[0] == f"libdarshan-{package}.so.0 libdarshan-{package}0 #MINVER#"
    shown = re.findall(r"(\w+);", (SOURCE / "util" / folder / "exports.map").read_text("utf-8"))
    rows = [re.fullmatch(r" (\w+)@Base \d+\.\d+\.\d+", line) for line in table[2:]]
    assert [row and row[1] for row in rows] == sorted(shown)


def test_what_a_package_is_built_with_is_in_the_list() -> None:
    """The build dependencies in debian/control are in packages.txt, whose parts "build" and
    "packages" ./dev packages installs."""
    control = (DEBIAN / "control").read_text("utf-8")
    field = re.search(r"^Build-Depends: (.*?)^\S", control, re.M | re.S)
    assert field
    needed = {re.split(r"[ :(]", entry.strip())[0] for entry in field[1].split(",")}
    rows = [line.split() for line in (SOURCE / "packages.txt").read_text("utf-8").splitlines()]
    listed = {row[0] for row in rows if len(row) > 2 and row[1] in {"build", "packages", "test"}}
    other = {"debhelper-compat": "debhelper", "dh-sequence-python3": "dh-python"}
    assert {other.get(name, name) for name in needed} <= listed


def test_the_example_of_settings(build: Path, tmp_path: Path) -> None:
    """The example configuration file of the runtime has only comments, so it changes nothing.
    Without the # at the beginning of its lines, the runtime accepts all settings."""
    text = EXAMPLE.read_text("utf-8")
    directives = re.findall(r"^#([A-Z_]+) ", text, re.M)
    assert len(directives) > 9
    assert not re.search(r"^[^#\n]", text, re.M)
    dumps = []
    for number, form in enumerate((text, re.sub(r"^#(?=[A-Z_]+ )", "", text, flags=re.M))):
        config, log = tmp_path / f"{number}.conf", tmp_path / f"{number}.log"
        config.write_text(form)
        env = settings(
            build, journals=tmp_path, DARSHAN_CONFIG_PATH=str(config), DARSHAN_LOGFILE=str(log),
            DARSHAN_DUMP_CONFIG="1", DARSHAN_SAMPLE_JOBS="1",
        )  # fmt: skip
        done = subprocess.run(
            ["cat", os.devnull], env=os.environ | env, capture_output=True, text=True,
            timeout=SECONDS, check=True,
        )  # fmt: skip
        assert log.exists()
        assert "darshan_library_warning" not in done.stderr
        dumps.append(done.stderr)
    assert set(directives) <= {line.split()[0] for line in dumps[1].splitlines() if line}
    assert dumps[0] != dumps[1]
