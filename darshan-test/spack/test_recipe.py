"""The Spack recipe agrees with configure and packages.txt, and its functions compile, install and
test the package if they are called as by Spack. Spack itself is not used, but a stand-in
(standin/)."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sample import everything

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
# The repository of the recipe.
REPO = TREE / "share" / "spack" / "spack_repo" / "darshan_rebuilt"
RECIPE = REPO / "packages" / "darshan" / "package.py"
# Debian's build dependencies, and their names in Spack; "" for those that Spack always has.
DEPENDENCIES = {
    "autoconf": "autoconf", "automake": "automake", "gcc": "c", "make": "gmake",
    "pkgconf": "pkgconfig", "zlib1g-dev": "zlib", "libbz2-dev": "bzip2",
    "libdeflate-dev": "libdeflate", "python3": "python", "binutils": "", "libc6-dev": "",
    "python3-numpy": "py-numpy", "python3-matplotlib": "py-matplotlib",
    "texlive-latex-base": "texlive", "lmodern": "texlive", "libcmocka-dev": "cmocka",
    "elfutils": "elfutils",
}  # fmt: skip


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    """Yields the module of Darshan's recipe, imported as Spack does, with the stand-in's modules in
    the path."""
    before = dict(sys.modules)
    sys.path.insert(0, str(HERE / "standin"))
    for name in [name for name in sys.modules if name.split(".")[0] in ("spack", "spack_repo")]:
        del sys.modules[name]
    name = "spack_repo.darshan_rebuilt.packages.darshan.package"
    made = importlib.util.spec_from_file_location(name, RECIPE)
    assert made and made.loader
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    yield module
    sys.path.remove(str(HERE / "standin"))
    for name in set(sys.modules) - set(before):
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture(scope="module")
def said(recipe: ModuleType) -> Any:
    """Returns the directives of Darshan's Spack recipe."""
    return sys.modules["spack.package"].said


def package(recipe: ModuleType, stage: Path, prefix: str = "/none", **values: Any) -> Any:
    """Returns the package of the recipe with a concrete spec. stage: folder of the unpacked source;
    values: variants that differ from their defaults."""
    standin = sys.modules["spack_repo.builtin.build_systems.autotools"]
    variants = {
        name: row["default"] for name, row in sys.modules["spack.package"].said.variants.items()
    }
    spec = standin.Spec({**variants, **values}, "4.0.0", {"python": sys.executable})
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "DARSHAN"))
    }
    return recipe.Darshan(spec, prefix, stage, env)


def test_names(recipe: ModuleType, said: Any) -> None:
    """In the Spack repository, the recipe's class is named after its folder, and its version, URL
    and licence are those of the tree."""
    assert (REPO / "repo.yaml").read_text().split() == [
        "repo:", "namespace:", REPO.name, "api:", "v2.0",
    ]  # fmt: skip
    assert RECIPE.parent.name == recipe.Darshan.__name__.lower()
    version = (TREE / "configure.ac").read_text().split("AC_INIT([darshan], [")[1].split("]")[0]
    assert version in said.versions and recipe.Darshan.url.endswith(f"/darshan-{version}.tar.xz")
    assert TREE.as_uri() == recipe.Darshan.git and said.licenses == ["BSD-3-Clause"]


def test_configure_knows_the_arguments(recipe: ModuleType, said: Any, tmp_path: Path) -> None:
    """configure knows the options that the Spack recipe passes for every value of every variant."""
    known = subprocess.run(
        [TREE / "configure", "--help"], capture_output=True, text=True, check=True
    )
    found = set()
    for name, row in said.variants.items():
        values = row["values"] if isinstance(row["values"], tuple) else [True, False]
        for value in ["/logs"] if callable(row["values"]) else values:
            args = package(recipe, tmp_path, **{name: value}).configure_args()
            found |= {arg.split("=")[0].replace("--disable", "--enable") for arg in args}
    assert found == {
        "--with-jobid-env",
        "--with-log-path",
        "--enable-group-readable-logs",
        "PYTHON",
    }
    assert all(option in known.stdout for option in found - {"PYTHON"})
    is_right = said.variants["logpath"]["values"]
    assert is_right("none") and is_right("/logs") and not is_right("logs")


def test_dependencies_are_those_of_the_tree(said: Any) -> None:
    """The recipe needs exactly the packages of packages.txt that building and reports need, by
    their names in Spack."""
    rows = [line.split() for line in (TREE / "packages.txt").read_text().splitlines()]
    needed = {row[0] for row in rows if row[1:2] in (["build"], ["report"])}
    assert needed == DEPENDENCIES.keys() - {"libcmocka-dev"}
    names = {spec.split()[0].split("@")[0] for spec, _ in said.dependencies}
    assert names == set(DEPENDENCIES.values()) - {""}


def test_loading_it(recipe: ModuleType, tmp_path: Path) -> None:
    """Loading the Spack package preloads the runtime only if the variant `preload` is set, after
    libraries that are preloaded already."""
    modifications = sys.modules["spack.package"].EnvironmentModifications
    for asked, expected in ((False, "other.so"), (True, "other.so:/none/lib/libdarshan.so")):
        env, changes = {"LD_PRELOAD": "other.so"}, modifications()
        package(recipe, tmp_path, preload=asked).setup_run_environment(changes)
        changes.apply(env)
        assert env == {"LD_PRELOAD": expected}


def unpack(build: Path, folder: Path) -> Path:
    """Makes the source package with `make dist`, and unpacks it into a folder as Spack does.
    Returns the unpacked folder."""
    subprocess.run(
        ["make", "-s", "-C", build, "dist"], env={**os.environ, "XZ_OPT": "-1"},
        capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    (archive,) = build.glob("darshan-*.tar.xz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder)
    (stage,) = folder.iterdir()
    return stage


if everything():

    @pytest.mark.parametrize(
        "values",
        [{}, {"report": False, "preload": True, "group_readable": True, "scheduler": "pbs"}],
        ids=["defaults", "others"],
    )
    def test_install(
        values: dict[str, Any], recipe: ModuleType, build: Path, tmp_path: Path
    ) -> None:
        """The Spack recipe compiles, installs and tests the package by its phases, environment and
        package tests, as `spack install --test=root` would. values: variants."""
        said = sys.modules["spack.package"].said
        if values:
            values = {**values, "logpath": str(tmp_path / "logs")}
        stage = unpack(build, tmp_path / "stage")
        digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]
        prefix = tmp_path / "opt" / f"darshan-4.0.0-{digest}"
        made = package(recipe, stage, str(prefix), **values)
        for phase in made.phases:
            getattr(made, phase)()
        shutil.rmtree(stage)
        changes = sys.modules["spack.package"].EnvironmentModifications()
        made.setup_run_environment(changes)
        env = {"PATH": f"{prefix}/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
        changes.apply(env)
        assert ("LD_PRELOAD" in env) is bool(values)
        tests = [name for name in dir(made) if name.startswith("test_")]
        assert len(tests) == 2
        for name in tests:
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(tmp_path)
                try:
                    getattr(made, name)()
                except sys.modules["spack.package"].SkipTest:
                    assert name == "test_report" and not values.get("report", True)
        asked = subprocess.run(
            ["darshan-config", "--jobid-env", "--group-readable-logs", "--log-path"],
            env=env, capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        expected = (
            ["PBS_JOBID", "yes", str(tmp_path / "logs")] if values else ["SLURM_JOB_ID", "no", ""]
        )
        assert asked == expected and said.licenses
