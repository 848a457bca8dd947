"""Tests the module LUSTRE on a simulated Lustre file system: strace replaces the replies of the
kernel to statfs and fgetxattr."""

from __future__ import annotations

import re
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

import lab.environment as lab
import pytest
from hdf5.observe import Observed, finish
from lab.log import read_rows
from logs.pydarshan import compare_with_pydarshan

MIB = 1 << 20
PYTHON = sys.executable
TEXT = "some text\n" * 100
# The reply to statfs on Lustre.
FILE_SYSTEM = struct.pack("<7q", 0x0BD00BD0, 65536, 100, 100, 100, 10, 10)

# strace would also count and answer calls of the runtime that a filter refuses.
pytestmark = pytest.mark.needs("no-filter", "program:strace")


def plain(stripe_size: int, osts: list[int], pattern: int = 1) -> bytes:
    """Returns the bytes of a Lustre layout of version 1 without components. stripe_size: in bytes;
    osts: the storage target of each stripe."""
    head = struct.pack("<IIQQIHH", 0x0BD10BD0, pattern, 1, 2, stripe_size, len(osts), 0)
    return head + b"".join(struct.pack("<QQII", 1, 2, 0, ost) for ost in osts)


def composite(*parts: tuple[int, int, int, bytes]) -> bytes:
    """Returns the bytes of a composite Lustre layout. parts: flags, start and end in bytes, and
    layout of each component."""
    head = struct.pack("<IIIHHHHHHQ", 0x0BD60BD0, 0, 1, 0, len(parts), 0, 0, 0, 0, 0)
    entries, layouts = b"", b""
    behind = len(head) + 48 * len(parts)
    for number, (flags, start, end, layout) in enumerate(parts):
        at = behind + len(layouts)
        entries += struct.pack(
            "<IIQQIIIQI", number + 1, flags, start, end, at, len(layout), 0, 0, 0
        )
        layouts += layout
    return head + entries + layouts


def reply(layout: bytes) -> str:
    """Returns the option of strace that makes the kernel's reply to fgetxattr this layout."""
    return f"retval={len(layout)}:poke_exit=@arg3={layout.hex()}"


@dataclass
class OnLustre:
    """Runs programs in a folder that looks like Lustre to the runtime, by strace."""

    build: Path
    parser: Path
    folder: Path
    log: Path = field(init=False)

    def run(
        self, command: list[str], answer: str = "error=EOPNOTSUPP", f_type: bytes = FILE_SYSTEM
    ) -> Observed:
        """Runs a command in a new folder with a file `data`. Returns its status and output. answer:
        the reply to every query for a layout, as an option of strace; f_type: the reply of
        statfs."""
        work, self.log = self.folder / "work", self.folder / "a.darshan"
        work.mkdir()
        (work / "data").write_text(TEXT)
        tracer = ["strace", "-f", "-o", str(self.folder / "trace")]
        tracer += ["-e", "trace=statfs,fstatfs,fgetxattr"]
        for call in ("statfs", "fstatfs"):
            tracer += ["-e", f"inject={call}:retval=0:poke_exit=@arg2={f_type.hex()}"]
        tracer += ["-e", f"inject=fgetxattr:{answer}"]
        tracer += lab.through_env(lab.settings(self.build, DARSHAN_LOGFILE=str(self.log)))
        return finish([*tracer, *command], work, lab.plain())

    def questions(self) -> int:
        """Returns how often the runtime queried a layout."""
        return len(re.findall(r"fgetxattr\(", (self.folder / "trace").read_text()))

    def row(self, module: str = "LUSTRE") -> dict[str, str]:
        """Returns the counters of the file `data` in a module of the log, as text by names without
        the prefix; {} if it has no record."""
        rows = read_rows(self.parser, self.log, module)
        path = str(self.folder / "work" / "data")
        return {row.short: row.text for row in rows if row.name == path}


@pytest.fixture
def on_lustre(build: Path, parser: Path, tmp_path: Path) -> OnLustre:
    """Returns an object that runs programs in a folder that looks like Lustre."""
    return OnLustre(build, parser, tmp_path)


# Programs that use the file: three times, or without closing it.
THRICE = ["cat", "data", "data", "data"]
OPEN_TO_THE_END = "import os\nos.open('data', os.O_RDONLY)"
# A composite layout that is not complete, and one that is.
GROWING = composite(
    (0x10, 0, 16 * MIB, plain(MIB, [4])), (0, 16 * MIB, (1 << 64) - 1, plain(4 * MIB, []))
)
GROWN = composite(
    (0x10, 0, 16 * MIB, plain(MIB, [4])),
    (0x10, 16 * MIB, (1 << 64) - 1, plain(4 * MIB, list(range(5, 25)))),
)


@pytest.mark.parametrize("program", [["cat", "data"], ["sed", "", "data"]], ids=["fd", "stream"])
def test_plain(program: list[str], on_lustre: OnLustre) -> None:
    """The LUSTRE record of a file has the striping of its layout, which the runtime queries when a
    descriptor or a stream is closed."""
    observed = on_lustre.run(program, reply(plain(4 * MIB, [7, 9])))
    assert (observed.status, observed.stdout) == (0, TEXT)
    assert on_lustre.row() == {
        "NUM_COMPONENTS": "1",
        "NUM_STRIPES": "2",
        "COMP1_STRIPE_SIZE": str(4 * MIB),
        "COMP1_STRIPE_COUNT": "2",
        "COMP1_STRIPE_PATTERN": "raid0",
        "COMP1_FLAGS": "0",
        "COMP1_EXT_START": "0",
        "COMP1_EXT_END": "-1",
        "COMP1_MIRROR_ID": "0",
        "COMP1_POOL_NAME": "N/A",
        "COMP1_OST_ID_0": "7",
        "COMP1_OST_ID_1": "9",
    }
    assert on_lustre.questions() == 1
    if program[0] == "cat":
        assert on_lustre.row("POSIX")["FILE_ALIGNMENT"] == str(MIB)
    assert compare_with_pydarshan(on_lustre.parser, on_lustre.log) > 0


def test_asked_once(on_lustre: OnLustre) -> None:
    """The runtime queries the layout of a file that is opened repeatedly only once if all of its
    objects exist."""
    assert on_lustre.run(THRICE, reply(plain(MIB, [3]))).status == 0
    assert on_lustre.questions() == 1
    assert on_lustre.row()["COMP1_OST_ID_0"] == "3"


def test_growing(on_lustre: OnLustre) -> None:
    """The runtime queries a file whose layout does not yet contain all objects at each close."""
    assert on_lustre.run(THRICE, reply(GROWING)).status == 0
    assert on_lustre.questions() == 3
    row = on_lustre.row()
    assert (row["NUM_COMPONENTS"], row["NUM_STRIPES"]) == ("1", "1")


def test_grown(on_lustre: OnLustre) -> None:
    """The runtime queries a complete composite layout once, and the LUSTRE record has all of its
    objects."""
    assert on_lustre.run(THRICE, reply(GROWN)).status == 0
    assert on_lustre.questions() == 1
    row = on_lustre.row()
    assert (row["NUM_COMPONENTS"], row["NUM_STRIPES"]) == ("2", "21")
    assert [row[f"COMP2_OST_ID_{i}"] for i in range(20)] == [str(ost) for ost in range(5, 25)]


def test_long(on_lustre: OnLustre) -> None:
    """If the layout does not fit into the runtime's first buffer (ERANGE), the runtime queries it
    once more, and not a third time; the program is not affected."""
    assert on_lustre.run(["cat", "data"], "error=ERANGE").stdout == TEXT
    assert on_lustre.questions() == 2
    assert not on_lustre.row()


def test_open_to_the_end(on_lustre: OnLustre) -> None:
    """The runtime queries the layout of a file that is never closed at the end of the process."""
    assert on_lustre.run([PYTHON, "-c", OPEN_TO_THE_END], reply(plain(MIB, [3]))).status == 0
    assert on_lustre.row()["NUM_STRIPES"] == "1"


@pytest.mark.parametrize(
    "answer",
    ["error=ENODATA", "error=EOPNOTSUPP", reply(b"x" * 80), reply(GROWN[:100]), "retval=70000"],
)
def test_no_layout(answer: str, on_lustre: OnLustre) -> None:
    """If the query for the layout fails or its reply is not a layout, the program runs as usual,
    and the log has no LUSTRE record, but a POSIX record."""
    observed = on_lustre.run(["cat", "data"], answer)
    assert (observed.status, observed.stdout, observed.stderr) == (0, TEXT, "")
    assert not on_lustre.row()
    assert on_lustre.row("POSIX")["OPENS"] == "1"


def test_elsewhere(on_lustre: OnLustre) -> None:
    """The runtime does not query the layout of a file on another file system."""
    ext4 = struct.pack("<7q", 0xEF53, 4096, 100, 100, 100, 10, 10)
    assert on_lustre.run(["cat", "data"], f_type=ext4).stdout == TEXT
    assert on_lustre.questions() == 0
    assert on_lustre.row("POSIX")["FILE_ALIGNMENT"] == "4096"
