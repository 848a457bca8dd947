"""Computes the findings of one very large log in a separate process. Rules need all records of a
log in memory. A log whose records exceed the limit of a worker gets a process with a larger limit.
If that process dies, the worker continues."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

from ...diagnose.limits import Limits
from ...library import LogError
from .findings import Findings, Made
from .hide import Hide
from .jobs import Job

BYTES = 2 << 30  # of memory, at most
_SECONDS = 900  # of processor time
_PDEATHSIG = 1  # PR_SET_PDEATHSIG
_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); import {0} as m; m.main()"


def findings_apart(job: Job, thresholds: dict[str, float], key: str) -> Made:
    """Returns the rows of a log's findings, and the columns of its job, like Findings.of(), but
    computed by another process. thresholds: their values by name. key: anonymizes names; "": none.
    Raises LogError if that process fails."""
    package = os.path.abspath(__file__)
    for _ in range(4):
        package = os.path.dirname(package)
    # The process does not need totals and hosts, which may be large.
    asked = pickle.dumps((replace(job, totals={}, hosts=set()), thresholds, key))
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.format(__name__), package],
        input=asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # each thread of OpenBLAS takes memory
        check=False,
    )
    if done.returncode != 0:
        how = f"failed with exit status {done.returncode}"
        if done.returncode < 0:
            how = f"was killed by signal {-done.returncode}; it may need more memory"
        raise LogError(f"not computed: their process {how}")
    found: Made | str = pickle.loads(done.stdout)
    if isinstance(found, str):
        raise LogError(found)
    return found


def _bound() -> None:
    """Limits this process's memory and processor time. If memory is short, the kernel kills it
    first. The kernel also kills it when its parent dies."""
    for what, most in ((resource.RLIMIT_DATA, BYTES), (resource.RLIMIT_CPU, _SECONDS)):
        hard = resource.getrlimit(what)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (soft, hard))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def main() -> None:
    """Reads a pickled job from standard input, and writes its pickled findings to standard
    output."""
    _bound()
    answer = os.dup(1)
    os.dup2(2, 1)  # the output of a rule must not mix with the reply
    job, thresholds, key = pickle.load(sys.stdin.buffer)
    made: Any
    try:
        made = Findings(Limits(thresholds), Hide(key)).of(job)
    except MemoryError:
        made = f"they need more than {BYTES >> 30} GiB of memory"
    except LogError as error:
        made = str(error)
    with open(answer, "wb") as file:
        pickle.dump(made, file)
