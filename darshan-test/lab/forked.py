"""Makes reports of darshan-job-summary in forked children of one process that has imported its
modules.

Starting Python and importing the modules takes longer than most reports. Each report still has its
own process, environment, folder and exit status, and runs the command's main function.
Tests of the command line and of signals start the command itself.
"""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

MODULES = ("report.main", "report.pdf", "report.html", "report.pdf.figures", "transfers.main")
# Reads a line of JSON with a report's folder, variables, outputs, code and words; makes the report
# in a child, and prints the child's exit status (negative: the signal that ended it).
SERVER = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    __import__("darshan_report." + name)
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
os.chdir(asked["folder"])
os.environ.clear()
os.environ.update(asked["variables"])
time.tzset()
for number, name in enumerate([os.devnull, *asked["outputs"]]):
    os.dup2(os.open(name, os.O_RDWR), number)
sys.stdin = open(0)
sys.argv[1:] = asked["words"]
del child, line, name, number
exec(asked["code"])
"""


class Forked:
    """The process that makes reports; one report at a time."""

    def __init__(self, build: Path, folder: Path) -> None:
        """Starts the process. folder: for two files, "out" and "err", with the output of the
        present report."""
        script = (build / "darshan-job-summary").read_text("utf-8")
        code = re.search(r"(?s)-c '\n(.*)' \"\$package\" \"\$main\"", script)
        python = re.search(r"DARSHAN_PYTHON:-([^}]+)}", script)
        assert code and python
        self.code, self.package = code[1], str(build / "python")
        self.outputs = [folder / "out", folder / "err"]
        # The report must find its library by itself.
        variables = {k: v for k, v in os.environ.items() if k != "DARSHAN_READ_LIB"}
        self.process = subprocess.Popen(
            [python[1], "-c", SERVER, self.package, *MODULES],
            env={**variables, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(
        self, words: Sequence[str | Path], folder: Path, variables: Mapping[str, str], seconds: int
    ) -> subprocess.CompletedProcess[str]:
        """Runs `darshan-job-summary WORDS` in the folder; returns its status and output.
        variables: the environment. After this many seconds, ends the process, which then makes no
        further report, and raises TimeoutExpired."""
        for path in self.outputs:
            path.write_bytes(b"")
        asked = {
            "folder": str(folder),
            "variables": dict(variables),
            "outputs": [str(path) for path in self.outputs],
            "code": self.code,
            "words": [self.package, "summary", *map(str, words)],
        }
        assert self.process.stdin and self.process.stdout
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.close()
            raise subprocess.TimeoutExpired([str(word) for word in words], seconds)
        status = int(self.process.stdout.readline())
        said = [path.read_text("utf-8", errors="replace") for path in self.outputs]
        return subprocess.CompletedProcess(list(words), status, *said)

    def close(self) -> None:
        """Ends the process, and a report that it is making."""
        os.killpg(self.process.pid, 9)
        self.process.communicate()
