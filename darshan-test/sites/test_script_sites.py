"""Call sites of bash and Perl scripts: each call belongs to its line. Also processes that scripts
start one by one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from darshan_report.call_sites import installed
from lab.command import finished_in_bytes
from place import needs

from . import scripts
from .stacks import Outcome, Program
from .test_blamed import findings
from .where import SECONDS, Where, line_of

_MARK = re.compile(r"#= (\S+) (\w+) (\d+)$")


def marks(path: Path, text: str) -> dict[tuple[str, str], int]:
    """Returns the expected calls of a script by (frame, kind), from the marks in its text. path: of
    the script in frames."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if mark := _MARK.search(line):
            function = mark[1].replace(":", "%3A")
            found[f"{path}:{number}:{function}", mark[2]] = int(mark[3])
    return found


def innermost(outcome: Outcome) -> Counter[tuple[str, str]]:
    """Returns the number of calls in a log by (innermost script line, kind). Forks, and opens for
    an import, are kinds of their own."""
    found: Counter[tuple[str, str]] = Counter()
    for site in outcome.sites:
        called, *frames = site.name.split(";")
        line = next((frame for frame in frames if ":" in frame), "")
        if called == "import":
            found[line, "import"] += int(site.row["OPENS"])
        elif called == "fork":
            found[line, "fork"] += int(site.row["OTHERS"])
        else:
            for kind in ("OPENS", "READS", "WRITES", "LOOKUPS", "OTHERS"):
                found[line, kind] += int(site.row[kind])
    return found


def run(program: Program, text: str, name: str, *command: str, **more: str) -> Outcome:
    """Runs a script in the folder "work" with call sites recorded. name: of the script; command:
    the interpreter; more: further files by name, with __ in place of the dot. Returns the contents
    of the log."""
    if not shutil.which(command[0]):
        needs(f"program:{command[0]}")
    work = program.folder / "work"
    work.mkdir()
    for file, content in {name: text, **more}.items():
        (work / file.replace("__", ".")).write_text(content)
    program.start(*command, name)
    (log,) = program.logs()
    return program.read(log)


def compare(outcome: Outcome, wanted: dict[tuple[str, str], int]) -> None:
    """Checks that the log has the number of calls for each of these marks."""
    found = innermost(outcome)
    assert {key: found[key] for key in wanted} == wanted, sorted(found.items())


def of_all(program: Program, **texts: str) -> dict[tuple[str, str], int]:
    """Returns the marks of several scripts: the number of calls of each line."""
    wanted: dict[tuple[str, str], int] = {}
    for name, text in texts.items():
        wanted.update(marks(program.folder / "work" / name.replace("__", "."), text))
    return wanted


def test_bash(program: Program) -> None:
    """The lines of a bash script are right for redirections, functions, a sourced file, loops,
    children and subshells."""
    outcome = run(program, scripts.BASH, "main.sh", "bash", lib__sh=scripts.LIBRARY)
    compare(outcome, of_all(program, main__sh=scripts.BASH, lib__sh=scripts.LIBRARY))
    folder = program.folder / "work"
    called = line_of(scripts.BASH, "from::library a")
    name = f"open;{folder}/lib.sh:2:from%3A%3Alibrary;{folder}/main.sh:{called}:main"
    assert [site for site in outcome.sites if site.name == name], "its callers are in the name"


def test_perl(program: Program) -> None:
    """The lines of a Perl script are right for a module, conditions of loops, eval, sort, a
    function without a name, and child processes."""
    outcome = run(program, scripts.PERL, "main.pl", "perl", Slurp__pm=scripts.MODULE)
    compare(outcome, of_all(program, main__pl=scripts.PERL, Slurp__pm=scripts.MODULE))
    folder = program.folder / "work"
    called = line_of(scripts.PERL, "my $text = eval")
    assert any(
        site.name.endswith(f":slurp;<eval>:2:(eval);{folder}/main.pl:{called}:main")
        for site in outcome.sites
    )


# Runs files one after the other: each statement is freed, and the next made at its address.
ONE_AFTER_THE_OTHER = r"""
use Time::HiRes 'sleep';
my $text = "sleep 0.004;\nfor my \$i (1..25) { sysread(\$main::f, my \$b, 10); }\n1;\n";
for my $n (10..49) { open(my $o, '>', "s$n.pl"); print $o $text; close $o; }
for my $n (10..49) { open(our $f, '<', $0); do "./s$n.pl"; close $f; }
"""


def test_statements_of_the_same_address(program: Program) -> None:
    """Each file that Perl runs has its own calls, although all have the same stack."""
    outcome = run(program, ONE_AFTER_THE_OTHER, "main.pl", "perl")
    found = {
        Path(place.split(":")[0]).name: count
        for (place, kind), count in innermost(outcome).items()
        if kind == "READS" and ".pl:2:" in place
    }
    assert found == {f"s{number}.pl": 25 for number in range(10, 50)}


def test_threads_of_perl(program: Program) -> None:
    """The lines of a Perl script with threads are right, although each thread has a separate
    interpreter."""
    if not shutil.which("perl"):
        needs("program:perl")
    has = finished_in_bytes(["perl", "-Mthreads", "-e", "1"])
    assert has.returncode == 0, "Debian's perl has threads"
    outcome = run(program, scripts.THREADS, "main.pl", "perl")
    compare(outcome, of_all(program, main__pl=scripts.THREADS))


@pytest.mark.parametrize(
    ("command", "text", "wanted"),
    [
        (["bash", "-c"], "f() {\n  echo 1 > a\n}\nf", "open;<bash -c>:2:f;<bash -c>:4:main"),
        (["perl", "-e"], "\nopen(my $o, '>', 'a');", "open64;<perl -e>:2:main"),
    ],
)
def test_text_of_the_command(command: list[str], text: str, wanted: str, program: Program) -> None:
    """The lines of a script text (bash -c, perl -e) have a name such as <perl -e>."""
    if not shutil.which(command[0]):
        needs(f"program:{command[0]}")
    program.start(*command, text)
    (log,) = program.logs()
    assert wanted in {site.name for site in program.read(log).sites}


def test_no_array(program: Program) -> None:
    """If a bash script unsets FUNCNAME, its calls are recorded without lines, and no error
    occurs."""
    text = "unset FUNCNAME\necho 1 > a\nf() { echo 2 > b; }\nf\n"
    outcome = run(program, text, "main.sh", "bash")
    opened = [site.name for site in outcome.sites if site.name.startswith("open;")]
    assert opened and not any("main.sh" in name for name in opened)


# A C program with variables that have the names of bash's.
PRETENDER = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
const char *dist_version = VERSION;
int line_number = 7;
char *shell_script_filename = "x", *command_execution_string;
void *find_variable(void) { return 0; }
struct { void *name, *flags, *up, *down, *table; } context;
struct { void **buckets; int size; } table = {0, 1024};
void *global_variables = &context;
static void put(void) {
  close(open("out", O_WRONLY | O_CREAT, 0600));
}
int main(void) {
  put();
  context.table = &table;
  put();
  table.buckets = (void **)0x10000;
  put();
  table.buckets = calloc(1024, sizeof(void *));
  for (int i = 0; i < 1024; i++) {
    void **item = calloc(5, sizeof(void *));
    item[0] = item; /* a circle */
    item[3] = (void *)(long)i;
    table.buckets[i] = item;
  }
  put();
  global_variables = (void *)-8L;
  put();
  return 0;
}
"""


@pytest.mark.parametrize("version", ['"5.2"', "(const char *)8", "0"])
def test_another_program_with_the_names_of_bash(version: str, where: Where) -> None:
    """A C program that has variables with the names of bash's does not crash, and its call sites
    have its own lines. version: the value of the version's variable."""
    program = where.compile("-rdynamic", f"-DVERSION={version}", source=PRETENDER)
    found = where.run(program)
    line = line_of(PRETENDER, "close(open(")
    assert [r["calls"] for r in found["lines"] if r["place"] and r["place"]["line"] == line] == [10]


def together(where: Where, *command: str | Path) -> None:
    """Runs a command by `darshan run --sites`, so that all of its processes share one log."""
    darshan = where.program.build / "darshan"
    (where.folder / "work").mkdir()
    subprocess.run(
        [darshan, "run", "--sites", "-o", where.folder / "logs", *command],
        cwd=where.folder / "work", capture_output=True, timeout=SECONDS, check=True,
    )  # fmt: skip


EACH = """#!/bin/bash
squeeze() {
  for f in in-*; do
    gzip -f "$f" # here
  done
}
for i in {1..120}; do
  echo "$i" > "in-$i"
done
squeeze
"""
EACH_PERL = """for my $i (1 .. 120) {
  open(my $o, '>', "in-$i"); print $o "$i\\n"; close $o;
}
for my $name (glob('in-*')) {
  system('gzip', '-f', $name); # here
}
"""


EACH_PYTHON = """import subprocess
for number in range(120):
    open(f"in-{number}", "w").write("1")
for number in range(120):
    subprocess.run(["gzip", "-f", f"in-{number}"])  # here
"""


@pytest.mark.parametrize(
    ("text", "command", "called"),
    [
        (EACH, "bash", "fork"),
        (EACH_PERL, "perl", "fork"),
        (EACH_PYTHON, sys.executable, "waitpid"),  # of a child of vfork
    ],
    ids=("bash", "perl", "python"),
)
def test_a_process_for_each_item(text: str, command: str, called: str, where: Where) -> None:
    """If a script starts a process for each item of a loop, the finding `process-each` names the
    line that starts them. called: the call that is recorded for this line."""
    for name in (command, "gzip"):
        if not shutil.which(name):
            needs(f"program:{name}")
    script = where.folder / "each"
    script.write_text(text)
    together(where, command, script)
    (found,) = [f for f in findings(where) if f["name"] == "process-each"]
    place = found["line"]["place"]
    assert (place["file"], place["line"]) == (str(script), line_of(text, "# here"))
    assert found["line"]["text"].endswith(": these 120 starts")
    (row,) = (r for r in where.found()["lines"] if r["place"] == place)
    assert row["called"][called]["calls"] == 120


def test_an_installed_program_has_the_line_that_started_it(where: Where) -> None:
    """A finding about an installed program without lines names the line of the script that started
    it."""
    script = where.folder / "copy.sh"
    text = (
        "head -c 60000000 /dev/zero > a\nfor i in 1 2 3; do\n  dd if=a of=b bs=512 # here\ndone\n"
    )
    script.write_text(text.replace("bs=512", "bs=512 status=none"))
    together(where, "bash", script)
    told = [f["line"] for f in findings(where) if f["name"].startswith("small-accesses")]
    assert told and told[0]["place"]["line"] == line_of(text, "# here")
    assert "which starts dd" in told[0]["text"]


@pytest.mark.parametrize("order", ["behind", "between"])
def test_other_programs_do_not_have_its_line(where: Where, order: str) -> None:
    """A finding about a program names the line that started this program, also if other lines of
    the script start as many or more processes of other programs. order: whether those lines come
    behind or around it."""
    loop = "for i in {1..40}; do\n  wc -c < a\ndone > sizes\n"
    dd = "dd if=a of=b bs=16 status=none # here\n"
    text = f"head -c 2000000 /dev/zero > a\n{loop}{dd}"
    text += "cksum < a\n" if order == "behind" else loop
    script = where.folder / "cut.sh"
    script.write_text(text)
    together(where, "bash", script)
    told = [f["line"] for f in findings(where) if f["name"].startswith("small-accesses")]
    assert told and told[0]["place"]["line"] == line_of(text, "# here"), told


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/usr/lib/x86_64-linux-gnu/perl/5.36/Digest/SHA.pm", "Digest::SHA::f"),
        ("/usr/share/perl5/YAML.pm", "YAML::f"),
        ("/home/u/perl5/lib/perl5/x86_64-linux-gnu-thread-multi/DBI/DBD.pm", "DBI::DBD::f"),
        ("/usr/local/lib/perl5/site_perl/5.40/Moo.pm", "Moo::f"),
    ],
)
def test_modules_of_perl(path: str, wanted: str) -> None:
    """A function of an installed Perl module is shown with the name by which programs use the
    module."""
    assert installed.is_installed(path)
    assert installed.called(path, "f") == wanted
    assert not installed.is_installed("/home/u/bin/lib/Tools.pm")


def test_many_stacks_in_turn(program: Program) -> None:
    """If a script uses 400 stacks in turn, each call is compared with few of them. A comparison
    checks whether the script's file exists, so the test counts these system calls."""
    needs("program:strace", "program:perl", "no-filter")
    stacks, rounds = 400, 200
    calls = "".join(f"sub m{i} {{ sysseek($file, 0, 0) }}\n" for i in range(stacks))
    loop = "".join(f"m{i}();" for i in range(stacks))
    work = program.folder / "work"
    work.mkdir()
    text = f"open(my $file, '<', 'many.pl') or die;\n{calls}for (1..{rounds}) {{ {loop} }}\n"
    (work / "many.pl").write_text(text.replace("my $file", "our $file"))
    strace = ("strace", "-qq", "-c", "-e", "trace=faccessat,faccessat2,access", "-o", "counts")
    program.start(*strace, "perl", "many.pl")
    counts = (work / "counts").read_text()
    asked = sum(int(line.split()[3]) for line in counts.splitlines() if "access" in line)
    assert asked < stacks * rounds / 2, counts
