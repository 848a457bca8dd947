"""The remedy join-writes, which joins small writes such that neither the program nor other
processes notice it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.compile import compile_c
from place import needs
from sample import turning

from .any_calls import ANY_CALLS
from .conftest import Try
from .writing import ENDS, small_writes

# The remedy.
NAME = "join-writes"
# The value of DARSHAN_TRY that turns it on with a buffer of 1 MiB.
SETTING = f"{NAME}=1048576"


def test_small_writes(trial: Try) -> None:
    """For a program with small writes, `darshan try` finds that join-writes helps, and prints what
    to write in the program."""
    program = compile_c(trial.user, small_writes(ENDS["close"]))
    log = trial.log(program, clean=True)
    listed = trial.run("--list", log).stdout.split("\n")
    assert "small writes" in listed[1 + [t.split(" ")[0] for t in listed].index(NAME)]
    status, rows, whole = trial.found("--only", NAME, "--copy", ".", log, "--", program)
    row = rows[NAME]
    assert (status, row["result"]) == (0, "helped"), whole
    assert any("fdopen" in line and "setvbuf" in line for line in row["keep"])
    assert not (trial.user / "numbers.txt").exists()


def test_small_writes_of_one_of_several_processes(trial: Try) -> None:
    """join-writes is tried although a shell script starts the program, as pyenv's python3 does,
    because no other process uses the file."""
    compile_c(trial.user, small_writes(ENDS["close"]))
    command = ("sh", "-c", "cat /dev/null; ./program; cat /dev/null")
    status, rows, whole = trial.found("--only", NAME, "--copy", ".", "--", *command)
    assert (status, rows[NAME]["result"]) == (0, "helped"), whole


def left(trial: Try, setting: str, *command: str | Path) -> tuple[object, ...]:
    """Runs a program with this value of DARSHAN_TRY ("": none), after removing its files. Returns
    its status, its standard output, and the content of its files by name."""
    for path in [*trial.user.glob("any.*"), *trial.user.glob("numbers.txt")]:
        path.unlink()
    trial.variables = {"DARSHAN_TRY": setting} if setting else {}
    logs = trial.user.parent / "logs"
    words = [trial.build / "darshan", "run", "-o", logs, "--", *command]
    done = trial.run_words(list(map(str, words)))
    made = {p.name: p.read_bytes() for p in [*trial.user.glob("any.*"), *trial.user.glob("*.txt")]}
    return done.returncode, done.stdout, made


@pytest.mark.parametrize("end", turning(ENDS, 0.4, "ends of programs that write"))
def test_nothing_is_lost(trial: Try, end: str) -> None:
    """With join-writes, no byte is lost, however the program ends, and whatever it does with the
    descriptor or the file."""
    program = compile_c(trial.user, small_writes(ENDS[end]))
    status, said, made = left(trial, "", program)
    assert made["numbers.txt"], end
    assert left(trial, SETTING, program) == (status, said, made)


@pytest.mark.parametrize("seed", turning(range(1, 201), 0.03, "calls by chance"))
@pytest.mark.parametrize("setting", [SETTING, f"read-ahead=1048576;{SETTING}"])
def test_calls_by_chance(trial: Try, setting: str, seed: int) -> None:
    """With join-writes (and read-ahead), each of 3,000 random calls on eight descriptors has the
    same result as without, and the files are the same."""
    program = compile_c(trial.user, ANY_CALLS)
    subprocess.run([program], cwd=trial.user, capture_output=True, check=True)
    bare = left(trial, "", program, str(seed))
    assert bare[0] == 0
    assert left(trial, setting, program, str(seed)) == bare


# A std::ofstream that is flushed for each line; MORE stands for other uses of streams.
_LINES = """#include <cstdio>
#include <fstream>
#include <unistd.h>
int main(int, char **) {
  std::ofstream out("numbers.txt");
  for (int i = 0; i < LINES; i++) out << i << " of many" << std::endl;
  MORE
}
"""
_MORE = """std::ofstream more("any.more", std::ios::app);
  std::fstream both("any.both", std::ios::in | std::ios::out | std::ios::trunc);
  for (int i = 0; i < 300; i++) {
    more << i << std::flush;
    both << "record " << i << std::flush;
    if (i % 50 == 49) both.seekp(i / 2);
    if (i % 70 != 69) continue;
    both.seekg(3);
    std::printf("%d ", both.get());
    both.clear();
    both.seekp(0, std::ios::end);
    std::printf("%ld ", (long)both.tellp());
  }
  std::fflush(stdout);
  std::FILE *file = std::fopen("any.file", "w");
  for (int i = 0; i < 200; i++) {
    if (write(fileno(file), "below ", 6) != 6) return 2;
    if (i > 100 && (std::fputs("above ", file) < 0 || std::fflush(file))) return 3;
  }
  END
"""


def _cxx(folder: Path, lines: int, more: str = "") -> Path:
    """Compiles a C++ program that writes `lines` lines, in a folder. more: code that follows the
    writes. Returns its path. Skips the test without a C++ compiler."""
    needs("program:c++")
    source = folder / "lines.cc"
    source.write_text(_LINES.replace("LINES", str(lines)).replace("MORE", more))
    program = source.with_suffix("")
    subprocess.run(["c++", "-O2", "-o", program, source], check=True)
    return program


@pytest.mark.parametrize("end", ["return std::fclose(file);", "_exit(0);"])
def test_streams_of_cxx(trial: Try, end: str) -> None:
    """With join-writes, a std::ofstream that writes to the descriptor of a libc stream loses no
    byte, however the program ends; the libc stream itself writes nothing."""
    program = _cxx(trial.user.parent, 60_000, _MORE.replace("END", end))
    bare = left(trial, "", program)
    assert bare[0] == 0 and len(bare[2]) == 4
    assert left(trial, SETTING, program) == bare


def test_a_stream_of_cxx_is_tried(trial: Try) -> None:
    """For a std::ofstream that is flushed for each line, `darshan try` finds that join-writes
    helps."""
    program = _cxx(trial.user.parent, 400_000)
    status, rows, whole = trial.found("--only", NAME, "--copy", ".", "--", program)
    assert (status, rows[NAME]["result"]) == (0, "helped"), whole


@pytest.mark.parametrize("flags", ["O_RDWR | O_SYNC", "O_WRONLY | O_DSYNC"])
def test_descriptors_that_are_left_alone(trial: Try, flags: str) -> None:
    """join-writes does not join writes that are durable immediately (O_SYNC, O_DSYNC): the file has
    its full size while the program still runs."""
    ask = 'syscall(SYS_newfstatat, -100, "numbers.txt", &st, 0);'
    source = small_writes((ask, "return close(fd);"), flags).replace("400000", "2000")
    program = compile_c(trial.user, source)
    _, said, _ = left(trial, SETTING, program)
    assert said == "2000 none\n"


def test_files_of_which_others_know(trial: Try) -> None:
    """join-writes is not tried for a program that also reads the file, or that starts another
    program which uses it; the result has the reason."""
    for before, why in (
        ('read(open("numbers.txt", O_RDONLY), seen, 7);', "the program also reads or maps"),
        ('if (system("cat numbers.txt >/dev/null")) return 3;', "several processes use"),
        ('if (system("test -s numbers.txt")) return 3;', "several processes use"),
    ):
        program = compile_c(trial.user, small_writes((before, "return close(fd);")))
        status, rows, whole = trial.found("--only", NAME, "--copy", ".", "--", program)
        assert (status, rows[NAME]["result"]) == (1, "not tried"), whole
        assert why in rows[NAME]["reason"]
