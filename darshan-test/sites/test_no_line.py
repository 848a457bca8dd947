"""A finding without a line of code says why it has none."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report.call_sites.interpreters import script_of
from lab.compile import SHARED, compile_c
from place import needs

from .test_blamed import findings
from .where import Where

# For each interpreter: the script's file name, its text, the command, and the expected reason.
SCRIPTS = {
    "awk": (
        "log.awk",
        'BEGIN { for (i = 0; i < 8000; i++) { print i >> "log"; close("log") } }\n',
        ["awk", "-f", "log.awk"],
        "awk runs a script, and the log does not have the lines of its script; look in log.awk",
    ),
    "dash": (
        "log.sh",
        "i=0\nwhile [ $i -lt 8000 ]; do echo $i >> log; i=$((i + 1)); done\n",
        ["dash", "log.sh"],
        "dash runs a script, and the log does not have the lines of its script; look in log.sh; "
        "bash instead of dash gives lines",
    ),
    "text": (
        "log",
        "",
        ["awk", 'BEGIN{for(i=0;i<8000;i++){print i>>"log";close("log")}}'],
        'look in its text, "BEGIN{for(i=0;i<8000;i++){print i>>"log";close(\u2026"',
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str, where: Where) -> None:
    """If the log lacks the lines of an interpreter's scripts, the finding says so, and names the
    interpreter and the script."""
    file, text, command, reason = SCRIPTS[name]
    if not shutil.which(command[0]):
        needs(f"program:{command[0]}")
    script = where.folder / file
    script.write_text(text)
    words = [str(script) if word == file else word for word in command]
    where.program.start(*words)
    found = [f for f in findings(where) if f["name"] == "opened-again"]
    assert found and found[0]["line"]["place"] is None
    assert reason in found[0]["line"]["text"]


NATIVE = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *folder) {
  char name[4096];
  for (int i = 0; i < 2000; i++) {
    snprintf(name, sizeof name, "%s/%d", (char *)folder, i);
    int fd = open(name, O_CREAT | O_WRONLY, 0666);
    if (write(fd, name, 100) != 100) break;
    close(fd);
  }
  return NULL;
}

void save(char *folder) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, folder);
  pthread_join(thread, NULL);
}
"""


def test_native_thread_of_a_library(where: Where) -> None:
    """If a thread of a compiled library writes the files, the finding has no line and names the
    library."""
    package = where.folder / "site-packages"
    package.mkdir()
    library = compile_c(package, NATIVE, *SHARED, name="libsaver.so")
    script = where.folder / "main.py"
    script.write_text(
        f"import ctypes, os\nos.mkdir('out')\nctypes.CDLL({str(library)!r}).save(b'out')\n"
    )
    where.program.start(sys.executable, script)
    lines = [f["line"]["text"] for f in findings(where) if f["name"] == "many-small-files"]
    assert lines and "no line: a thread of libsaver.so made these calls" in lines[0]


def test_thread_of_a_library(where: Where) -> None:
    """If a Python library writes the files in a thread of its own, the finding says that no line of
    the user's is involved."""
    package = where.folder / "site-packages"
    package.mkdir()
    (package / "saver.py").write_text(
        "import pathlib\nimport threading\n\n\ndef work(folder):\n"
        "    for number in range(2000):\n"
        "        with pathlib.Path(folder, str(number)).open('w') as file:\n"
        "            file.write('x' * 100)\n\n\n"
        "def save(folder):\n    thread = threading.Thread(target=work, args=(folder,))\n"
        "    thread.start()\n    thread.join()\n"
    )
    script = where.folder / "main.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(package)!r})\nimport os\nimport saver\n"
        "os.mkdir('out')\nsaver.save('out')\n"
    )
    where.program.start(sys.executable, script)
    lines = [f["line"]["text"] for f in findings(where) if f["name"] == "many-small-files"]
    assert lines and "no line: a thread of a library made these calls, through " in lines[0]
    assert "pathlib." in lines[0] or "saver." in lines[0]


def test_installed_program(where: Where) -> None:
    """For an installed program without symbols, the finding shows no address as a line, and says
    where to look."""
    source = where.folder / "copied"
    source.write_bytes(bytes(64 << 20))
    where.program.start("dd", f"if={source}", "of=copy", "bs=512", "status=none")
    lines = [f["line"]["text"] for f in findings(where) if f["line"]]
    assert lines
    for line in lines:
        assert line == "no line: dd is an installed program; look where it is started"


def test_installed_programs_together(where: Where) -> None:
    """`darshan where` explains several installed programs without lines in one sentence, without
    the advice to compile them with -g."""
    (where.folder / "text").write_bytes(b"one line\n" * 4_000_000)
    where.program.start(
        "bash", "-c", f"cd {where.folder}; cat text > copy; dd if=text of=same bs=512 status=none"
    )
    said = " ".join(where.ask().stdout.split())
    assert "No line: cat and dd are installed programs; look where they are started." in said
    assert "compile with -g" not in said and said.count("No line: ") == 1


def test_threads_of_the_java_machine(where: Where) -> None:
    """If a thread of the Java machine itself writes, the finding has no line and names this
    reason."""
    needs("java")
    (where.folder / "Garbage.java").write_text(
        "public class Garbage {\n  public static void main(String[] words) {\n"
        "    for (int i = 0; i < 10; i++) System.gc();\n  }\n}\n"
    )
    subprocess.run(["javac", "Garbage.java"], cwd=where.folder, check=True, timeout=120)
    options = ("-Xlog:gc*=trace:file=log::filecount=0", "-XX:+UseSerialGC", "-Xmx8m")
    where.program.start("java", *options, "-cp", where.folder, "Garbage")
    done = where.ask()
    assert "the Java machine itself made these calls" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("perl -w a.pl x", {"perl": "a.pl"}),
        ("/usr/bin/python3 -u /home/a.py", {"python3": "a.py"}),
        ("perl -e print", {}),
        ("sed -i s/a/b/ file", {}),
        ("./program a.txt", {}),
        ("", {}),
    ],
)
def test_script_of(command: str, script: dict[str, str]) -> None:
    """A command line has this script, by its interpreter. script: the expected result."""
    assert script_of(command) == script


def test_script_by_another_name(tmp_path: Path) -> None:
    """script_of() finds the script in a command line of awk or sh, also under the name of the
    program that runs it, mawk or dash."""
    assert script_of("awk -f a.awk in")["mawk"] == "a.awk"
    assert script_of("sh a.sh")["dash"] == "a.sh"


DEEP = r"""
#include <fcntl.h>
#include <unistd.h>
enum { KNOWN = 4500, MORE = 200000 };
static volatile int depth_of_last;
static int file;
static __attribute__((noinline)) void down(int depth, int calls) {
  if (depth > 0)
    down(depth - 1, calls);
  else
    for (int i = 0; i < calls; i++)
      lseek(file, 0, SEEK_SET);
  depth_of_last = depth;
}
int main(void) {
  file = open("data", O_RDWR | O_CREAT, 0600);
  for (int depth = 0; depth < KNOWN; depth++)
    down(depth, 1);
  down(KNOWN, MORE);
  return close(file);
}
"""


def test_more_stacks_than_are_known(where: Where) -> None:
    """A program uses more stacks than the runtime can remember: of further stacks, the innermost
    frames are the site, so the calls still have their line. The sum over all sites is exact."""
    where.program.start(where.compile(source=DEEP))
    found = where.program.read(where.log)
    assert sum(int(site.row["SEEKS"]) for site in found.sites) == 4500 + 200_000
    assert not any(int(row["SEEKS"]) for row in found.others.values())
    line = DEEP.splitlines().index("      lseek(file, 0, SEEK_SET);") + 1
    said = " ".join(where.ask().stdout.split())
    assert re.search(rf"\w+\.c:{line} ", said) and "No line" not in said


TREE = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
enum { LEVELS = 14, NAMES = 6000 };
static volatile int last;
static int file;
static char page[64];
static __attribute__((noinline)) void visit(int level, long node) {
  if (pread(file, page, sizeof(page), node % 1024 * 64) < 0) abort();
  if (level > 1) {
    visit(level - 1, 2 * node + 1);
    visit(level - 1, 2 * node + 2);
  }
  last = level;
}
static int older(const void *a, const void *b) {
  const char *const *one = a, *const *other = b;
  struct stat first, second;
  if (stat(*one, &first) != 0 || stat(*other, &second) != 0) abort();
  return (int)((*one - *other) * 7919 % 31);
}
int main(void) {
  static const char *name[NAMES];
  file = open("data", O_RDWR | O_CREAT, 0600);
  for (int i = 0; i < NAMES; i++) name[i] = &"././././././././data"[2 * (i % 8)];
  visit(LEVELS, 0);
  qsort(name, NAMES, sizeof(name[0]), older);
  return close(file);
}
"""


def test_recursions_in_two_directions(where: Where) -> None:
    """A tree is read by a function that calls itself at two places, and qsort, which does so, too,
    calls a function that looks files up. Both have thousands of stacks, and few sites: all calls
    have their line."""
    where.program.start(where.compile(source=TREE))
    found = where.program.read(where.log)
    reads = [site for site in found.sites if site.row["READS"]]
    asks = [site for site in found.sites if site.row["LOOKUPS"]]
    assert sum(int(site.row["READS"]) for site in reads) == 2**14 - 1
    assert sum(int(site.row["LOOKUPS"]) for site in asks) > 100_000
    assert len(reads) <= 16 and len(asks) <= 32
    assert not any(row["READS"] or row["LOOKUPS"] for row in found.others.values())
    said = where.ask().stdout
    for text in ("pread(", "stat(*one"):
        line = next(n for n, code in enumerate(TREE.splitlines(), 1) if text in code)
        assert re.search(rf"\.c:{line} ", said)


_SCRIPT = """
open(my $file, '>', 'data') or die;
syswrite($file, 'x') for 1 .. 20000;
"""


def test_start_of_an_interpreter(where: Where) -> None:
    """`darshan where` does not explain the calls of an interpreter's start as sites that exceeded
    the limit."""
    script = where.folder / "script.pl"
    script.write_text(_SCRIPT)
    where.program.start("perl", script)
    assert "than are recorded" not in where.ask().stdout
