"""Random small calls on streams, in loops, are counted exactly: reads, lines, pushed-back
characters and seeks between writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.watch import watch
from sample import seed

# Makes loops of calls that the arguments' number decides, and prints its own count of them: reads
# and bytes read, writes and bytes written. A byte that was pushed back is not read twice.
PROGRAM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long calls[2], bytes[2], pushed;
static unsigned long state;
static char buffer[8192], room[4000];
static FILE *f;
static unsigned below(unsigned n) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(state >> 33) % n;
}
static void seek(void) { fseek(f, below(50000), SEEK_SET); pushed = 0; }
static void count_read(long got) {
  long again = pushed < got ? pushed : got;
  pushed -= again;
  calls[0]++;
  bytes[0] += got - again;
}
static long got(unsigned way, unsigned n) {
  static char *line;
  static size_t size;
  if (way < 3) return getc(f) == EOF ? -1 : 1;
  if (way < 6) return (long)fread(room, 1, n, f);
  if (way < 8) return fgets(room, n < 2 ? 2 : (int)n, f) ? (long)strlen(room) : -1;
  return getline(&line, &size, f);
}
static void read_once(unsigned way, unsigned n) {
  long now = got(way, n);
  if (now <= 0) { seek(); return; }
  count_read(now);
  if (way == 2 && below(2)) { ungetc(below(4) ? 'x' : '#', f); pushed = 1; }
}
static void write_once(unsigned way, unsigned n) {
  memset(room, 'b', n);
  room[n] = 0;
  if (way < 3) putc('a', f), n = 1;
  else if (way < 7) n = (unsigned)fwrite(room, 1, n, f);
  else fputs(room, f);
  calls[1]++;
  bytes[1] += n;
  if (below(200) == 0) fflush(f);
}
int main(int argc, char **argv) {
  const char *mode = argv[argc - 1];
  int both = mode[1] == '+';
  state = strtoul(argv[1], NULL, 10);
  f = fopen("data", mode);
  if (below(3)) setvbuf(f, buffer, _IOFBF, 1 + below(sizeof(buffer)));
  for (int loop = 0; loop < 2000; loop++) {
    unsigned way = below(10), times = 1 + below(90), n = 1 + below(below(2) ? 40 : 1500);
    int writes = mode[0] == 'w' || (both && below(2));
    if (both) seek();
    while (times-- > 0) if (writes) write_once(way, n); else read_once(way, n);
  }
  fclose(f);
  printf("%ld %ld %ld %ld\n", calls[0], bytes[0], calls[1], bytes[1]);
  return 0;
}
"""
COUNTERS = ("READS", "BYTES_READ", "WRITES", "BYTES_WRITTEN")


def with_data(work: Path) -> None:
    """Writes a file of lines of 60 bytes."""
    (work / "data").write_text(f"{'abcdefghi ' * 6}\n" * 4000)


@pytest.mark.parametrize("mode", ["r", "w", "r+"])
@pytest.mark.parametrize("number", range(4))
def test_random_calls(mode: str, number: int, build: Path, tmp_path: Path) -> None:
    """The record of "data" has the calls and bytes that the program counts itself. mode: of fopen.
    number: selects the random calls; call sites are recorded if it is odd."""
    program = compile_c(tmp_path, PROGRAM)
    start = sum(seed().encode()) * 4 + number
    command = [program, str(start), mode]
    outcome = watch(build, tmp_path, command, setup=with_data, DARSHAN_SITES=str(number % 2))
    assert outcome.status == 0, outcome.error
    found = [int(outcome.value("data", f"STDIO_{counter}")) for counter in COUNTERS]
    assert found == [int(word) for word in outcome.out.split()], start
