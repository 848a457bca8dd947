"""The call sites of a Java program have the line of each call, whether the Java machine interprets
or compiles the method."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from darshan_report.call_sites import installed, java
from darshan_report.call_sites.told import plain_name
from place import needs

from .stacks import Program
from .test_blamed import findings
from .where import SECONDS, Where, line_of

_MARK = re.compile(r"//= (\S+) (\w+) (\d+)$")
_SOURCE = Path(__file__).with_name("Works.java")
# For each kind in a mark, a pattern of the functions of libc that count.
_KINDS = {
    "opens": "open64", "reads": "read|pread64", "writes": "write", "seeks": "lseek64",
    "lookups": r"access|stat(?:64|x)?|__xstat64",
}  # fmt: skip


def _compiled(folder: Path, name: str, text: str, *options: str) -> Path:
    """Compiles a class; returns the folder of its class files. options: of javac; -g if there are
    none."""
    needs("java")
    source, classes = folder / "source" / name, folder / "classes"
    source.parent.mkdir(parents=True)
    source.write_text(text)
    command = ["javac", *(options or ["-g"]), "-d", classes, source]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    return classes


def _ran(where: Where, *command: str | Path) -> None:
    """Runs a Java program with call sites."""
    where.program.start("java", "-XX:-UsePerfData", *command)


@pytest.mark.parametrize(
    "options",
    [[], ["-Xint"], ["-Xcomp"], ["-XX:TieredStopAtLevel=1"], ["-XX:+UseSerialGC"]],
    ids=["as usual", "interpreted", "compiled", "first compiler", "another collector"],
)
def test_lines(options: list[str], where: Where) -> None:
    """Each line of Works.java has the number of calls that its mark states: in inlined methods,
    methods whose compiled code is discarded, recursions, lambdas, threads and reflection. options:
    of java."""
    text = _SOURCE.read_text()
    classes = _compiled(where.folder, "Works.java", text)
    _ran(where, *options, "-cp", classes, "acme.io.Works")
    found: dict[tuple[int, str, str], int] = {}
    for row in where.found()["lines"]:
        place = row["place"]
        if not place or place["file"] != "acme/io/Works.java":
            continue
        for called, some in row["called"].items():
            kind = next((k for k, names in _KINDS.items() if re.fullmatch(names, called)), "")
            key = place["line"], place["function"], kind
            found[key] = found.get(key, 0) + some["calls"]
    marks = {}
    for number, line in enumerate(text.splitlines(), 1):
        if mark := _MARK.search(line):
            marks[number, mark[1], mark[2]] = int(mark[3])
    # A file is opened, and its kind asked for.
    opened = {key: count for key, count in found.items() if key[2] == "opens"}
    assert {key: found.get(key) for key in marks if key[2] != "opens"} == {
        key: count for key, count in marks.items() if key[2] != "opens"
    }
    wanted = {key: count for key, count in marks.items() if key[2] == "opens"}
    assert all(opened.get(key, 0) >= count // 2 for key, count in wanted.items()), opened


BYTES = """import java.io.*;

public class Bytes {
  static void put(OutputStream out) throws IOException {
    for (int i = 0; i < 30000; i++)
      out.write(i); // here
  }
  public static void main(String[] arguments) throws Exception {
    try (OutputStream out = new FileOutputStream("out")) {
      put(out);
    }
  }
}
"""


def test_finding(where: Where) -> None:
    """A finding about a Java program names its line, and the method of the JDK through which it
    made the calls."""
    classes = _compiled(where.folder, "Bytes.java", BYTES)
    _ran(where, "-cp", classes, "Bytes")
    (told,) = [f["line"] for f in findings(where) if f["name"] == "small-accesses-write"]
    assert (told["place"]["file"], told["place"]["line"]) == ("Bytes.java", line_of(BYTES, "here"))
    assert "in Bytes.put (through FileOutputStream.write)" in told["text"]


def test_source_below_the_folder(where: Where) -> None:
    """If a class's source file is in a subfolder of the folder in which the program starts, its
    line has the whole path."""
    classes = _compiled(where.folder, "Bytes.java", BYTES)
    work = where.folder / "work" / "src"
    work.mkdir(parents=True)
    (work / "Bytes.java").write_text(BYTES)
    _ran(where, "-cp", classes, "Bytes")
    files = {row["place"]["file"] for row in where.found()["lines"] if row["place"]}
    assert str(work / "Bytes.java") in files


def test_no_lines_in_the_class(where: Where) -> None:
    """For a class without debug information, frames have the names of its methods, without
    lines."""
    classes = _compiled(where.folder, "Bytes.java", BYTES, "-g:none")
    _ran(where, "-cp", classes, "Bytes")
    done = where.ask()
    assert re.search(r"^Bytes\.class +\d.* 30,000 ", done.stdout, re.MULTILINE), done.stdout
    assert "Bytes.put: write through FileOutputStream.write" in done.stdout


def test_loading_is_an_import(program: Program) -> None:
    """Reads of a class loader belong to the line that needed the class."""
    text = (
        "public class Needs {\n  public static void main(String[] words) {\n"
        "    new Needed(); // here\n  }\n}\n"
    )
    classes = _compiled(program.folder, "Needs.java", text + "class Needed {}\n")
    program.start("java", "-XX:-UsePerfData", "-cp", classes, "Needs")
    (log,) = program.logs()
    line = line_of(text, "here")
    name = f"import;Needs.java:{line}:Needs.main"
    assert name in {site.name for site in program.read(log).sites}


# A C program with variables that have the names of a Java machine's, with other contents.
PRETENDER = """
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
struct entry {
  const char *type, *field, *name;
  int32_t is_static;
  uint64_t offset;
  void *address;
};
struct entry entries[] = {{"CodeCache", "_heaps", "", 1, 8, (void *)16}, {(char *)8, (char *)24}};
void *gHotSpotVMStructs = TABLE;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
uint64_t gHotSpotVMStructEntryTypeNameOffset, gHotSpotVMStructEntryFieldNameOffset = 8;
uint64_t gHotSpotVMStructEntryIsStaticOffset = 24, gHotSpotVMStructEntryOffsetOffset = 32;
uint64_t gHotSpotVMStructEntryAddressOffset = 40;
void *gHotSpotVMTypes = TABLE;
uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct entry);
uint64_t gHotSpotVMTypeEntryTypeNameOffset, gHotSpotVMTypeEntrySizeOffset = 32;
int main(void) {
  close(open("out", O_WRONLY | O_CREAT, 0600)); /* here */
  return 0;
}
"""


@pytest.mark.parametrize("table", ["entries", "(void *)8", "(void *)-8L", "&gHotSpotVMStructs"])
def test_another_program_with_the_names_of_java(table: str, where: Where) -> None:
    """A C program that has variables with the names of a Java machine's does not crash, and its
    call sites have its own lines. table: the value of the variable with the address of the
    structures."""
    program = where.compile("-rdynamic", f"-DTABLE={table}", source=PRETENDER)
    found = where.run(program)
    line = line_of(PRETENDER, "here")
    assert [r["calls"] for r in found["lines"] if r["place"] and r["place"]["line"] == line] == [2]


@pytest.mark.parametrize(
    ("path", "is_library"),
    [
        ("java/io/FileOutputStream.java", True),
        ("kotlin/io/FileReadWrite.kt", True),
        ("org/apache/hadoop/fs/FileSystem.java", True),
        ("<generated>", True),
        ("acme/io/Works.java", False),
        ("Works.class", False),
        ("/home/u/work/java/Works.java", False),
        ("javac.py", False),
    ],
)
def test_libraries(path: str, is_library: bool) -> None:
    """Classes of the JDK and of well-known libraries count as installed software, classes of the
    user do not."""
    assert installed.is_installed(path) == is_library


def test_names() -> None:
    """Methods of constructors, lambdas and static initializers are shown as programmers write
    them."""
    assert java.plain("Works.<init>") == "new Works" == plain_name("new Works")
    assert java.plain("Works.lambda$main$0") == "Works.main.lambda"
    assert java.plain("Works.<clinit>") == "Works.static"
