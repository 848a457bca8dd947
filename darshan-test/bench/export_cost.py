"""Measures how much of a core `darshan watch --export` uses beside many recorded processes, and how
old the exported numbers are at most: python3 darshan-test/bench/export_cost.py [PROCESSES [FILES
[SECONDS]]]. PROCESSES processes (200) write to FILES files each (20) for SECONDS (30)."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab.environment import plain, settings
from tree import build_folder

# Opens FILES files and writes to each ten times a second, so that the numbers always change.
PROGRAM = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int files = atoi(argv[1]), fd[1024];
  static char block[4096];
  char name[64];
  for (int i = 0; i < files && i < 1024; i++) {
    snprintf(name, sizeof name, "%d.%d", (int)getpid(), i);
    fd[i] = open(name, O_RDWR | O_CREAT, 0600);
  }
  while (getppid() != 1) {
    for (int i = 0; i < files; i++) pwrite(fd[i], block, sizeof block, 0);
    usleep(100000);
  }
  return 0;
}
"""


def metric(path: Path, name: str) -> float:
    """Returns the value of one of the metrics that `darshan watch` exports about itself. path: the
    exported file; name: of the metric. Fails if the file lacks it."""
    found = re.search(rf"^{name} (\S+)$", path.read_text(), re.MULTILINE)
    assert found, name
    return float(found[1])


def measure(folder: Path, jobs: int, processes: int, files: int, seconds: float) -> str:
    """Runs this many processes, of some jobs and with some files each, and `darshan watch --export`
    beside them for some seconds. Returns a row of text: the numbers of journals, jobs and files,
    the share of a core that `darshan watch` used, and the age of the oldest number that it
    exported."""
    build = build_folder()
    for name in ("journals", "logs", "data"):
        (folder / name).mkdir()
    environment = {**plain(), **settings(build, folder / "logs", folder / "journals")}
    running = [
        subprocess.Popen(
            [folder.parent / "program", str(files)], cwd=folder / "data",
            env={**environment, "DARSHAN_JOBID": "JOB", "JOB": str(10**6 + number % jobs)},
        )
        for number in range(processes)
    ]  # fmt: skip
    text = folder / "darshan.prom"
    while len(list((folder / "journals").iterdir())) < processes:
        time.sleep(0.1)
    watch = subprocess.Popen(
        [build / "darshan", "watch", "--export", f"prometheus:{text}", folder / "journals"],
        env=plain(),
    )
    try:
        time.sleep(5)
        began, oldest = time.time(), 0.0
        first = metric(text, "darshan_watch_processor_seconds_total")
        while time.time() < began + seconds:
            time.sleep(0.05)
            oldest = max(oldest, time.time() - metric(text, "darshan_watch_last_look_seconds"))
        last = metric(text, "darshan_watch_processor_seconds_total")
        share = 100 * (last - first) / (time.time() - began)
        journals = int(metric(text, "darshan_watch_journals"))
    finally:
        watch.terminate()
        watch.wait()
        for process in running:
            process.kill()
            process.wait()
    return f"{journals:9} {jobs:5} {files:5}   {share:5.2f} % of a core   {oldest:4.1f} s"


def main() -> None:
    """Prints a row for one job, and one for a job per process."""
    given = [int(word) for word in sys.argv[1:]]
    processes, files, seconds = [*given, *(200, 20, 30)[len(given) :]]
    load = os.getloadavg()[0]
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {load:.1f}")
    print(" journals  jobs files   cost             oldest numbers")
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "program"
        compile_ = ["gcc", "-O2", "-x", "c", "-", "-o", program]
        subprocess.run(compile_, input=PROGRAM, text=True, check=True)
        for number, jobs in enumerate((1, processes)):
            folder = Path(name) / str(number)
            folder.mkdir()
            print(measure(folder, jobs, processes, files, seconds), flush=True)


if __name__ == "__main__":
    main()
