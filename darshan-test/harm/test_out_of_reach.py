"""Processes of a run that cannot reach the run's folder at their end: their journal stays there,
and the run's log has their records once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hostile import compile_for_all, read_records, settings
from left import left_in

pytestmark = pytest.mark.needs("root")

PROGRAM = r"""
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>
static int writes(const char *name) {
  char bytes[100] = {0};
  int fd = open(name, O_CREAT | O_WRONLY, 0644);
  for (int i = 0; i < 10; i++)
    if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes)) return 1;
  return close(fd);
}
int main(void) {
  if (writes("before")) return 1;
  if (CHANGE) return 2;
  return writes(AFTER);
}
"""

# How the process leaves, and the name of its second file afterwards.
WAYS = {
    "chroot": ('mkdir("root", 0755) || chroot("root") || chdir("/")', "/after"),
    "setuid": ("setgroups(0, NULL) || setgid(65534) || setuid(65534)", "after"),
    "seteuid": ("seteuid(65534)", "after"),
}


@pytest.mark.parametrize("how", ["script", "darshan run"])
@pytest.mark.parametrize("way", WAYS)
def test_its_records_are_in_the_log_of_the_run(
    build: Path, tmp_path: Path, way: str, how: str
) -> None:
    change, after = WAYS[way]
    source = PROGRAM.replace("CHANGE", change).replace("AFTER", f'"{after}"')
    program = compile_for_all(build, tmp_path, source, "leaves")
    for folder in ("work", "logs", "journals"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder).chmod(0o1777)
    environment = settings(build, tmp_path / "logs", tmp_path / "journals")
    command: list[str | Path] = ["sh", "-c", f"{program}; exit $?"]
    if how == "darshan run":
        command = [build / "darshan", "run", program]
        environment.pop("LD_PRELOAD")
    end = subprocess.run(
        command,
        cwd=tmp_path / "work",
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert end.returncode == 0
    assert b"library_warning" not in end.stderr
    logs = sorted((tmp_path / "logs").glob("**/*.darshan"))
    left = [path for path in left_in(tmp_path / "journals") if "recovered" not in path.name]
    assert (len(logs), left) == (1, [])
    records = read_records(build / "darshan-parser", logs)
    for name in (str(tmp_path / "work" / "before"), str(tmp_path / "work" / after)):
        assert records["POSIX", name]["POSIX_BYTES_WRITTEN"] == 1000
