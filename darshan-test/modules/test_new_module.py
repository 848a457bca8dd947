"""A module of the runtime consists of a folder and two lines in other files. A copy of the template
module works, and so does the module of the how-to page; the compiler or linker names whatever is
missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lab.command import finished
from lab.compile import compile_c
from lab.environment import settings
from lab.log import parsed, rows_in
from tree import SOURCE

HERE = Path(__file__).resolve().parent
PATCH = HERE / "howto" / "add-a-module.patch"
# Files that a new module changes outside of its folder and that of its tests.
OUTSIDE = {"runtime/format/modules.def", "runtime/modules/Makefile.inc", "CONTRIBUTING.md"}
# Name of the new module.
NEW = "yields"


def left_out(folder: str, names: list[str]) -> list[str]:
    """Returns which of the names in a folder are not part of the source tree: built or hidden
    files."""
    top = Path(folder) == SOURCE
    return [
        n for n in names if n == "__pycache__" or (top and n.startswith(("build", ".", "auto")))
    ]


def same(path: Path, folder: Path) -> bool:
    """Returns whether a file of the copy has the same content as in the source tree. folder: top of
    the copy."""
    return path.read_bytes() == (SOURCE / path.relative_to(folder)).read_bytes()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies the source tree and adds a module by the how-to's patch. Checks that, outside of the
    module's folder, the patch changes only the files in OUTSIDE. Returns the copy."""
    folder = tmp_path_factory.mktemp("tree") / "darshan"
    shutil.copytree(SOURCE, folder, ignore=left_out, symlinks=True)
    subprocess.run(["git", "apply", PATCH], cwd=folder, check=True)
    changed = {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and NEW not in path.parts and not same(path, folder)
    }
    assert changed == OUTSIDE
    return folder


@pytest.fixture(scope="module")
def built(tree: Path) -> Path:
    """Compiles the runtime and the parser of the copy, with the template module and the added one.
    Returns the build folder."""
    folder = tree / "build"
    folder.mkdir()
    options = ["--enable-template", "CFLAGS=-O0", "--enable-warnings-as-errors"]
    for command in (
        ["autoreconf", "-fi"],
        [f"{tree}/configure", *options],
        ["make", "-j2", "libdarshan.so", "darshan-parser", "libdarshan-read.so.0"],
    ):
        where = tree if command[0] == "autoreconf" else folder
        done = finished(command, cwd=where)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


def test_the_copy_records(built: Path, tmp_path: Path) -> None:
    """Calls of the template's module and of the new module are in the log, and the parser prints
    their counters."""
    program = compile_c(tmp_path, HERE / "naps.c", name="naps")
    env = os.environ | settings(built, tmp_path, tmp_path)
    subprocess.run([program], env=env, check=True)
    (log,) = tmp_path.glob("*.darshan")
    found = rows_in(parsed(built / "darshan-parser", log))
    rows = {(row.module, row.counter, row.name): row.value for row in found}
    assert rows["TEMPLATE", "TEMPLATE_SLEEPS", "<sleeps>"] == 3
    assert rows["TEMPLATE", "TEMPLATE_F_LONGEST_SLEEP", "<sleeps>"] >= 0.02
    assert rows["YIELDS", "YIELDS_CALLS", "<yields>"] == 2
    assert 0 < rows["YIELDS", "YIELDS_F_LONGEST_CALL", "<yields>"] < 10


# By name: a file of the module, a pattern in it, its replacement, and part of the expected error.
OMISSIONS = {
    "a counter, but the size stays": (
        "yields.def",
        r"\Z",
        'COUNTER(MORE, SUM, COUNT, 1, 0, "more")\n',
        "the bytes in the row of YIELDS",
    ),
    "a counter, but the version stays": (
        "yields.def",
        r"SUM, COUNT, 1",
        "SUM, COUNT, 2",
        "the version of CALLS",
    ),
    "an id that is taken": ("module.def", r"\(96", "(66", "duplicate case value"),
    "an id of the log": ("module.def", r"\(96", "(40", "the id of YIELDS"),
    "no limit": ("module.def", r"_record, 1\)", "_record)", "ANNEX_RECORDS"),
    "no such function": (
        "module.def",
        r"yields_forked",
        "yields_fork",
        "undefined reference to `yields_fork'",
    ),
}


@pytest.mark.parametrize("what", OMISSIONS)
def test_what_is_forgotten_is_named(what: str, tree: Path, tmp_path: Path) -> None:
    """If a part of a new module is missing or wrong, the compiler or the linker reports it, so that
    no log silently lacks its records. what: the omission."""
    file, pattern, instead, named = OMISSIONS[what]
    runtime = tmp_path / "runtime"
    shutil.copytree(tree / "runtime", runtime)
    path = runtime / "modules" / NEW / file
    text = re.sub(pattern, instead, path.read_text(), count=1)
    assert text != path.read_text()
    path.write_text(text)
    folders = [f"-I{runtime}", f"-I{runtime / 'format'}"]
    objects, said = [], ""
    for name in (
        "format/describe.c",
        "format/merge/merge-rules.c",
        "job/modules.c",
        "modules/yields/yields.c",
    ):
        objects.append(tmp_path / f"{Path(name).stem}.o")
        # As the build compiles for a shared library: ld names an undefined function only then.
        command = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-DDARSHAN_GUEST", "-O0", "-fPIC"]
        command += [*folders, "-c"]
        done = finished([*command, runtime / name, "-o", objects[-1]])
        said += done.stderr if done.returncode else ""
    if not said:  # then the linker
        command = ["gcc", "-shared", "-Wl,-z,defs", "-o", tmp_path / "all.so"]
        done = finished([*command, *objects])
        said = done.stderr
    assert named in said


@pytest.mark.always
def test_every_wrapped_function_has_a_test() -> None:
    """A test names each function in a calls.def: in the test folder of its module, or in calls,
    hdf5, modules or mpi."""
    rows = re.compile(r"^[A-Z][A-Z0-9_]*\((\w+)[,)]", re.M)
    for table in sorted(SOURCE.glob("runtime/modules/*/calls.def")):
        module = table.parent.name
        names = (module, "calls", "hdf5", "modules", "mpi")
        folders = [SOURCE / "darshan-test" / name for name in names]
        text = "\n".join(
            path.read_text(errors="replace")
            for folder in folders
            if folder.is_dir()
            for path in folder.rglob("*")
            if path.suffix in {".c", ".h", ".py", ".def", ".f90", ".cc"}
        )
        words = set(re.findall(r"\w+", text))
        missing = [name for name in rows.findall(table.read_text()) if name not in words]
        assert not missing, f"{module}: no test calls {missing}"
