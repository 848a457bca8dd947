"""A remedy that delays data ends before a program queries the state of its streams or files, so
that the program gets the same results."""

from __future__ import annotations

import pytest
from lab.compile import compile_c

from .conftest import Try
from .test_attacks import SETTINGS
from .test_writing import left

# Asks for the state of two streams, and drops what one holds. Prints what it sees.
STATE = r"""
#include <stdio.h>
#include <stdio_ext.h>
int main(void) {
  FILE *file = fopen("any.x", "w+"), *plain = fopen("any.y", "w");
  setvbuf(file, NULL, _IONBF, 0);
  for (int n = 0; n < 3000; n++) if (fputs("abcd", file) < 0 || fputs("ef", plain) < 0) return 9;
  printf("%zu %zu %zu\n", __fbufsize(file), __fbufsize(plain), __fpending(plain));
  printf("%d %d %d\n", __fwriting(plain) != 0, __freading(file) != 0, __flbf(file) != 0);
  __fpurge(plain);
  return fclose(plain) || fclose(file);
}
"""
# Counts the events of its own files, which the kernel joins if nobody reads them in between.
EVENTS = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>
int main(void) {
  char room[4096];
  int before = open("any.x", O_CREAT | O_WRONLY, 0600), changes = 0, in = open("in.txt", O_RDONLY);
  FILE *stream = fopen("any.y", "w");
  setvbuf(stream, NULL, _IONBF, 0);
  for (int n = 0; n < 9; n++)
    if (write(before, "early", 5) != 5 || fputs("early", stream) < 0 || read(in, room, 8) != 8)
      return 9;
  int watch = inotify_init1(IN_NONBLOCK), after = open("any.z", O_CREAT | O_WRONLY, 0600);
  const char *const names[] = {"any.x", "any.y", "any.z", "in.txt"};
  for (int n = 0; n < 4; n++)
    if (inotify_add_watch(watch, names[n], IN_MODIFY | IN_ACCESS) < 0) return 9;
  for (int n = 0; n < 200; n++) {
    if (write(n % 2 ? before : after, "late", 4) != 4 || fputs("late", stream) < 0) return 9;
    if (read(in, room, 8) != 8) return 9;
    for (ssize_t got; (got = read(watch, room, sizeof room)) > 0;)
      changes += (int)((unsigned long)got / sizeof(struct inotify_event));
  }
  return printf("%d\n", changes) < 0 || fclose(stream);
}
"""
PROGRAMS = {"the state of a stream": STATE, "events of files": EVENTS}


def test_a_gnu_program_gets_a_buffer(trial: Try) -> None:
    """The remedy stdio-buffer applies to `sed -u`: the program imports __fwriting to report errors,
    but does not query the state of a stream."""
    from darshan_report.log import open_log  # noqa: PLC0415

    (trial.user / "in.txt").write_text("word\n" * 2000)
    trial.variables = {"DARSHAN_TRY": "stdio-buffer=1048576"}
    with open_log(trial.log("sed", "-u", "s/w/W/", "in.txt")) as log:
        assert 0 < log.records("STDIO_EXT")["STDIO_EXT_FILLS"].clip(0).sum() < 100


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_looks_sees_no_remedy(trial: Try, name: str, setting: str) -> None:
    """A program that asks for the state of a stream, or counts events of files, has the same output
    with remedies. name: of the program."""
    (trial.user / "in.txt").write_text("".join(f"{n:07}\n" for n in range(9999)))
    program = compile_c(trial.user, PROGRAMS[name])
    bare = left(trial, "", program)
    assert bare[0] == 0 and str(bare[1]).split()[0] != "0", bare
    assert left(trial, setting, program) == bare
