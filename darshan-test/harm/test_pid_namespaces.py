"""A run with processes in PID namespaces leaves one log, or `darshan recover` makes it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.compare import both
from left import left_in
from place import runs

PRESENT = pytest.mark.needs("root", runs("unshare", "-p", "-f"))

# The shell that `unshare -p` becomes stays in the old namespace. Its first child is process 1 of a
# new one; after that process has ended, the shell can start no further child.
SCRIPTS = {
    "first-child-ended": 'echo a >a; unshare -p sh -c "/bin/true; echo b >b"; echo c >c',
    "killed-with-process-1": 'echo a >a; unshare -p -f sh -c "sleep 50 & sleep 0.3; echo b >b";'
    " echo c >c",
    "forked": 'echo a >a; unshare -p -f sh -c "/bin/true; echo b >b"; echo c >c',
}


@PRESENT
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_with_a_namespace_is_one_run(build: Path, tmp_path: Path, name: str) -> None:
    """A script that starts processes in a PID namespace leaves one log, with the bytes of each
    process. name: of the script."""
    bare, recorded = both(build, tmp_path, ["bash", "-c", SCRIPTS[name]])
    assert (recorded.status, recorded.stdout, recorded.stderr) == (bare.status, bare.stdout, b"")
    assert bare.status == 0
    assert (len(recorded.logs), recorded.journals) == (1, [])
    for file in "abc":
        written = [f"{module}_BYTES_WRITTEN" for module in ("POSIX", "STDIO")]
        assert sum(recorded.value(file, counter) for counter in written) == 2
    if name == "first-child-ended":
        assert not any("not seen" in path for module, path in recorded.records if "PROC" in module)


@PRESENT
def test_a_process_that_can_start_no_merger(
    build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a process cannot start the merger, one line says that `darshan recover` can make the log,
    and it can."""
    monkeypatch.setattr("left.SECONDS", 0.5)  # no merger will remove the run directory
    script = 'exec unshare -p sh -c "/bin/true; echo a >a"'
    bare, recorded = both(build, tmp_path, ["bash", "-c", script])
    assert (recorded.status, bare.stderr) == (bare.status, b"")
    assert recorded.stderr.count(b"\n") == 1
    assert b"make it with darshan recover" in recorded.stderr
    logs, journals = tmp_path / "logs", tmp_path / "journals"
    command = [build / "darshan", "recover", "-o", logs, journals]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "made of a run of 3 processes" in said
    assert left_in(journals) == []
