"""The options of `darshan try`: how each one changes the runs or the output."""

from __future__ import annotations

import pytest
from lab.compile import compile_c

from .conftest import Try, bytes_of

# Reads one character, writes numbers without a buffer, and a file that differs in each run.
PROGRAM = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
  FILE *input = fopen("input", "r"), *file = fopen("numbers.txt", "w");
  if (!input || !file) return 9;
  setvbuf(file, NULL, _IONBF, 0);
  for (int i = 0; i < 600000; i++) fputc('1', file);
  fclose(file);
  file = fopen("chance.bin", "w");
  if (!file) return 8;
  int chance = 0;
  if (getentropy(&chance, sizeof chance)) return 6;
  for (int i = 0; i < 8; i++) fputc(i % 2 ? 0 : chance >> 2 * i, file);
  return printf("%c\\n", fgetc(input)) > 0 ? fclose(file) : 7;
}
"""
# Prints how many pages of its input are in the page cache, and reads one of them.
RESIDENT = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  static unsigned char held[512];
  int fd = open("input", O_RDONLY), sum = 0;
  char *mapped = mmap(NULL, 2 << 20, PROT_READ, MAP_SHARED, fd, 0);
  mincore(mapped, 2 << 20, held);
  for (int n = 0; n < 512; n++) sum += held[n] & 1;
  return printf("%d\\n", sum) < 0 || pread(fd, held, 1, (2 << 20) - 1) != 1;
}
"""
ONLY = ("--only", "stdio-buffer")
COPY = (*ONLY, "--copy", ".")


@pytest.fixture
def words(trial: Try) -> list[str]:
    """Compiles the program in the user's folder, with its input. Returns the last words of the
    command line of `darshan try`, from "--" on."""
    (trial.user / "input").write_text("7")
    return ["--", str(compile_c(trial.user, PROGRAM))]


def test_what_is_not_compared_is_said(trial: Try, words: list[str]) -> None:
    """A file that differs in each run is not compared, and the output says so."""
    done = trial.run(*COPY, *words)
    assert done.returncode == 0, done
    assert "chance.bin: not compared" in done.stdout
    assert "same output, as far as it is compared: helped" in " ".join(done.stdout.split())


def test_ignore(trial: Try, words: list[str]) -> None:
    """A file that matches --ignore is not compared and not mentioned."""
    done = trial.run(*COPY, "--ignore", "*.bin", *words)
    assert done.returncode == 0 and "not compared" not in done.stdout, done
    assert "same output: helped" in " ".join(done.stdout.split())


def test_same(trial: Try, words: list[str]) -> None:
    """With --same COMMAND, `darshan try` compares outputs by this command. If two runs without a
    remedy already differ according to it, nothing is measured."""
    done = trial.run(*COPY, "--same", 'cmp "$1"/numbers.txt "$2"/numbers.txt #', *words)
    assert done.returncode == 0 and "not compared" not in done.stdout, done
    done = trial.run(*COPY, "--same", "cmp -s $STDOUT $STDOUT_NOW; false", *words)
    assert done.returncode == 1 and not done.stdout, done
    assert "two runs without a remedy differ: the command of --same ended with 1" in done.stderr


def test_setup(trial: Try, words: list[str]) -> None:
    """With --setup COMMAND, each run begins with the files that this command made. If it fails, its
    status and error are printed. The user's folder is not changed."""
    before = bytes_of(trial.user)
    setup = 'cp -p "$DARSHAN_TRY_FROM/program" . && printf 4 > input'
    status, rows, whole = trial.found(*ONLY, "--setup", setup, *words)
    assert (status, rows["stdio-buffer"]["result"]) == (0, "helped"), whole
    assert bytes_of(trial.user) == before
    done = trial.run(*ONLY, "--setup", "echo no >&2; exit 5", *words)
    assert done.returncode == 1 and "ended with status 5: no" in done.stderr, done


def test_json_of_a_log_without_a_remedy(trial: Try) -> None:
    """--json prints JSON also if the log shows that there is no remedy to try; the exit status is 1
    and no run is made."""
    status, rows, whole = trial.found(trial.log("true"), "--", "true")
    assert status == 1 and whole["baseline_seconds"] == []
    assert {row["result"] for row in rows.values()} == {"not tried"}


def test_budget(trial: Try, words: list[str]) -> None:
    """With --budget, no run begins after this time is used up. If the time is shorter than the
    first runs, the result of a remedy is "undecided"."""
    done = trial.run(*COPY, "--budget", "0.001", *words)
    assert done.returncode == 1, done
    assert "took more than 0.0 s and was killed" in done.stderr
    log = trial.log(words[1], clean=True)
    status, rows, whole = trial.found(*COPY, "--budget", "0.001", log, *words)
    assert (status, rows["stdio-buffer"]["result"]) == (1, "undecided"), whole


def test_cold(trial: Try, words: list[str]) -> None:
    """With --cold, the files in the log are dropped from the page cache before each run, and a
    remedy that helps is still found to help."""
    status, rows, whole = trial.found(*COPY, "--cold", *words)
    assert (status, rows["stdio-buffer"]["result"]) == (0, "helped"), whole


def test_the_first_run_is_cold_too(trial: Try) -> None:
    """With --cold and without a log, the first run, which makes the log whose findings propose
    remedies, also begins without its files in the page cache."""
    (trial.user / "input").write_bytes(b"x" * (2 << 20))
    program = compile_c(trial.user, RESIDENT)
    words = ("--only", "random", "--cold", "--copy", ".", "--", program)
    _, rows, whole = trial.found(*words)
    assert rows["random"]["result"] == "no gain shown", whole
    assert whole["notes"] == [], "all runs print the same"
