"""If a login session exports the variables that preload the runtime, only the session's MPI jobs
leave logs, and all its commands behave as usual."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.environment import settings
from lab.log import read_logs
from left import left_in
from mpi.launch import MPIS, ROOT_MAY_RUN
from place import elsewhere, needs

SECONDS = 120
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

MAKEFILE = """
all: tool text
tool: tool.o more.o
\t$(CC) -o $@ tool.o more.o
%.o: %.c
\t$(CC) -c -o $@ $<
text: tool
\t./tool >$@
\tcat $@ | tr a-z A-Z | sort >text.sorted
"""

PYTHON = """
import os, shutil, subprocess, sys, tempfile, threading
open("python.txt", "w").write("by python\\n")
shutil.copy("python.txt", "copy.txt")
subprocess.run(["cp", "copy.txt", "again.txt"], check=True)
child = os.fork()
if child == 0:
    open("forked.txt", "w").write("by a child\\n")
    os._exit(3)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread = threading.Thread(target=lambda: open("thread.txt", "w").write("t"))
thread.start()
thread.join()
"""

# A C module that is linked with MPI and loaded by Python, like mpi4py.
MODULE = """
#include <mpi.h>
int begin(void) { return MPI_Init(NULL, NULL); }
int end(void) { return MPI_Finalize(); }
"""
PYTHON_JOB = """
import ctypes, os
open(f"python-rank-{os.environ['OMPI_COMM_WORLD_RANK']}", "w").write("12345")
module = ctypes.CDLL("./module.so")
module.begin()
module.end()
"""

# Every line is what a user types.  Output without MPI goes to files, because MPICH's launcher
# sometimes drops the output of ranks that exit at once (1 job in 100 under load).
SESSION = """
set -u
make -s -j2
./tool | wc -c
find . -name '*.c' | sort | xargs cat | sha256sum | cut -c1-8
for i in 1 2 3; do echo $i >>numbers; done
(cd sub 2>/dev/null || mkdir sub; cp numbers sub/)
tar cf - numbers text | tar tf -
python3 -c 'import os, subprocess; print(subprocess.run(["sh", "-c", "kill -9 $$"]).returncode)'
sh -c 'echo background >background' & wait
python3 script.py
{openmpi} -n 2 ./job-openmpi finalize "$PWD" | sort
{mpich} -n 2 ./job-mpich finalize "$PWD" | sort
{openmpi} -n 2 python3 job.py
{mpich} -n 2 sh -c 'echo no MPI at all >said-by-$PMI_RANK'
cat said-by-*
{openmpi} -n 1 hostname >/dev/null
./job-mpich finalize "$PWD"
exec cat numbers
"""
JOBS = 4


@pytest.fixture
def folder() -> Iterator[Path]:
    """Creates a folder that all users may use, and removes it after the test."""
    path = Path(tempfile.mkdtemp(prefix="darshan-session-"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path)


def prepare(work: Path) -> None:
    """Creates the user's files in the folder `work`."""
    work.mkdir()
    (work / "Makefile").write_text(MAKEFILE)
    (work / "tool.c").write_text("int more(void);\nint main(void) { return more() < 0; }\n")
    (work / "more.c").write_text('#include <stdio.h>\nint more(void) { return puts("more"); }\n')
    (work / "script.py").write_text(PYTHON)
    (work / "job.py").write_text(PYTHON_JOB)
    (work / "module.c").write_text(MODULE)
    for mpi in MPIS:
        mpi.build("job.c", work / f"job-{mpi.name}")
        if mpi.name == "openmpi":
            mpi.build(str(work / "module.c"), work / "module.so", "-shared", "-fPIC")
    for path in (work, *work.iterdir()):
        path.chmod(0o777)


def session(folder: Path, name: str, user: list[str], extra: dict[str, str]) -> tuple[str, Path]:
    """Runs the commands SESSION in a login shell. user: the words in front of the shell's command
    that change the user; [] for the current one. extra: further variables. Returns their output,
    and the working folder, which is `name` below `folder`."""
    work, home = folder / name, folder / f"home-{name}"
    prepare(work)
    home.mkdir()
    home.chmod(0o777)
    script = SESSION.format(**{mpi.name: " ".join(mpi.launch()) for mpi in MPIS})
    python = Path(sys.executable).resolve().parent
    plain = {"PATH": f"{python}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C"}
    exported = "".join(f"export {key}='{value}'\n" for key, value in extra.items())
    done = subprocess.run(
        [*user, "/bin/bash", "--login", "-c", exported + script],
        cwd=work,
        env=plain | ROOT_MAY_RUN | {"TMPDIR": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert not (home / "darshan-logs").exists()
    return f"{done.stdout}\nstatus {done.returncode}", work


@pytest.mark.parametrize("who", ["self", "ordinary"])
def test_a_session_leaves_its_jobs(build: Path, folder: Path, who: str) -> None:
    """A session of many programs, in which two MPI jobs run, prints the same as without the
    runtime, and the jobs leave logs. who: root or an ordinary user."""
    needs("mpi:openmpi", "mpi:mpich")
    user = []
    if who == "ordinary":
        if os.geteuid() != 0:
            elsewhere("this is an ordinary user already")
        needs("ordinary-user")
        user = NOBODY
    logs, journals = folder / "logs", folder / "journals"
    for path in (logs, journals):
        path.mkdir()
        path.chmod(0o777)
    library = folder / "libdarshan.so"
    shutil.copy(build / "libdarshan.so", library)
    extra = settings(library, logs, journals, mpi=True)
    bare, there = session(folder, "bare", user, {})
    watched, work = session(folder, "watched", user, extra)
    assert watched == bare
    assert {path.name for path in work.rglob("*")} == {path.name for path in there.rglob("*")}
    assert left_in(journals) == []
    left = sorted(path.name for path in logs.iterdir())
    assert len(left) == JOBS, left
    assert sum("_job-" in name for name in left) == JOBS - 1
    records = read_logs(build / "darshan-parser", *logs.iterdir()).records
    written = {
        Path(path).name: row["POSIX_BYTES_WRITTEN"]
        for (module, path), row in records.items()
        if module == "POSIX" and path.startswith(str(work)) and row["POSIX_BYTES_WRITTEN"]
    }
    # Two jobs with two ranks, one with one rank, and the ranks of Python.
    assert written == {
        "own-0": 3 * 1000,
        "own-1": 2 * 2000,
        "shared": 5 * 100,
        "python-rank-0": 5,
        "python-rank-1": 5,
    }
