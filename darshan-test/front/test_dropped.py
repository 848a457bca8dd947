"""The screen of `darshan stat` and every form of the report give the number of calls that the
runtime saw and could not count."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from lab.command import finished, finished_in_bytes
from lab.compile import compile_c
from lab.log import read_logs

from .conftest import Run
from .screen import fits

HERE = Path(__file__).parent

# A child process makes 200,000 writes while a signal handler makes others, and writes the number of
# the handler's calls to a file. The log has only the sums over both processes.
PROGRAM = r"""
#include "raw-handler.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
static int own;
static volatile long calls;
static void handler(int signal) {
  (void)signal;
  calls++;
  if (write(own, "abc", 3) != 3) _exit(3);
}
int main(void) {
  int status, fd = open("data", O_RDWR | O_CREAT, 0600);
  own = open("own", O_RDWR | O_CREAT, 0600);
  if (fork()) return wait(&status) < 0 || status;
  if (raw_alarms_begin(handler)) return 5;
  for (int i = 0; i < 200000; i++)
    if (pwrite(fd, "0123456789", 10, 0) != 10) return 4;
  raw_alarms_end();
  FILE *said = fopen("said", "w");
  if (!said) return 6;
  fprintf(said, "%ld\n", calls);
  return fclose(said);
}
"""
# Opens 300 streams by fopencookie at the same time, and writes a byte to each.
STREAMS = r"""
#include <stdio.h>
#include <unistd.h>
enum { N = 300 };
static ssize_t put(void *where, const char *text, size_t n) { (void)text; (void)where; return n; }
int main(void) {
  for (int i = 0; i < N; i++) {
    FILE *file = fopencookie("x", "w", (cookie_io_functions_t){.write = put});
    if (!file || fputc('x', file) == EOF) return 2;
  }
  return 0;
}
"""


def reports(build: Path, work: Path, log: Path) -> tuple[str, str, str, list[str]]:
    """Returns the text report, the HTML page and the text of the PDF, each with its lines joined,
    and the warnings of the JSON."""
    summary = build / "darshan-job-summary"
    for form in ("html", "pdf"):
        command = [summary, "--no-latex", "-o", work / f"out.{form}", log]
        assert finished_in_bytes(command).returncode in (0, 3)
    subprocess.run(["pdftotext", work / "out.pdf", work / "out.txt"], check=True)
    text, data = (finished([summary, form, "-o", "-", log]).stdout for form in ("--text", "--json"))
    told = (text, (work / "out.html").read_text(), (work / "out.txt").read_text())
    return (*(" ".join(t.split()) for t in told), json.loads(data)["warnings"])


def test_handlers(darshan: Run, build: Path, work: Path) -> None:
    """If a program writes in signal handlers, the calls counted and the calls that the screen and
    the reports name as not counted add up to all calls of the handlers."""
    program = compile_c(work, PROGRAM, f"-I{HERE.parent / 'harm'}")
    screen = darshan("stat", program).stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    records = read_logs(build / "darshan-parser", log).records
    counted = int(records["POSIX", str(work / "own")]["POSIX_WRITES"])
    dropped = int((work / "said").read_text()) - counted
    assert dropped > 0
    assert f"{dropped} calls not counted (in signal handlers): the numbers are lower" in screen
    fits(screen)
    words = f"{dropped:,} calls? that the runtime saw (was|were) not counted"
    *told, warnings = reports(build, work, log)
    for form in (*told, *warnings):
        assert re.search(words, form), form
        assert "in signal handlers that had interrupted another call" in form


def test_tables(darshan: Run, build: Path, work: Path) -> None:
    """If a program has more open streams than the runtime's table has slots (256), the screen and
    each form of the report say that 44 of 300 are not counted."""
    program = compile_c(work, STREAMS)
    screen = darshan("stat", program).stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    assert "calls on 44 files or requests are not counted (full tables)" in screen
    *told, warnings = reports(build, work, log)
    for form in (*told, *warnings):
        assert "44 open files, streams, library objects or requests did not fit" in form
