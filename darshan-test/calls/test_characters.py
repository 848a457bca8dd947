"""Calls for single characters that a stream's buffer serves are counted exactly."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import NamedTuple

import pytest
from lab.compile import compile_c
from lab.watch import Outcome, watch

SIZE = 3000  # bytes of the file "data"
DATA = bytes(i % 251 for i in range(SIZE))

# Each case ends with 0. The functions in capitals are on the stacks of its sites.
PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define OWN __attribute__((noinline, noclone))
#define CASE(name) if (!strcmp(what, #name))
static FILE *f;
OWN void FIRST(void) { if (getc(f) == EOF) _exit(9); __asm__(""); }
OWN void SECOND(void) { if (getc(f) == EOF) _exit(9); __asm__(""); }
OWN void LEFT(void) { FIRST(); __asm__(""); }
OWN void RIGHT(void) { FIRST(); __asm__(""); }
static void take(int n) { while (n-- > 0) FIRST(); }
static void *thread(void *n) { take(*(int *)n); return NULL; }
int main(int argc, char **argv) {
  const char *what = argv[1];
  static char one[1];
  f = fopen("data", argc > 2 ? argv[2] : "r");
  CASE(lines) for (int i = 0; i < 1000; i++) FIRST(), SECOND();
  CASE(stacks) for (int i = 0; i < 1000; i++) LEFT(), RIGHT();
  CASE(streams) {
    FILE *both[] = {f, fopen("other", "r")};
    for (int i = 0; i < 2400; i++) { f = both[i % 3 == 0]; FIRST(); }
  }
  CASE(tiny) { setvbuf(f, one, _IOFBF, 1); take(1000); }
  CASE(unget) for (int i = 0; i < 1000; i++) { int c = getc(f); ungetc(c, f); getc(f); }
  CASE(changed) for (int i = 0; i < 1000; i++) {
    int c = getc(f);
    ungetc(c + (i % 7 == 0), f);
    getc(f);
  }
  CASE(skips) for (int i = 0; i < 10; i++) { take(100); fseek(f, 0, SEEK_SET); }
  CASE(blocks) for (int i = 0; i < 10; i++) {
    char to[100];
    take(100);
    if (fread(to, 1, 100, f) != 100) return 9;
  }
  CASE(inlined) for (int i = 0; i < 1000; i++) { FIRST(); (*(unsigned char *)f->_IO_read_ptr++); }
  CASE(writes) for (int i = 0; i < 5000; i++) i % 2 ? putc('x', f) : fputc('y', f);
  CASE(updates) { take(1000); fseek(f, 0, SEEK_SET); for (int i = 0; i < 2000; i++) putc('x', f); }
  CASE(threads) {
    pthread_t threads[2];
    int n = 1000;
    take(500);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, thread, &n);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    take(400);
  }
  CASE(turns) { /* each thread has the stream for a while */
    pthread_t other;
    int n = 600;
    for (int i = 0; i < 4; i++) pthread_create(&other, NULL, thread, &n), pthread_join(other, NULL);
  }
  CASE(beside) { /* two threads, each with a stream of the same file */
    pthread_t other;
    int n = 1000;
    pthread_create(&other, NULL, thread, &n);
    FILE *mine = fopen("data", "r");
    for (int i = 0; i < 1200; i++) fgetc(mine);
    pthread_join(other, NULL);
  }
  CASE(fork) {
    take(500);
    int pid = fork();
    take(pid ? 300 : 700);
    if (pid) wait(NULL);
  }
  CASE(killed) { take(1000); raise(SIGKILL); }
  return 0;
}
"""


class Case(NamedTuple):
    """The expected STDIO counters of the file "data"; each write is of one byte. sites: the number
    of calls of each call site, ascending; if it is empty, only their sum is compared. mode: of
    fopen."""

    reads: int
    bytes_read: int
    writes: int = 0
    sites: tuple[int, ...] = ()
    mode: str = "r"


CASES = {
    "lines": Case(2000, 2000, sites=(1000, 1000)),
    "stacks": Case(2000, 2000, sites=(1000, 1000)),
    "streams": Case(1600, 1600, sites=(2400,)),
    "tiny": Case(1000, 1000),
    "unget": Case(2000, 1000),
    "changed": Case(2000, 1000),
    "skips": Case(1000, 1000),
    "blocks": Case(1010, 2000),
    "inlined": Case(2000, 2000, sites=(1000,)),
    "writes": Case(0, 0, 5000, sites=(2500, 2500), mode="w"),
    "updates": Case(1000, 1000, 2000, mode="r+"),
    "threads": Case(2900, 2900),
    "turns": Case(2400, 2400),
    "beside": Case(2200, 2200),
    "fork": Case(1500, 1500),
    "killed": Case(1000, 1000),
}


def with_data(work: Path) -> None:
    """Writes the input files of all cases."""
    for name in ("data", "other"):
        (work / name).write_bytes(DATA)


def ran(build: Path, folder: Path, name: str, sites: str, **more: str) -> Outcome:
    """Runs a case. Returns the outcome. sites: value of DARSHAN_SITES. more: other settings of the
    runtime."""
    program = compile_c(folder, PROGRAM)
    command = [program, name, CASES[name].mode]
    return watch(build, folder, command, setup=with_data, DARSHAN_SITES=sites, **more)


def reads_of_sites(outcome: Outcome) -> tuple[int, ...]:
    """Returns the number of calls of each call site that read or wrote one character, sorted."""
    found = (
        int(counters["SITES_READS"] + counters["SITES_WRITES"])
        for (module, name), counters in outcome.records.items()
        if module == "SITES" and name.split(";")[0] in ("getc", "fgetc", "putc", "fputc")
    )
    return tuple(sorted(found))


@pytest.mark.parametrize("sites", ["0", "1"])
@pytest.mark.parametrize("name", CASES)
def test_characters(name: str, sites: str, build: Path, tmp_path: Path) -> None:
    """The record of "data" has the calls, bytes and last offset of the program, with
    DARSHAN_SITES=1 and =0. With it, the calls of the call sites are right, too."""
    case = CASES[name]
    outcome = ran(build, tmp_path, name, sites)
    assert outcome.status == (-signal.SIGKILL if name == "killed" else 0), outcome.error
    counters = ("READS", "BYTES_READ", "WRITES", "BYTES_WRITTEN")
    found = [outcome.value("data", f"STDIO_{counter}") for counter in counters]
    assert found == [case.reads, case.bytes_read, case.writes, case.writes]
    ends = {"skips": 100, "beside": 1200, "fork": 1200}
    end = ends.get(name, case.bytes_read)
    assert outcome.value("data", "STDIO_MAX_BYTE_READ") == max(end - 1, 0)
    if sites == "0":
        return
    calls = reads_of_sites(outcome)
    if case.sites:
        assert calls == case.sites
    else:
        fread = 10 if name == "blocks" else 0
        assert sum(calls) == case.reads + case.writes - fread
    assert outcome.total("SITES_SIZE_READ_0_100") >= sum(calls) - case.writes


def test_each_process_has_its_own(build: Path, tmp_path: Path) -> None:
    """A child of fork counts what it read itself, and so does its parent."""
    outcome = ran(build, tmp_path, "fork", "1", DARSHAN_JOB_TREE="0")
    read = f"{outcome.work}/data"
    rows = [row for row in outcome.log.rows if (row.counter, row.name) == ("STDIO_READS", read)]
    assert sorted(row.value for row in rows) == [700, 800]


def test_times_and_gaps(build: Path, tmp_path: Path) -> None:
    """The time of all calls is less than that of the program, and each call has a gap before it."""
    outcome = ran(build, tmp_path, "lines", "1")
    seconds = float(outcome.log.metadata.get("run time", 0) or outcome.log.header["run time"])
    spent = outcome.value("data", "STDIO_F_READ_TIME")
    assert 0 < spent < seconds
    gaps = sum(outcome.total(f"SITES_GAPS_{length}") for length in ("SHORT", "MEDIUM", "LONG"))
    calls = sum(outcome.total(f"SITES_{kind}") for kind in ("OPENS", "READS", "CLOSES"))
    assert calls - 2 <= gaps <= calls + 2
    first, last = (
        outcome.value("data", f"STDIO_F_READ_{end}_TIMESTAMP") for end in ("START", "END")
    )
    assert first < last
