"""The processes that leave a log, the log's name and folder, and ways to disable the runtime or to
record only a sample of the jobs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab.command import finished
from lab.compile import compile_c
from lab.environment import preload, settings
from lab.log import read_logs
from lab.strace import for_command
from left import left_in
from mpi.launch import MPIS, ROOT_MAY_RUN, Mpi
from place import needs

HERE = Path(__file__).resolve().parent
SECONDS = 100
BYTES = "POSIX_BYTES_WRITTEN"

WRITES = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* writes NAME BYTES...: so many bytes to each file */
int main(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    int fd = open(argv[i], O_CREAT | O_WRONLY | O_APPEND, 0600);
    for (int n = atoi(argv[i + 1]); n > 0; n--)
      if (write(fd, "x", 1) != 1) return 1;
    close(fd);
  }
  return 0;
}
"""


@dataclass
class Left:
    """The exit status of a command, and the files that it left."""

    status: int
    out: str
    error: str
    logs: list[Path]
    journals: list[Path]


@dataclass
class Place:
    """The folders of one test, and the commands that run in them."""

    build: Path
    folder: Path
    library: Path

    @property
    def work(self) -> Path:
        """The working folder of commands."""
        return self.folder / "work"

    def settings(self) -> dict[str, str]:
        """Returns the variables that record MPI programs only: the preloaded library, and the
        folders of logs and journals."""
        return settings(self.library, self.folder / "logs", self.folder / "journals", mpi=True)

    def run(self, command: Sequence[str | Path], **extra: str) -> Left:
        """Runs a command with the runtime's variables exported. extra: further variables. Returns
        its exit status, its output, and the files in the folders of logs and journals."""
        ours = ("DARSHAN_", "LD_", "OMPI_", "PMI_")
        plain = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        done = finished(
            command,
            cwd=self.work,
            env=plain | ROOT_MAY_RUN | self.settings() | extra,
            timeout=SECONDS,
        )
        journals = left_in(self.folder / "journals")
        logs = sorted(path for path in (self.folder / "logs").rglob("*") if path.is_file())
        return Left(done.returncode, done.stdout, done.stderr, logs, journals)

    def total(self, logs: Sequence[Path], name: str, counter: str = BYTES) -> float:
        """Returns the sum over logs of a counter of a file in the working folder. name: of the
        file."""
        rows = read_logs(self.build / "darshan-parser", *logs).records
        return sum(
            row.get(counter, 0) for (_, path), row in rows.items() if path == str(self.work / name)
        )

    def header(self, log: Path) -> str:
        """Returns everything that darshan-parser prints for a log; it begins with the log's
        header."""
        parser = self.build / "darshan-parser"
        return subprocess.run([parser, log], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def place(build: Path, tmp_path: Path) -> Place:
    """Makes empty folders for the program's work, its logs and its journals."""
    for name in ("work", "logs", "journals"):
        (tmp_path / name).mkdir()
    return Place(build, tmp_path, build / "libdarshan.so")


@pytest.fixture(scope="module")
def writes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the program WRITES. Returns its path."""
    return compile_c(tmp_path_factory.mktemp("writes"), WRITES, name="writes")


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Runs the test with each MPI in turn."""
    chosen: Mpi = request.param
    needs(f"mpi:{chosen.name}")
    return chosen


@pytest.fixture(scope="module")
def job(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles job.c of the MPI tests for this MPI. Returns its path."""
    return mpi.build("job.c", tmp_path_factory.mktemp("job") / "job")


def launch(mpi: Mpi, ranks: int, *command: str | Path) -> list[str]:
    """Returns the command line that starts `command` as a job of `ranks` ranks."""
    return mpi.launch(["-n", str(ranks), *map(str, command)])


# --- which processes leave a log ---------------------------------------------------


@pytest.mark.parametrize("extra", [{}, {"DARSHAN_ENABLE_NONMPI": "0"}], ids=str)
@pytest.mark.parametrize(
    "noise", [{}, {"DARSHAN_DUMP_CONFIG": "", "DARSHAN_MODMEM": "x"}], ids=["", "noise"]
)
def test_nothing_without_mpi(
    place: Place, writes: Path, extra: dict[str, str], noise: dict[str, str]
) -> None:
    """Without MPI and the setting, programs, shells and forked children leave no file and print no
    line."""
    script = f"{writes} a 10; ({writes} b 5; echo c >c) & wait; echo done; exec {writes} d 3"
    left = place.run(["sh", "-c", script], **extra, **noise)
    assert left == Left(0, "done\n", "", [], [])
    assert (place.work / "a").stat().st_size == 10


@pytest.mark.parametrize(
    "extra",
    [{}, {"DARSHAN_DISABLE": "1"}, {"DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_APP_EXCLUDE": "."}],
    ids=str,
)
def test_who_is_left_alone_may_start_others(place: Place, extra: dict[str, str]) -> None:
    """A program in which the runtime is not active may start others by vfork, as compilers do."""
    (place.work / "a.c").write_text("int main(void) { return 0; }\n")
    left = place.run(["gcc", "-o", "a", "a.c"], **extra)
    assert left == Left(0, "", "", [], [])


def test_everything_with_the_setting(place: Place, writes: Path) -> None:
    """With DARSHAN_ENABLE_NONMPI, all programs are recorded, also after exec."""
    left = place.run(["sh", "-c", f"{writes} a 10; exec {writes} b 5"], DARSHAN_ENABLE_NONMPI="1")
    assert (left.status, left.error, left.journals) == (0, "", [])
    assert (place.total(left.logs, "a"), place.total(left.logs, "b")) == (10, 5)


def test_nothing_of_what_only_might_be_a_rank(place: Place, mpi: Mpi, writes: Path) -> None:
    """Processes that an MPI launcher starts are recorded in memory only, and leave no files if they
    never call MPI_Init."""
    script = f"{writes} a-$$ 10; (echo b >b-$$); exec {writes} c-$$ 3"
    left = place.run(launch(mpi, 2, "sh", "-c", script))
    assert (left.status, left.error, left.logs, left.journals) == (0, "", [], [])
    assert len(list(place.work.iterdir())) == 6


def test_a_job_is_counted_from_its_start(place: Place, mpi: Mpi, job: Path) -> None:
    """I/O before MPI_Init is recorded; the launcher leaves no log."""
    left = place.run(launch(mpi, 2, job, "early", place.work))
    assert (left.status, left.error, left.journals) == (0, "", [])
    (log,) = left.logs
    assert place.total([log], "early") == 14
    assert place.total([log], "own-1") == 2000
    assert "# nprocs: 2\n" in place.header(log)


PYTHON_JOB = """
import sys
with open(sys.argv[1] + "/early", "a") as file:
    file.write("seven..")
import ctypes
opened = ctypes.CDLL(sys.argv[2], getattr(ctypes, sys.argv[3]))
if sys.argv[4] == "process":
    opened = ctypes.CDLL(None)
begin = opened.begin if sys.argv[4] == "references" else lambda: opened.MPI_Init(None, None)
end = opened.end if sys.argv[4] == "references" else opened.MPI_Finalize
assert begin() == 0
with open(sys.argv[1] + "/late", "a") as file:
    file.write("three")
assert end() == 0
"""


@pytest.fixture(scope="module")
def opened(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles a library with references to MPI, like a C module of Python. Returns its path."""
    library = tmp_path_factory.mktemp("opened") / "libopened.so"
    return mpi.build("opened.c", library, "-shared", "-fPIC")


@pytest.mark.parametrize("scope", ["RTLD_LOCAL", "RTLD_GLOBAL"])
@pytest.mark.parametrize("ranks", [0, 2])
def test_a_library_that_is_loaded_later(
    place: Place, mpi: Mpi, opened: Path, scope: str, ranks: int
) -> None:
    """Python loads an MPI library later. A rank of a launcher is recorded from its start; a process
    without a launcher from MPI_Init on."""
    (place.work / "job.py").write_text(PYTHON_JOB)
    command = ["python3", "job.py", str(place.work), str(opened), scope, "references"]
    left = place.run(launch(mpi, ranks, *command) if ranks else command)
    assert (left.status, left.error, left.journals) == (0, "", [])
    (log,) = left.logs
    assert place.total([log], "late") == 5 * max(1, ranks)
    assert place.total([log], "early") == 7 * ranks


@pytest.mark.parametrize(
    ("scope", "asked"),
    [("RTLD_LOCAL", "library"), ("RTLD_GLOBAL", "library"), ("RTLD_GLOBAL", "process")],
)
def test_functions_by_dlsym(place: Place, mpi: Mpi, opened: Path, scope: str, asked: str) -> None:
    """dlsym on a loaded library returns the library's own functions, which work. No message is
    printed."""
    (place.work / "job.py").write_text(PYTHON_JOB)
    command = ["python3", "job.py", str(place.work), str(opened), scope, asked]
    left = place.run(launch(mpi, 2, *command))
    assert (left.status, left.error, left.journals) == (0, "", [])
    assert (place.work / "late").read_text() == "three" * 2


# --- the name of a log --------------------------------------------------------------


def test_the_name_is_the_jobs(place: Place, mpi: Mpi, job: Path) -> None:
    """DARSHAN_LOGFILE names the job's log, not one of the launcher, and no existing log is
    replaced."""
    named = place.folder / "job.darshan"
    command = launch(mpi, 2, job, "finalize", place.work)
    first = place.run(command, DARSHAN_LOGFILE=str(named))
    assert (first.status, first.error, first.logs, first.journals) == (0, "", [], [])
    before = named.read_bytes()
    second = place.run(command, DARSHAN_LOGFILE=str(named))
    assert (second.status, second.logs, second.journals) == (0, [], [])
    assert named.read_bytes() == before
    assert second.error.count("\n") == 1
    assert f"{named}.2\n" in second.error
    both = sorted(place.folder.glob("job.darshan*"))
    assert both == [named, place.folder / "job.darshan.2"]
    assert all(place.total([log], "own-0") == 1000 for log in both)


def test_a_launcher_that_is_recorded_takes_another_name(place: Place, mpi: Mpi, job: Path) -> None:
    """If the launcher is recorded, too, the file of DARSHAN_LOGFILE is the log of the MPI job."""
    named = place.folder / "job.darshan"
    command = launch(mpi, 2, job, "finalize", place.work)
    left = place.run(command, DARSHAN_LOGFILE=str(named), DARSHAN_ENABLE_NONMPI="1")
    assert (left.status, left.error) == (0, "")
    assert place.total([named], "own-1") == 2000
    assert "# nprocs: 2\n" in place.header(named)


def test_a_launcher_of_ones_own(place: Place, writes: Path) -> None:
    """DARSHAN_LAUNCHERS adds names of launchers; a script is recognized by its own name."""
    named = place.folder / "job.darshan"
    script = place.work / "start-it"
    script.write_text(f"#!/bin/sh\necho started >started\n{writes} a 10\nexit 0\n")
    script.chmod(0o755)
    extra = {"DARSHAN_LOGFILE": str(named), "DARSHAN_ENABLE_NONMPI": "1"}
    left = place.run([script], **extra, DARSHAN_LAUNCHERS="begin,start-it")
    assert (left.status, left.error) == (0, "")
    assert left.logs == []  # all of it is one run, whose log has the name
    assert place.total([named], "a") == 10
    assert place.total([named], "started", "STDIO_BYTES_WRITTEN") + place.total(
        [named], "started"
    ) == len("started\n")


def darshan(place: Place, *arguments: str | Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Runs the `darshan` command with these arguments and variables in the test's working folder.
    Returns its status and output."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "LD_"))}
    return finished(
        [place.build / "darshan", *arguments],
        cwd=place.work,
        env=kept | ROOT_MAY_RUN | extra,
        timeout=SECONDS,
    )


def test_the_name_is_the_top_process_of_a_run(place: Place, writes: Path) -> None:
    """With `darshan run`, the file of DARSHAN_LOGFILE is the log of the whole run. A second run
    adds a number to its name."""
    named = place.folder / "top.darshan"
    script = f"{writes} a 10; echo b >b; (echo c >c); {writes} d 5; exit 0"
    for number in range(2):
        done = darshan(place, "run", "sh", "-c", script, DARSHAN_LOGFILE=str(named))
        assert done.returncode == 0, done
        path = f"{named}{'.2' * number}"
        assert place.total([Path(path)], "b") == 2
        assert place.total([Path(path)], "a") == 10
        assert path in done.stderr
    assert list((place.work / "darshan-logs").iterdir()) == []


def test_the_name_is_the_top_process_without_trees(place: Place, writes: Path) -> None:
    """Without trees of processes, the file of DARSHAN_LOGFILE is the log of the first process, and
    the others have logs in the folder."""
    named = place.folder / "top.darshan"
    script = f"{writes} a 10; echo b >b; exit 0"
    extra = {"DARSHAN_LOGFILE": str(named), "DARSHAN_JOB_TREE": "0"}
    done = darshan(place, "run", "sh", "-c", script, **extra)
    assert done.returncode == 0, done
    assert place.total([named], "b") == 2
    assert place.total([named], "a") == 0
    assert place.total(list((place.work / "darshan-logs").iterdir()), "a") == 10


def test_the_name_is_the_job_of_a_run(place: Place, mpi: Mpi, job: Path) -> None:
    """If `darshan run` starts an MPI job, the file of DARSHAN_LOGFILE is the log of the job."""
    named = place.folder / "job.darshan"
    command = launch(mpi, 2, job, "finalize", place.work)
    done = darshan(place, "run", "--", *command, DARSHAN_LOGFILE=str(named))
    assert done.returncode == 0
    assert place.total([named], "own-1") == 2000


# --- a job that ends without MPI_Finalize -----------------------------------------


@pytest.mark.parametrize("end", ["exit", "left", "abort"])
def test_one_line_of_a_job_without_an_end(place: Place, mpi: Mpi, job: Path, end: str) -> None:
    """If a job ends without MPI_Finalize, one rank prints the line. The launcher kills the others
    as soon as one exits."""
    ranks = 4
    left = place.run(launch(mpi, ranks, job, end, place.work))
    assert (left.logs, len(left.journals)) == ([], ranks)
    lines = [line for line in left.error.splitlines() if "darshan" in line and "merge" in line]
    assert len(lines) == 1, left.error
    assert lines[0].startswith("darshan_library_warning: ")
    pattern = Path(lines[0].rsplit(" with: darshan-merge -o LOG ", 1)[1])
    journals = sorted(pattern.parent.glob(pattern.name))
    assert journals == left.journals
    log = place.folder / "merged.darshan"
    merge = [place.build / "darshan-merge", "-o", log, *journals]
    subprocess.run(merge, check=True, capture_output=True, timeout=SECONDS)
    assert all(place.total([log], f"own-{rank}") == 1000 * (rank + 1) for rank in range(ranks))


# --- the folder of a log ------------------------------------------------------------

DATED = "[0-9][0-9][0-9][0-9]/*/*/*.darshan"


def test_the_log_path_of_a_file_has_days(place: Place, writes: Path) -> None:
    """Below a log path of the configuration file, each day has a folder to which all users can
    write. A log path of the environment has no such folders."""
    config = place.folder / "config"
    config.write_text(f"LOGPATH {place.folder}/site\n")
    extra = {"DARSHAN_CONFIG_PATH": str(config), "DARSHAN_ENABLE_NONMPI": "1"}
    site = place.folder / "site"
    site.mkdir()
    site.chmod(0o1777)
    left = place.run([writes, "a", "10"], **extra, DARSHAN_LOGPATH="")
    assert (left.status, left.error, left.logs) == (0, "", [])
    (log,) = site.glob(DATED)
    assert re.fullmatch(r"\d{4}/[1-9]\d?/[1-9]\d?/[^/]+", str(log.relative_to(site)))
    assert place.total([log], "a") == 10
    # Another user of the same day may write there.
    modes = {folder.stat().st_mode & 0o7777 for folder in log.parents[:3]}
    assert modes == {0o1777}
    # A log path of the environment has no folders by day; that of the config file has none if the
    # file says LOGPATH_DATED 0.
    assert len(place.run([writes, "a", "10"], **extra).logs) == 1
    config.write_text(f"LOGPATH_DATED 0\nLOGPATH {place.folder}/flat\n")
    place.run([writes, "a", "10"], **extra, DARSHAN_LOGPATH="")
    assert len(list((place.folder / "flat").glob("*.darshan"))) == 1


def test_hints_stand_in_the_log(place: Place, writes: Path) -> None:
    """The log has the hints for MPI-IO, and a line break in them cannot add other metadata."""
    hints = "romio_no_indep_rw=true;cb_nodes=4"
    left = place.run([writes, "a", "1"], DARSHAN_ENABLE_NONMPI="1", DARSHAN_LOGHINTS=hints)
    assert f"# metadata: h = {hints}\n" in place.header(left.logs[0])
    forged = "a=1\nlib_ver=0"
    left = place.run([writes, "a", "1"], DARSHAN_ENABLE_NONMPI="1", DARSHAN_LOGHINTS=forged)
    assert sum("# metadata: lib_ver = 0\n" in place.header(log) for log in left.logs) == 0
    left = place.run([writes, "a", "1"], DARSHAN_ENABLE_NONMPI="1", DARSHAN_LOGHINTS="")
    assert sum("# metadata: h = " in place.header(log) for log in left.logs) == 2


# --- disabling the runtime ----------------------------------------------------------


@pytest.fixture
def switch(place: Place) -> Path:
    """Returns the path of a switch file, which does not exist yet. place.library becomes a copy of
    the library that looks for the file there."""
    text = (place.build / "config.h").read_text()
    (path,) = re.findall(r'#define DARSHAN_OFF_FILE "(.*)"', text)
    folder = Path(f"/tmp/d{os.getpid() % 1000000:06}")
    off = folder / "off"
    assert len(str(off)) <= len(path), "configured with a path that is too short for this test"
    binary = place.library.read_bytes()
    assert binary.count(path.encode() + b"\0") == 1
    place.library = place.folder / "libdarshan.so"
    place.library.write_bytes(
        binary.replace(path.encode() + b"\0", str(off).encode().ljust(len(path) + 1, b"\0"))
    )
    folder.mkdir()
    return off


def test_an_administrators_switch(place: Place, switch: Path, writes: Path) -> None:
    """If the switch file exists, the runtime reads and maps nothing more."""
    needs("program:strace")
    config = place.folder / "config"
    config.write_text("MODMEM 8\n")
    extra = {"DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_CONFIG_PATH": str(config)}
    try:
        assert len(place.run([writes, "a", "10"], **extra).logs) == 1
        switch.touch()
        trace = place.folder / "trace"
        command = ["strace", "-o", str(trace), *for_command({**place.settings(), **extra})]
        left = place.run([*command, str(writes), "a", "10"], **preload())
        assert (left.status, left.error, len(left.logs), left.journals) == (0, "", 1, [])
        lines = trace.read_text().splitlines()
        (at,) = (i for i, line in enumerate(lines) if str(switch) in line)
        assert re.match(r"openat\(AT_FDCWD, .*O_PATH\) = \d+$", lines[at])
        rest = [line.split("(")[0] for line in lines[at + 1 :]]
        opened = rest.index("openat")  # the program's own first call
        assert str(config) not in "\n".join(lines)
        assert not {"mmap", "open", "getcwd"} & set(rest[:opened])
        switch.unlink()
        assert len(place.run([writes, "a", "10"], **extra).logs) == 2
    finally:
        shutil.rmtree(switch.parent)


def test_the_switch_stops_jobs(place: Place, switch: Path, mpi: Mpi, job: Path) -> None:
    """While the switch-off file exists, an MPI job runs without a log."""
    switch.touch()
    try:
        left = place.run(launch(mpi, 2, job, "early", place.work))
        assert (left.status, left.error, left.logs, left.journals) == (0, "", [], [])
    finally:
        shutil.rmtree(switch.parent)


def test_a_share_of_the_jobs(place: Place, writes: Path) -> None:
    """With DARSHAN_SAMPLE_JOBS=N, jobs whose numeric id is divisible by N are recorded, whatever
    suffix the id has."""
    extra = {"DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_SAMPLE_JOBS": "3", "DARSHAN_JOBID": "MY_JOB"}
    for number in range(9):
        place.run([writes, f"of-{number}", "10"], **extra, MY_JOB=f"{number}.server")
    logs = list((place.folder / "logs").iterdir())
    assert [number for number in range(9) if place.total(logs, f"of-{number}") == 10] == [0, 3, 6]


@pytest.mark.parametrize("number", ["6", "7", ""])
def test_all_ranks_give_the_same_answer(place: Place, mpi: Mpi, job: Path, number: str) -> None:
    """All ranks decide alike whether the job is recorded: by the job id, or, without one, by the
    pid of rank 0."""
    extra = {"DARSHAN_SAMPLE_JOBS": "3"}
    if number:
        extra |= {"DARSHAN_JOBID": "MY_JOB", "MY_JOB": number}
    script = f'echo $$ >"pid-${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"; exec {job} early {place.work}'
    left = place.run(launch(mpi, 3, "sh", "-c", script), **extra)
    assert (left.status, left.error, left.journals) == (0, "", [])
    jobid = int(number or (place.work / "pid-0").read_text())
    assert len(left.logs) == (jobid % 3 == 0)
    for log in left.logs:
        assert (place.total([log], "early"), place.total([log], "own-2")) == (21, 3000)
