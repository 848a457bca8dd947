"""Every setting of the runtime with an effect on programs without MPI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lab.command import finished
from lab.log import Log
from run_case import Run, parse, run_case


def run_with(build: Path, folder: Path, config: str | None = None, **extra: str) -> Run:
    """Runs the case `two_files` with a configuration file and with settings from the environment.
    Returns the run."""
    folder.mkdir(exist_ok=True)
    if config is not None:
        (folder / "config").write_text(config)
        extra["DARSHAN_CONFIG_PATH"] = str(folder / "config")
    run = run_case(build, "two_files", folder / "run", extra=extra)
    assert (run.status, run.stdout) == (0, b"output\n")
    return run


def quiet_log(parser: Path, run: Run) -> Log:
    """Returns the log of a run that printed nothing."""
    assert run.stderr == b""
    (path,) = run.logs
    return parse(parser, path)


def names(log: Log) -> set[tuple[str, str]]:
    """Returns the module, and the last path component, of every record."""
    return {(module, Path(path).name) for module, path in log.records}


ALL = {("POSIX", "file"), ("STDIO", "stream"), ("STDIO", "<STDOUT>")}


def test_no_settings(build: Path, parser: Path, tmp_path: Path) -> None:
    """Without settings, the log is in the folder of logs, only its owner and group may read it, and
    it has all files of the program."""
    run = run_with(build, tmp_path)
    log = quiet_log(parser, run)
    assert names(log) >= ALL
    assert run.logs[0].stat().st_mode & 0o777 in {0o400, 0o440}
    assert run.logs[0].parent == (tmp_path / "run" / "logs").resolve()


def shown(value: object) -> str:
    """Returns a case's name that is the same in each process of pytest: a process that loads
    compiled code of another process may order a set differently."""
    return str(sorted(value)) if isinstance(value, (set, frozenset)) else str(value)


@pytest.mark.parametrize(
    "extra",
    [
        {"DARSHAN_DISABLE": ""},
        {"DARSHAN_DISABLE": "0"},
        {"DARSHAN_ENABLE_NONMPI": "0"},
        {"DARSHAN_SAMPLE_JOBS": "3", "DARSHAN_JOBID": "MY_JOB", "MY_JOB": "4"},
        {"DARSHAN_APP_EXCLUDE": "nothing,calls$"},
    ],
    ids=str,
)
def test_switched_off(extra: dict[str, str], build: Path, tmp_path: Path) -> None:
    """With one of these settings, the program leaves neither a log nor a message."""
    run = run_with(build, tmp_path, **extra)
    assert (run.logs, run.journals, run.stderr) == ([], [], b"")


@pytest.mark.parametrize(
    ("config", "extra"),
    [
        (None, {"DARSHAN_ENABLE_NONMPI": ""}),
        (None, {"DARSHAN_APP_EXCLUDE": ".*", "DARSHAN_APP_INCLUDE": "calls"}),
        (None, {"DARSHAN_APP_EXCLUDE": "something-else"}),
        (None, {"DARSHAN_SAMPLE_JOBS": "3", "DARSHAN_JOBID": "MY_JOB", "MY_JOB": "6"}),
        ("SAMPLE_JOBS 100\n", {"DARSHAN_SAMPLE_JOBS": "1"}),
        ("APP_EXCLUDE calls\n", {"DARSHAN_APP_INCLUDE": "anything"}),
        ("# a comment\n\n  \tMODMEM\t8\nNAMEMEM 2\n", {}),
    ],
    ids=str,
)
def test_still_on(
    config: str | None, extra: dict[str, str], build: Path, parser: Path, tmp_path: Path
) -> None:
    """With one of these settings, the log has all files of the program, and nothing is printed.
    config: text of the configuration file; None: there is none."""
    assert names(quiet_log(parser, run_with(build, tmp_path, config, **extra))) >= ALL


@pytest.mark.parametrize(
    ("config", "extra", "modules"),
    [
        (None, {"DARSHAN_MOD_DISABLE": "STDIO"}, {"POSIX"}),
        (None, {"DARSHAN_MOD_DISABLE": "POSIX"}, {"STDIO"}),
        (None, {"DARSHAN_MOD_DISABLE": "*", "DARSHAN_MOD_ENABLE": "POSIX"}, {"POSIX"}),
        ("MOD_DISABLE POSIX,STDIO\nMOD_ENABLE STDIO\n", {}, {"STDIO"}),
        ("MOD_DISABLE STDIO\n", {"DARSHAN_MOD_DISABLE": "POSIX"}, {"STDIO"}),
    ],
    ids=shown,
)
def test_modules(
    *,
    config: str | None,
    extra: dict[str, str],
    modules: set[str],
    build: Path,
    parser: Path,
    tmp_path: Path,
) -> None:
    """The log has records of these modules only. config: text of the configuration file; None:
    there is none."""
    log = quiet_log(parser, run_with(build, tmp_path, config, **extra))
    assert {module for module, _ in log.records} - {"POSIX_EXT"} == modules


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("NAME_EXCLUDE file$ POSIX\n", ALL - {("POSIX", "file")}),
        ("NAME_EXCLUDE /file$,/stream$ *\n", {("STDIO", "<STDOUT>")}),
        ("NAME_EXCLUDE / *\nNAME_INCLUDE /stream$ STDIO\n", ALL - {("POSIX", "file")}),
        ("NAME_EXCLUDE /stream$ POSIX\n", ALL),
    ],
    ids=shown,
)
def test_names(
    config: str, expected: set[tuple[str, str]], build: Path, parser: Path, tmp_path: Path
) -> None:
    """The log has records of exactly these files and modules. config: text of the configuration
    file."""
    log = quiet_log(parser, run_with(build, tmp_path, config))
    assert {record for record in names(log) if record[0] != "POSIX_EXT"} == expected


@pytest.mark.parametrize(
    ("config", "extra", "alignment", "not_aligned"),
    [
        (None, {}, 8, 1),
        (None, {"DARSHAN_MEMALIGN": "4096"}, 4096, 1),
        (None, {"DARSHAN_MEMALIGN": "0"}, 1, 0),
        (None, {"DARSHAN_MEMALIGN": "many"}, 8, 1),
        ("MEM_ALIGNMENT 64\n", {}, 64, 1),
        ("MEMALIGN 64\n", {}, 64, 1),
        ("MEM_ALIGNMENT 64\n", {"DARSHAN_MEMALIGN": "16"}, 16, 1),
    ],
    ids=str,
)
def test_memory_alignment(
    *,
    config: str | None,
    extra: dict[str, str],
    alignment: int,
    not_aligned: int,
    build: Path,
    parser: Path,
    tmp_path: Path,
) -> None:
    """The record of a file has this alignment of memory, from MEM_ALIGNMENT of the configuration
    file or from DARSHAN_MEMALIGN. An invalid value causes one line of output. not_aligned: number
    of transfers whose memory is not aligned."""
    run = run_with(build, tmp_path, config, **extra)
    assert run.stderr.count(b"\n") == ("many" in extra.values())
    (path,) = run.logs
    log = parse(parser, path)
    file = str(run.work / "file")
    assert log.value(file, "POSIX_MEM_ALIGNMENT") == alignment
    assert log.value(file, "POSIX_MEM_NOT_ALIGNED") == not_aligned


def test_log_file(build: Path, parser: Path, tmp_path: Path) -> None:
    """DARSHAN_LOGFILE is the path of the log. If this file exists, it stays as it is, and the log
    has the same path with a number, which a line names."""
    path = tmp_path / "exactly.this"
    run = run_with(build, tmp_path / "first", DARSHAN_LOGFILE=str(path))
    assert (run.logs, run.journals, run.stderr) == ([], [], b"")
    assert names(parse(parser, path)) >= ALL
    before = path.read_bytes()
    # An existing file is never replaced: the next log gets a number.
    for number in (2, 3):
        numbered = tmp_path / f"exactly.this.{number}"
        run = run_with(build, tmp_path / str(number), DARSHAN_LOGFILE=str(path))
        assert path.read_bytes() == before
        assert (run.logs, run.journals, run.stderr.count(b"\n")) == ([], [], 1)
        assert str(numbered).encode() in run.stderr
        assert names(parse(parser, numbered)) >= ALL


def test_name_of_the_log(build: Path, parser: Path, tmp_path: Path) -> None:
    """The name of the log has the user, the program, and the job id from the variable that
    DARSHAN_JOBID names."""
    run = run_with(
        build, tmp_path, LOGNAME="somebody", DARSHAN_JOBID="MY_JOB", MY_JOB="4711", TZ="UTC"
    )
    log = quiet_log(parser, run)
    assert log.header["jobid"] == "4711"
    assert re.fullmatch(r"somebody_calls_id4711-\d+_\d+-\d+-\d+-\d+_\d+\.darshan", run.logs[0].name)


@pytest.mark.parametrize(
    ("config", "extra"),
    [
        (None, {"DARSHAN_LOGPATH_DATED": ""}),
        ("LOGPATH_DATED\n", {}),
        ("LOGPATH_DATED 0\n", {"DARSHAN_LOGPATH_DATED": "1"}),
    ],
    ids=str,
)
def test_dated_folders(
    config: str | None, extra: dict[str, str], build: Path, parser: Path, tmp_path: Path
) -> None:
    """With LOGPATH_DATED, the log is in a folder of its year, month and day. config: text of the
    configuration file; None: there is none."""
    run = run_with(build, tmp_path, config, **extra)
    assert names(quiet_log(parser, run)) >= ALL
    below = run.logs[0].relative_to((tmp_path / "run" / "logs").resolve())
    assert re.fullmatch(r"\d{4}/\d{1,2}/\d{1,2}/[^/]+\.darshan", str(below))


def test_log_path_below_home(build: Path, parser: Path, tmp_path: Path) -> None:
    """With an empty DARSHAN_LOGPATH, the log is in the folder darshan-logs of the home folder."""
    run = run_with(build, tmp_path, DARSHAN_LOGPATH="", HOME=str(tmp_path / "home"))
    assert run.stderr == b""
    (path,) = (tmp_path / "home" / "darshan-logs").iterdir()
    assert names(parse(parser, path)) >= ALL


def test_relative_log_path(build: Path, parser: Path, tmp_path: Path) -> None:
    """A relative DARSHAN_LOGPATH is below the program's working folder."""
    run = run_with(build, tmp_path, DARSHAN_LOGPATH="some/logs")
    assert run.stderr == b""
    (path,) = (run.work / "some" / "logs").iterdir()
    assert names(parse(parser, path)) >= ALL


def test_journal_folder(build: Path, tmp_path: Path) -> None:
    """The journal of a killed program is in the folder that DARSHAN_MMAP_LOGPATH names, and
    darshan-merge asks for --logs before it makes a log of it."""
    journals = tmp_path / "elsewhere"
    journals.mkdir()
    run = run_case(
        build,
        "die_of_sigkill",
        tmp_path / "run",
        extra={"DARSHAN_MMAP_LOGPATH": str(journals)},
    )
    assert (run.logs, run.journals) == ([], [])
    assert len(list(journals.iterdir())) == 1
    merge = (build / "darshan-merge", "--logs", tmp_path / "logs")
    done = finished([*merge, *journals.iterdir()], cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "--logs" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".darshan"] == []


@pytest.mark.parametrize(
    ("memory", "complete"),
    [
        ("MAX_RECORDS 60000 *", True),
        ("MAX_RECORDS 60000 *\nMODMEM 1\nNAMEMEM 1", True),
        ("MAX_RECORDS 60000 POSIX", True),
        ("MODMEM 64\nNAMEMEM 64", False),
        ("MODMEM 1\nNAMEMEM 64", False),
    ],
)
def test_memory(memory: str, complete: bool, build: Path, parser: Path, tmp_path: Path) -> None:
    """A module with MAX_RECORDS gets memory for that many records; the other modules share MODMEM,
    and each gets some. complete: whether all records fit."""
    (tmp_path / "config").write_text(memory + "\n")
    extra = {"DARSHAN_CONFIG_PATH": str(tmp_path / "config")}
    run = run_case(build, "many_files", tmp_path / "run", extra=extra)
    cut = b"DARSHAN_MODMEM is too small" in run.stderr
    assert (run.status, run.stderr.count(b"\n")) == (0, int(cut))
    assert cut == memory.startswith("MODMEM 1\n")
    found = parse(parser, run.logs[0])
    for module, least in (("POSIX", 1000), ("STDIO", 400)):
        assert len([1 for m, _ in found.records if m == module]) > least
    done = finished([parser, "--total", run.logs[0]])
    assert (done.returncode == 0) == complete


def test_log_path_of_the_file(build: Path, parser: Path, tmp_path: Path) -> None:
    """With LOGPATH in the configuration file, the log is in dated folders below this path."""
    elsewhere = tmp_path / "elsewhere"
    run = run_with(build, tmp_path, f"LOGPATH {elsewhere}\n", DARSHAN_LOGPATH="")
    assert run.stderr == b""
    paths = list(elsewhere.glob("[0-9]*/[0-9]*/[0-9]*/*.darshan"))
    assert [names(parse(parser, path)) >= ALL for path in paths] == [True]


@pytest.mark.parametrize(
    "extra", [{"DARSHAN_RANK_EXCLUDE": "0"}, {"DARSHAN_RANK_EXCLUDE": ":5"}], ids=str
)
def test_rank_excluded(extra: dict[str, str], build: Path, parser: Path, tmp_path: Path) -> None:
    """If DARSHAN_RANK_EXCLUDE excludes rank 0, a program without MPI leaves no log, or one without
    records."""
    run = run_with(build, tmp_path, **extra)
    assert run.stderr == b""
    assert [parse(parser, path).records for path in run.logs] in ([], [{}])


@pytest.mark.parametrize(
    "extra",
    [
        {"DARSHAN_RANK_EXCLUDE": "1:"},
        {"DARSHAN_RANK_EXCLUDE": "*", "DARSHAN_RANK_INCLUDE": "0"},
    ],
    ids=str,
)
def test_rank_not_excluded(
    extra: dict[str, str], build: Path, parser: Path, tmp_path: Path
) -> None:
    """If these settings do not exclude rank 0, the log of a program without MPI has all of its
    files."""
    assert names(quiet_log(parser, run_with(build, tmp_path, **extra))) >= ALL


def test_dump_config(build: Path, tmp_path: Path) -> None:
    """With DARSHAN_DUMP_CONFIG, the runtime prints its settings, here the alignment of memory, and
    the log is written."""
    run = run_with(build, tmp_path, DARSHAN_DUMP_CONFIG="", DARSHAN_MEMALIGN="128")
    assert re.search(rb"^\s*MEM(_)?ALIGN(MENT)?\s+128$", run.stderr, re.M)
    assert len(run.logs) == 1


def test_internal_timing(build: Path, tmp_path: Path) -> None:
    """With DARSHAN_INTERNAL_TIMING, the runtime prints times, and the log is written."""
    run = run_with(build, tmp_path, DARSHAN_INTERNAL_TIMING="")
    assert re.search(rb"\d", run.stderr)
    assert len(run.logs) == 1


@pytest.mark.parametrize(
    "config",
    [
        "NO_SUCH_DIRECTIVE 1\n",
        "RANK_EXCLUDE some\n",
        "MOD_DISABLE posix\n",
        "NAME_EXCLUDE ( POSIX\n",
    ],
)
def test_nonsense_is_one_line(config: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """A wrong line of the configuration file causes one line of output, and the log has all files
    of the program."""
    run = run_with(build, tmp_path, config + "\n")
    assert run.stderr.count(b"\n") == 1
    (path,) = run.logs
    assert names(parse(parser, path)) >= ALL


def test_configuration_file_that_is_not_there(build: Path, parser: Path, tmp_path: Path) -> None:
    """A configuration file that does not exist causes one line of output, and the log is
    written."""
    run = run_with(build, tmp_path, DARSHAN_CONFIG_PATH=str(tmp_path / "none"))
    assert run.stderr.count(b"\n") == 1
    assert len(run.logs) == 1
