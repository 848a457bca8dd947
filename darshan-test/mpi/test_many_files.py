"""The number of files for which a rank of a job has records of their own."""

from __future__ import annotations

from .launch import Runner

RECORDS, FILES, BYTES = 1024, 1500, 3


def test_many_files(runner: Runner) -> None:
    """A rank has up to 1,024 POSIX records, as in Darshan 3.5.0; all further files share one
    overflow record, with exact sums."""
    runner.environment()
    command = [str(runner.build("many-files.c")), str(runner.data), str(FILES)]
    job = runner.run(2, command)
    assert job.code == 0, job
    log = runner.only_log(job)
    shared = str(runner.data / "*.dat")
    own = [name for name in log.of("POSIX") if name.startswith(str(runner.data)) and name != shared]
    assert RECORDS - 8 <= len(own) <= RECORDS  # MPI's own files may have some
    assert len(own) + log.groups[shared] == FILES
    assert log.total("POSIX_BYTES_WRITTEN", shared) == (FILES - len(own)) * BYTES
    assert sum(log.total("POSIX_BYTES_WRITTEN", name) for name in own) == len(own) * BYTES


def test_more_by_a_setting(runner: Runner) -> None:
    """With MAX_RECORDS in the configuration file, each of 1,500 files has its own record."""
    settings = runner.folder / "settings"
    settings.write_text(f"MAX_RECORDS {2 * FILES} POSIX\n")
    runner.environment()
    command = [str(runner.build("many-files.c")), str(runner.data), str(FILES)]
    job = runner.run(2, command, {"DARSHAN_CONFIG_PATH": str(settings)})
    assert job.code == 0, job
    log = runner.only_log(job)
    own = [name for name in log.of("POSIX") if name.startswith(str(runner.data))]
    assert len(own) == FILES and not log.groups
