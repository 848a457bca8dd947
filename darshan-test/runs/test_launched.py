"""darshan-merge makes one log of a job from the logs of ranks that a launcher started without
MPI."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.variable import heat_maps, traces
from lab.binding import metadata, names, of_file, rows
from logs.pydarshan import compare_with_pydarshan
from mpi.launch import MPIS
from place import absent, needs, works
from sample import everything

from .conftest import Merge
from .launched import RANK, Place, shared_bytes

HOST = socket.gethostname().split(".")[0]
VARIABLES = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}


@pytest.fixture
def place(build: Path, tmp_path: Path) -> Place:
    """Returns the folders of a launch."""
    return Place(build, tmp_path)


@pytest.fixture
def four(place: Place) -> Place:
    """Runs the four ranks of a job one after another, each with a log of its own."""
    for rank in range(4):
        place.rank(rank, 4, {"TORCHELASTIC_RUN_ID": "r1"})
    return place


def check_files(log: Path, place: Place, ranks: range, nprocs: int) -> None:
    """Checks that the log has the bytes of these ranks in the shared file and in the file of each.
    nprocs: the expected number of processes."""
    (shared,) = of_file(log, place.data / "shared")
    assert (shared["rank"], shared["POSIX_WRITES"]) == (-1, len(ranks))
    assert shared["POSIX_BYTES_WRITTEN"] == shared_bytes(ranks)
    for rank in ranks:
        (own,) = of_file(log, place.data / f"own.{rank}")
        assert (own["rank"], own["POSIX_BYTES_WRITTEN"]) == (rank, 10 * (rank + 1))
    with open_log(log) as opened:
        assert opened.info.nprocs == nprocs
        ids = {int(i) for i, name in opened.names().items() if name == str(place.data / "shared")}
    part = [r for r in rows(log, "SHARED") if int(r["id"]) in ids and r["SHARED_MODULE"] == 1]
    if len(ranks) == nprocs:
        assert not part
    else:
        (row,) = part
        assert row["SHARED_RANKS"] == len(ranks)
        assert (row["SHARED_LOWEST_RANK"], row["SHARED_HIGHEST_RANK"]) == (ranks[0], ranks[-1])


def check_processes(log: Path, ranks: range, size: int) -> None:
    """Checks that a log has these ranks of one launch. size: ranks of the launch."""
    found = rows(log, "PROCESS")
    assert [int(r["rank"]) for r in found] == list(ranks)
    assert [int(r["PROCESS_WORLD_RANK"]) for r in found] == list(ranks)
    assert {int(r["PROCESS_WORLD_SIZE"]) for r in found} == {size}
    assert len({int(r["PROCESS_LAUNCH"]) for r in found}) == 1


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_programs_under_mpirun(flavour: str, place: Place, merge: Merge, parser: Path) -> None:
    """Programs without MPI that an MPI launcher starts become the ranks of one log. flavour: the
    MPI."""
    needs(f"mpi:{flavour}")
    place.mpi(flavour, 4, place.program(VARIABLES[flavour]))
    assert len(place.all_logs()) == 4
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    check_files(log, place, range(4), 4)
    check_processes(log, range(4), 4)
    known = names(log)
    for row in rows(log, "PROCESS"):
        assert known[int(row["id"])].startswith(f"{HOST}: ")
        assert (row["PROCESS_COUNT"], row["PROCESS_PARENT_RANK"]) == (1, -1)
    found = metadata(log)
    assert found["hosts"] == HOST and found["ranks_merged"] == "4"
    assert not {"rank", "pid", "host", "missing_ranks", "clock_error"} & found.keys()
    assert compare_with_pydarshan(parser, log) > 0


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_wrappers_of_a_whole_job(flavour: str, place: Place, merge: Merge) -> None:
    """Each rank below one mpirun is a shell with children. The log of the run has all ranks, and
    the job's log has one PROCESS record for each, of three processes."""
    needs(f"mpi:{flavour}")
    place.mpi(flavour, 4, place.wrapped(VARIABLES[flavour]))
    (run,) = place.all_logs()
    assert metadata(run)["ranks_here"] == "4"
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert (done.returncode, done.stderr) == (0, "")
    check_files(log, place, range(4), 4)
    check_processes(log, range(4), 4)
    for rank in range(4):
        (said,) = of_file(log, place.data / f"said.{rank}")
        assert (said["rank"], said["POSIX_BYTES_WRITTEN"]) == (rank, 7)
    assert {r["PROCESS_COUNT"] for r in rows(log, "PROCESS")} == {3}


@pytest.mark.needs("root")
@pytest.mark.needs("runs:unshare -u sh -c 'hostname node1; exec \"$@\"' sh")
def test_two_hosts(place: Place, merge: Merge) -> None:
    """Each of two hosts leaves the log of its run, with the records of its launcher. The job's log
    combines the ranks of both, has no records of the launchers, and names the missing rank."""
    place.agent(0, 2, 5, place.wrapped("RANK"), "node1")
    place.agent(2, 2, 5, place.wrapped("RANK"), "node2")
    assert len(place.all_logs()) == 2
    assert all(row["rank"] >= 0 for log in place.all_logs() for row in rows(log, "POSIX"))
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert done.returncode == 0
    assert done.stderr.endswith("4 of 5 ranks of r1.29500 left a log; ranks without a log: 4\n")
    check_files(log, place, range(4), 5)
    check_processes(log, range(4), 5)
    assert not of_file(log, place.data / "agents")
    known = names(log)
    hosts = [known[int(r["id"])].split(":")[0] for r in rows(log, "PROCESS")]
    assert hosts == ["node1", "node1", "node2", "node2"]
    found = metadata(log)
    assert (found["missing_ranks"], found["processes_around"]) == ("4", "2")
    assert (found["nodes"], found["hosts"]) == ("2", "node1,node2")
    assert found["clock_error"].startswith("not known; ")
    first, last = rows(log, "PROCESS")[0], rows(log, "PROCESS")[-1]
    assert first["PROCESS_F_END_TIMESTAMP"] < last["PROCESS_F_START_TIMESTAMP"]


def test_agent_and_workers_of_one_host(place: Place, merge: Merge) -> None:
    """The log of a run of three ranks combines the records of all processes; the job's log made
    from it has no records of the launcher."""
    place.agent(0, 3, 3, place.program("RANK"))
    (run,) = place.all_logs()
    (shared,) = of_file(run, place.data / "shared")
    assert shared["rank"] == -1
    log = place.folder / "one.darshan"
    assert merge("-o", log, run).returncode == 0
    check_files(log, place, range(3), 3)
    (shared_again,) = of_file(log, place.data / "shared")
    name = "POSIX_F_VARIANCE_RANK_BYTES"
    assert shared_again[name] == pytest.approx(shared[name])
    assert shared_again["POSIX_FASTEST_RANK"] == shared["POSIX_FASTEST_RANK"] - 1
    assert not of_file(log, place.data / "agents")


def test_ranks_that_left_nothing_are_named(four: Place, merge: Merge) -> None:
    """A rank without a log is named in a message and in the metadata."""
    lost = next(log for log in four.all_logs() if metadata(log)["rank"] == "2")
    lost.unlink()
    log = four.folder / "one.darshan"
    done = merge("-o", log, four.logs)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "3 of 4 ranks of r1 left a log; ranks without a log: 2" in done.stderr
    assert metadata(log)["missing_ranks"] == "2"
    (shared,) = of_file(log, four.data / "shared")
    assert shared["POSIX_BYTES_WRITTEN"] == 100 + 101 + 103


def test_damaged_logs(four: Place, merge: Merge) -> None:
    """darshan-merge skips a damaged log in a folder; if the damaged log is an argument, it
    fails."""
    bad = next(log for log in four.all_logs() if metadata(log)["rank"] == "0")
    bad.write_bytes(bad.read_bytes()[:900])
    log = four.folder / "one.darshan"
    done = merge("-o", log, *four.all_logs())
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert bad.name in done.stderr and not log.exists()
    done = merge("-o", log, four.logs)
    assert (done.returncode, done.stderr.count("\n")) == (0, 2)
    assert metadata(log)["parts_left_out"] == bad.name
    assert metadata(log)["missing_ranks"] == "0"


def test_a_log_counts_once(four: Place, merge: Merge) -> None:
    """A log is counted once, even if it is named twice, linked or copied, or if its records are
    also in a merged log."""
    first, second = four.all_logs()[:2]
    (four.logs / "link.darshan").hardlink_to(first)
    shutil.copy(second, four.logs / "copy.darshan")
    log = four.logs / "one.darshan"
    done = merge("-o", log, four.logs, first, four.logs)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "is a copy of" in done.stderr
    check_files(log, four, range(4), 4)
    again = four.folder / "again.darshan"
    assert merge("-o", again, four.logs).returncode == 0
    check_files(again, four, range(4), 4)


def test_several_jobs_in_a_folder(four: Place, merge: Merge) -> None:
    """If a folder has logs of several jobs, the merger asks for one, or makes a log for each."""
    for rank in range(2):
        four.rank(rank, 2, {"TORCHELASTIC_RUN_ID": "other", "MASTER_PORT": "5"})
    log = four.folder / "one.darshan"
    done = merge("-o", log, four.logs)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "r1 (4 of 4 ranks), other.5 (2 of 2 ranks)" in done.stderr and not log.exists()
    assert merge("-o", log, "--job", "nothing", four.logs).returncode == 1
    done = merge("-o", log, "--job", "r1", four.logs)
    assert (done.returncode, done.stderr) == (0, "")
    check_files(log, four, range(4), 4)
    each = four.folder / "each"
    each.mkdir()
    done = merge("--logs", each, "--print", four.logs)
    assert (done.returncode, done.stderr) == (0, "")
    printed = [Path(line) for line in done.stdout.splitlines()]
    assert sorted(printed) == sorted(each.iterdir())
    check_files(printed[0], four, range(4), 4)
    check_files(printed[1], four, range(2), 2)


def test_launches_without_a_name_are_told_apart_by_time(place: Place, merge: Merge) -> None:
    """Two launches without a name are two jobs, which the merger distinguishes by their times, and
    it asks for one of them."""
    for _ in range(2):
        for rank in range(2):
            place.rank(rank, 2)
    done = merge("-o", place.folder / "one.darshan", place.logs)
    assert (done.returncode, done.stderr.count("(2 of 2 ranks)")) == (1, 2)


def test_rank_that_was_killed(place: Place, merge: Merge) -> None:
    """The journal of a rank that was killed is merged like a log."""
    place.rank(0, 2, {"TORCHELASTIC_RUN_ID": "r1"})
    killed = place.program("RANK")
    killed[3] += "\nos.kill(os.getpid(), 9)\n"
    said = {"RANK": "1", "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "r1"}
    shell = ["sh", "-c", '"$@"; exit 0', "sh", "env"]
    settings = [f"{key}={value}" for key, value in (place.settings() | said).items()]
    place.run([*shell, *settings, *killed], {})
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs, place.journals)
    assert (done.returncode, done.stderr) == (0, "")
    check_files(log, place, range(2), 2)
    assert metadata(log)["end"] == "not seen; log merged from journals"


def test_inputs_can_be_removed(four: Place, merge: Merge) -> None:
    """With --remove, the merger removes the logs that it merged."""
    assert merge("-o", four.folder / "one.darshan", "--remove", four.logs).returncode == 0
    assert not four.all_logs()


@pytest.mark.needs("ptrace")
def test_merger_that_is_killed(four: Place, merge: Merge) -> None:
    """After the merger was killed no record is lost, and the next merger writes the log."""
    log = four.folder / "one.darshan"
    calls = "rename,renameat,renameat2,link,linkat"
    inject = ["strace", "-o", "/dev/null", "-e", f"inject={calls}:signal=KILL:when=1"]
    done = merge("--remove", "-o", log, four.logs, under=inject)
    assert done.returncode != 0 and len(four.all_logs()) == 4
    log.unlink(missing_ok=True)
    assert merge("--remove", "-o", log, four.logs).returncode == 0
    check_files(log, four, range(4), 4)
    assert not four.all_logs()


def test_records_can_be_kept_apart(four: Place, merge: Merge) -> None:
    """With --no-shared-redux, a shared file has a record for each rank."""
    log = four.folder / "one.darshan"
    assert merge("--no-shared-redux", "-o", log, four.logs).returncode == 0
    found = of_file(log, four.data / "shared")
    assert sorted(row["rank"] for row in found) == [0, 1, 2, 3]


# --- unusual use --------------------------------------------------------------------------

FORKS = """
import os, sys
folder = sys.argv[1]
rank = os.environ["RANK"]
def put(name, n):
    fd = os.open(f"{folder}/{name}.{rank}", os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"f" * n)
    os.close(fd)
put("parent", 5)
if os.fork() == 0:
    put("child", 7)
    os._exit(0)
os.wait()
"""

TORCHRUN = """
import torch.distributed.run
from torch.distributed.elastic.multiprocessing import api
if api.Std.from_str("0") is None:  # Debian 12's, with Python 3.11
    api.Std.from_str = classmethod(lambda cls, text: cls.NONE)
torch.distributed.run.main()
"""


def test_each_process_with_a_log_of_its_own(place: Place, merge: Merge) -> None:
    """If each process has a separate log, the shell, the program and its child of a rank become one
    PROCESS record with a count of three."""
    for rank in range(2):
        said = {"RANK": str(rank), "WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "r1"}
        program = [sys.executable, "-S", "-c", FORKS, str(place.data)]
        shell = ["sh", "-c", 'echo before >"$0/said.$RANK"; "$@"; true', str(place.data), *program]
        place.run(shell, place.settings() | said | {"DARSHAN_JOB_TREE": "0"})
    assert len(place.all_logs()) == 6
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert (done.returncode, done.stderr) == (0, "")
    for name, size in (("parent", 5), ("child", 7), ("said", 7)):
        for rank in range(2):
            (row,) = of_file(log, place.data / f"{name}.{rank}")
            assert (row["rank"], row["POSIX_BYTES_WRITTEN"]) == (rank, size)
    assert [r["PROCESS_COUNT"] for r in rows(log, "PROCESS")] == [3, 3]


def test_jobs_at_once_that_have_no_name(place: Place, merge: Merge) -> None:
    """If two jobs without a name ran at the same time, darshan-merge cannot distinguish their
    ranks, and its message says so."""
    slow = [*place.program("PMI_RANK")[:3], RANK + "\nimport time\ntime.sleep(1)\n", "PMI_RANK"]
    shell = ["sh", "-c", 'PMI_RANK=0 "$@" & PMI_RANK=0 "$@" & wait', "sh", *slow, str(place.data)]
    place.run(shell, {"PMI_SIZE": "2"} | place.settings() | {"DARSHAN_JOB_TREE": "0"})
    for log in place.all_logs():
        if "rank" not in metadata(log):
            log.unlink()  # the log of the shell
    done = merge("-o", place.folder / "one.darshan", place.logs)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot assign " in done.stderr


def test_a_run_that_launched_its_ranks(place: Place, merge: Merge) -> None:
    """The log of a job started by `darshan run mpirun` has the command of the ranks, not that of
    the launcher."""
    needs("mpi:openmpi")
    front = [str(place.build / "darshan"), "run", "-o", str(place.logs), "--"]
    mpi = next(mpi for mpi in MPIS if mpi.name == "openmpi")
    place.run([*front, *mpi.launch(["-n", "3"]), *place.program(VARIABLES["openmpi"])], {})
    log = place.folder / "one.darshan"
    assert merge("-o", log, place.logs).returncode == 0
    check_files(log, place, range(3), 3)
    with open_log(log) as opened:
        assert opened.info.exe.startswith(sys.executable)


def test_jobs_of_gnu_parallel(place: Place, merge: Merge) -> None:
    """GNU parallel does not tell a process the number of ranks, so the highest rank determines
    it."""
    needs("program:parallel")
    said = " ".join(f"{key}={value}" for key, value in place.settings().items())
    copy = f"env {said} cp {place.folder}/from {place.data}/to.{{}}"
    (place.folder / "from").write_bytes(bytes(1000))
    place.run(["parallel", "-j2", copy, ":::", "a", "b", "c"], {})
    assert len(place.all_logs()) == 3
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert (done.returncode, done.stderr) == (0, "")
    for rank, name in enumerate("abc"):
        assert of_file(log, place.data / f"to.{name}")[0]["rank"] == rank
    (read,) = of_file(log, place.folder / "from")
    assert (read["rank"], read["POSIX_OPENS"]) == (-1, 3)
    assert metadata(log)["launcher"] == "GNU parallel"


NUMBERED = """
import os, subprocess, sys
for number in sys.argv[1:3]:
    said = {"PARALLEL_SEQ": str(int(number) + 1), "PARALLEL_PID": "77", "NUMBER": number}
    subprocess.run(sys.argv[3:], env=os.environ | said, check=True)
"""


def test_what_was_combined_before_is_combined_again(place: Place, merge: Merge) -> None:
    """Two runs of a job have already combined records of shared files. The job's log combines these
    once more, and its statistics over ranks are right."""
    for two in ("0", "1"), ("2", "3"):
        command = [sys.executable, "-S", "-c", NUMBERED, *two, *place.program("NUMBER")]
        place.run(command, place.settings())
    for run in place.all_logs():
        (shared,) = of_file(run, place.data / "shared")
        assert shared["rank"] == -1
    log = place.folder / "one.darshan"
    done = merge("-o", log, place.logs)
    assert (done.returncode, done.stderr) == (0, "")
    check_files(log, place, range(4), 4)
    (shared,) = of_file(log, place.data / "shared")
    assert shared["POSIX_F_VARIANCE_RANK_BYTES"] == pytest.approx(1.25)
    assert 0 <= shared["POSIX_FASTEST_RANK"] <= 3
    assert shared["POSIX_FASTEST_RANK_BYTES"] == 100 + shared["POSIX_FASTEST_RANK"]
    assert shared["POSIX_SLOWEST_RANK_BYTES"] == 100 + shared["POSIX_SLOWEST_RANK"]


def test_traces_and_heat_maps(place: Place, merge: Merge) -> None:
    """The merged log has the traces and the heat map of each rank."""
    for rank in range(2):
        place.rank(rank, 2, {"TORCHELASTIC_RUN_ID": "r1", "DXT_ENABLE_IO_TRACE": "1"})
    log = place.folder / "one.darshan"
    assert merge("-o", log, place.logs).returncode == 0
    with open_log(log) as opened:
        known = opened.names()
        found = [
            (trace.rank, [int(n) for n in trace.writes["length"]])
            for trace in traces(opened, "DXT_POSIX")
            if known[trace.id] == str(place.data / "shared")
        ]
        heats = [m for m in heat_maps(opened) if known[m.id] == "heatmap:POSIX"]
        assert sorted((m.rank, int(m.write.sum())) for m in heats) == [(0, 110), (1, 121)]
        assert len({len(m.write) for m in heats}) == 1
    assert sorted(found) == [(0, [100]), (1, [101])]


def test_strangers_names_are_harmless(four: Place, merge: Merge, build: Path) -> None:
    """Control characters in a log's metadata are not printed, and a pipe whose name ends in
    .darshan is skipped."""
    said = "rank=0\tworld_size=2\tlauncher=\x1b[31m\tlaunch=\x1b]0;x\x07\thost=h\tpid=1"
    convert = [str(build / "darshan-convert"), "--reset-md", "--annotate", said]
    log = four.all_logs()[0]
    subprocess.run([*convert, str(log), str(four.logs / "bad.darshan")], check=True, timeout=60)
    os.mkfifo(four.logs / "pipe.darshan")
    done = merge("-o", four.folder / "one.darshan", four.logs)
    assert done.returncode == 1 and "2 jobs" in done.stderr
    assert "\x1b" not in done.stderr and "\x07" not in done.stderr


def test_a_folder_without_any(place: Place, merge: Merge) -> None:
    """A folder without logs of ranks is an error of one line."""
    place.run(["cat", __file__], place.settings())
    done = merge("-o", place.folder / "one.darshan", place.logs)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_report_tells_of_ranks(four: Place, merge: Merge, build: Path) -> None:
    """The report says how many of the job's ranks are in the log."""
    log = four.folder / "one.darshan"
    assert merge("-o", log, *four.all_logs()[:3]).returncode == 0
    command = [str(build / "darshan"), "report", "--text", str(log)]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "They were 3 ranks of a job, of 4." in " ".join(text.split())


if everything():

    def test_torchrun(place: Place, merge: Merge) -> None:
        """Ranks that the real torchrun started, if it is installed, become one log."""
        python = "/usr/bin/python3"
        if works(python, "-c", "import torch"):
            absent("not installed: python3-torch")
        script = place.folder / "train.py"
        script.write_text(RANK, "utf-8")
        run = [python, "-c", TORCHRUN, "--nproc_per_node", "2", "--master_port", "29511"]
        place.run([*run, str(script), "RANK", str(place.data)], place.settings())
        log = place.folder / "one.darshan"
        assert merge("-o", log, place.logs).returncode == 0
        check_files(log, place, range(2), 2)
        check_processes(log, range(2), 2)
        assert metadata(log)["launch"] == "none.29511"
