"""The command language of h5edit: written values are right, and invalid commands change nothing."""

from __future__ import annotations

import fcntl
import struct
import subprocess
from pathlib import Path

import pytest
from edit_atomicity import LEVELS, Study
from instrumented import Lab, digest

# Bytes of the files.
SIZE = 100_000
TYPES = {  # HDF5's types with extreme values, and their output by h5dump
    "H5T_STD_I8": ("-128 127", "-128, 127"),
    "H5T_STD_U8": ("0 255", "0, 255"),
    "H5T_STD_I16": ("-32768 32767", "-32768, 32767"),
    "H5T_STD_U16": ("0 65535", "0, 65535"),
    "H5T_STD_I32": ("-2147483648 2147483647", "-2147483648, 2147483647"),
    "H5T_STD_U32": ("0 4294967295", "0, 4294967295"),
    "H5T_STD_I64": ("-9223372036854775808 7", "-9223372036854775808, 7"),
    "H5T_STD_U64": ("1 18446744073709551615", "1, 18446744073709551615"),
    "H5T_IEEE_F32": ("-0.5 1e10", "-0.5, 1e+10"),
    "H5T_IEEE_F64": ("0.25 -1e-300", "0.25, -1e-300"),
}
# A valid command.
GOOD = "CREATE /a {H5T_STD_I8LE DATA {1}};\n"
# Invalid second command: place and text of the message.
BAD = {
    "CREATE /b {H5T_STD_I8LE DATA {1}}": "2:34: ';' is missing here",
    "CHANGE /b {H5T_STD_I8LE DATA {1}};": "2:1: CREATE is missing here",
    "CREATE b {H5T_STD_I8LE DATA {1}};": "2:8: a path begins with /",
    "CREATE /data0/ {H5T_STD_I8LE DATA {1}};": "2:8: the path does not end with a name",
    "CREATE /b {INT DATA {1}};": "2:12: 'INT' is not a type",
    "CREATE /b {H5T_STD_I8LE (2 x) DATA {1}};": "2:28: no dimension",
    "CREATE /b {H5T_STD_I8LE () DATA {1}};": "2:26: no dimension",
    "CREATE /b {H5T_STD_I8LE (0) DATA {1}};": "2:26: no such dimension of an attribute",
    "CREATE /b {H5T_STD_I8LE (2) DATA {1}};": "2:36: 2 values are needed, here end 1",
    "CREATE /b {H5T_STD_I8LE (2) DATA {1\n 2 3}};": "3:4: more than the 2 values of the dims",
    "CREATE /b {H5T_STD_I8LE DATA {1x}};": "2:31: '1x' is not a value of H5T_STD_I8LE",
    "CREATE /b {H5T_STD_I8LE DATA {128}};": "2:31: 128 does not fit into H5T_STD_I8LE",
    "CREATE /b {H5T_STD_U8LE DATA {-1}};": "2:31: -1 does not fit into H5T_STD_U8LE",
    "CREATE /b {H5T_IEEE_F32BE DATA {1e39}};": "2:33: 1e39 does not fit into H5T_IEEE_F32BE",
    "CREATE /none/b {H5T_STD_I8LE DATA {1}};": "2:8: the file has no object /none",
    "CREATE /a {H5T_STD_I8LE DATA {1}};": "2:8: line 1 creates this attribute, too",
    "CREATE //a {H5T_STD_I8LE DATA {1}};": "2:8: line 1 creates this attribute, too",
    "CREATE /b {H5T_IEEE_F64LE (9000) DATA {" + "1 " * 9000 + "}};": (
        "2:8: an attribute holds at most 64,000 bytes"
    ),
}


@pytest.fixture
def study(lab: Lab) -> Study:
    """Returns the study without syncing, which these tests do not need."""
    return Study(lab, ("--no-sync",))


def execute(study: Study, level: str, path: Path, text: str) -> tuple[int, str]:
    """Runs h5edit on a file with the commands of `text`. Returns its exit status, and stderr
    without "h5edit: COMMAND-FILE:". level: of protection."""
    commands = study.lab.folder / "commands"
    commands.write_text(text)
    done = subprocess.run(
        study.command(level, path, commands), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr.replace(f"h5edit: {commands}:", "")


def test_types(study: Study) -> None:
    """h5dump reads the attributes that h5edit wrote, of every type in both byte orders, with the
    right values."""
    path = study.make("types.h5", SIZE)
    names = [f"{name}{order}" for name in TYPES for order in ("LE", "BE")]
    text = "".join(
        f"CREATE /data0/{n} {{{n} (1, 2) DATA {{{TYPES[n[:-2]][0]}}}}}; # {n}\n" for n in names
    )
    assert execute(study, "yes", path, text) == (0, "")
    for name in names:
        dumped = subprocess.run(
            ["h5dump", "-a", f"/data0/{name}", path], capture_output=True, text=True, check=True
        ).stdout
        assert f"DATATYPE  {name}\n" in dumped
        assert "( 1, 2 ) / ( 1, 2 )" in dumped
        assert f"(0,0): {TYPES[name[:-2]][1]}\n" in dumped


@pytest.mark.parametrize("bad", BAD, ids=BAD.values())
def test_bad_command_changes_nothing(study: Study, bad: str) -> None:
    """If the second command is invalid, h5edit executes none: it prints the mistake, and leaves the
    file and no backup."""
    path = study.make("bad.h5", SIZE)
    before = digest(path)
    for level in LEVELS:
        status, said = execute(study, level, path, GOOD + bad)
        assert (status, said) == (1, f"{BAD[bad]}; nothing was changed\n")
        assert digest(path) == before
        assert not list(path.parent.glob(".bad.h5*"))


def test_existing_attribute(study: Study) -> None:
    """h5edit refuses a command for an attribute that exists, with line and column, and changes
    nothing."""
    path = study.make("twice.h5", SIZE)
    assert execute(study, "delta", path, GOOD) == (0, "")
    before = digest(path)
    status, said = execute(study, "delta", path, GOOD)
    assert (status, said) == (1, "1:8: / has an attribute a already; nothing was changed\n")
    assert digest(path) == before


def test_not_hdf5(study: Study) -> None:
    """h5edit exits with 1 for a file that is not HDF5, and leaves it unchanged."""
    path = study.lab.folder / "text.h5"
    path.write_text("no HDF5")
    status, said = execute(study, "yes", path, GOOD)
    assert (status, said) == (1, f"h5edit: {path} is not an HDF5 file that can be read\n")
    assert path.read_text() == "no HDF5"


def test_failure_of_hdf5_is_rolled_back(study: Study) -> None:
    """If HDF5 itself rejects a command (name and data are too large together), the file is as
    before the edit; with `inc`, as after the last executed command."""
    path = study.make("refused.h5", SIZE)
    before = path.read_bytes()
    assert execute(study, "no", path, GOOD) == (0, "")
    after_first = path.read_bytes()
    large = f"CREATE /{'n' * 3000} {{H5T_STD_I8LE (64000) DATA {{{'1 ' * 64000}}}}};"
    said = {
        "no": "the file has no backup",
        "yes": "the file is as it was",
        "inc": "those before it are done",
        "delta": "the file is as it was",
    }
    for level in LEVELS:
        path.write_bytes(before)
        expected = f"h5edit: {path}: command 2 failed; {said[level]}\n"
        assert execute(study, level, path, GOOD + large) == (1, expected)
        if level != "no":
            assert path.read_bytes() == (after_first if level == "inc" else before)
        assert not list(path.parent.glob(".refused.h5*"))


def test_one_editor_at_a_time(study: Study) -> None:
    """h5edit exits with 1 for a file that another editor has locked, and leaves it unchanged."""
    path = study.make("locked.h5", SIZE)
    before = digest(path)
    with path.open("r+b") as stream:
        fcntl.fcntl(stream, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        assert execute(study, "delta", path, GOOD) == (1, f"h5edit: {path} is being edited\n")
    assert digest(path) == before
