"""The recipe of the conda package (share/conda) and the Containerfile (share/container) agree with
the tree. ./dev full checks both with external tools, and ./dev image builds the container."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tree import SOURCE

RECIPE = SOURCE / "share" / "conda" / "recipe.yaml"
CONTAINER = SOURCE / "share" / "container" / "Containerfile"
SECONDS = 60
# Debian's packages of the parts "build" and "report", and their names in conda-forge; "" for none.
# The recipe compiles libdeflate itself; compilers bring binutils, whose addr2line finds lines
# without elfutils; matplotlib sets reports without LaTeX.
NAMES = {
    "autoconf": "autoconf", "automake": "automake", "gcc": '${{ compiler("c") }}',
    "libc6-dev": '${{ stdlib("c") }}', "make": "make", "pkgconf": "pkg-config",
    "zlib1g-dev": "zlib", "libbz2-dev": "bzip2", "python3": "python", "python3-numpy": "numpy",
    "python3-matplotlib": "matplotlib-base", "libdeflate-dev": "", "binutils": "",
    "texlive-latex-base": "", "lmodern": "", "elfutils": "",
}  # fmt: skip


def rows(*parts: str) -> set[str]:
    """Returns the Debian packages that packages.txt has for some of its parts, such as "build"."""
    lines = [line.split() for line in (SOURCE / "packages.txt").read_text("utf-8").splitlines()]
    return {row[0] for row in lines if len(row) > 1 and row[1] in parts and row[0] != "#"}


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    """Returns the parsed conda recipe."""
    read = yaml.safe_load(RECIPE.read_text("utf-8"))
    assert isinstance(read, dict)
    return read


def test_dependencies_are_those_of_the_tree(recipe: dict[str, Any]) -> None:
    """The recipe needs exactly the packages of packages.txt that building and reports need, by
    their names in conda-forge."""
    assert rows("build", "report") == NAMES.keys()
    needs = recipe["requirements"]
    named = {re.split(r" [<>=]", entry)[0] for entry in needs["build"] + needs["host"]}
    assert named == set(NAMES.values()) - {""}
    assert needs["run"] == ["python", "numpy", "matplotlib-base"]
    assert any(source.get("target_directory") == "libdeflate" for source in recipe["source"])


def test_versions_and_licences(recipe: dict[str, Any]) -> None:
    """The conda recipe has the version of configure.ac and requires its autoconf version. Each
    licence file that it names exists in the tree."""
    text = (SOURCE / "configure.ac").read_text("utf-8")
    version = re.search(r"^AC_INIT\(\[darshan\], \[(.*?)\]", text, re.M)
    autoconf = re.search(r"^AC_PREREQ\(\[(.*?)\]\)", text, re.M)
    assert version and recipe["context"]["version"] == version[1]
    assert autoconf and f"autoconf >={autoconf[1]}" in recipe["requirements"]["build"]
    files = recipe["about"]["license_file"]
    assert all((SOURCE / name).exists() for name in files if not name.startswith("libdeflate/"))
    pyproject = (SOURCE / "pyproject.toml").read_text("utf-8")
    assert all(name in pyproject for name in files if not name.startswith("libdeflate/"))


@pytest.mark.needs("rattler-build")
def test_rattler_build_renders_it(recipe: dict[str, Any]) -> None:
    """The tool rattler-build accepts every key of the conda recipe, and renders it for x86-64 and
    aarch64."""
    import rattler_build  # noqa: PLC0415

    read = rattler_build.Stage0Recipe.from_file(RECIPE)
    for platform in ("linux-64", "linux-aarch64"):
        config = rattler_build.RenderConfig(
            platform=rattler_build.PlatformConfig(target_platform=platform)
        )
        variants = rattler_build.VariantConfig.from_yaml("c_compiler: [gcc]\nc_stdlib: [sysroot]\n")
        (made,) = read.render(variants, config)
        told = made.recipe.to_dict()
        assert told["package"] == {"name": "darshan", "version": recipe["context"]["version"]}
        assert f"gcc_{platform}" in told["requirements"]["build"]


def instructions() -> list[tuple[str, str]]:
    """Returns the instructions of the Containerfile, each as its first word and its arguments on
    one line."""
    text = re.sub(r"^\s*#.*\n", "", CONTAINER.read_text("utf-8"), flags=re.M)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.split()[0], line.partition(" ")[2]) for line in lines if line.strip()]


def test_the_container_installs_what_the_tree_names() -> None:
    """The first stage of the Containerfile installs the packages of packages.txt, and all packages
    of the second stage are in that list."""
    told = instructions()
    stages = [place for place, (word, _) in enumerate(told) if word == "FROM"]
    first, second = told[stages[0] : stages[1]], told[stages[1] :]
    assert all(told[place][1].startswith("docker.io/library/debian:12") for place in stages)
    assert any("./dev install build " in text for word, text in first if word == "RUN")
    (installed,) = [
        match[1]
        for _, text in second
        for match in re.finditer(r"apt-get install -y --no-install-recommends ([\w -]+?) *&&", text)
    ]
    assert set(installed.split()) == rows("report") - {"texlive-latex-base", "lmodern"}
    assert ("COPY", "--from=build /opt/darshan /opt/darshan") in second
    assert any("--prefix=/opt/darshan" in text for _, text in first)


def test_what_the_container_leaves_out() -> None:
    """.dockerignore contains the top-level patterns of .gitignore, and the folder .git, so that no
    built file gets into the container."""
    ignored = (SOURCE / ".gitignore").read_text("utf-8").splitlines()
    left_out = (SOURCE / ".dockerignore").read_text("utf-8").splitlines()
    made = {
        "/configure",
        "/Makefile.in",
        "/build-aux/",
        "/autom4te.cache/",
        "/results/",
        "/build*/",
    }
    assert made <= set(ignored)
    assert {name.rstrip("/") for name in made} | {".git", ".venv"} <= set(left_out)


@pytest.mark.needs("hadolint")
def test_hadolint_finds_nothing() -> None:
    """hadolint, which checks Containerfiles, has no complaint."""
    program = Path(sys.executable).parent / "hadolint"
    done = subprocess.run(
        [program, "--no-color", CONTAINER], capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done
