"""If processes cannot reach the run directory when they end, their journals remain there, and the
run's log has their records exactly once."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compare import both
from lab.compile import compile_for_all
from lab.environment import instrumented, not_preloaded
from lab.log import read_logs
from left import left_in
from place import runs

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
    """The records of this process are in the run's log once. way: how the process loses the
    directory. how: what starts the run."""
    change, after = WAYS[way]
    source = PROGRAM.replace("CHANGE", change).replace("AFTER", f'"{after}"')
    program = compile_for_all(build, tmp_path, source, "leaves")
    for folder in ("work", "logs", "journals"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder).chmod(0o1777)
    environment = instrumented(build, tmp_path / "logs", tmp_path / "journals")
    command: list[str | Path] = ["sh", "-c", f"{program}; exit $?"]
    if how == "darshan run":
        command = [build / "darshan", "run", program]
        environment = not_preloaded(environment)
    end = finished_in_bytes(command, cwd=tmp_path / "work", env=environment, timeout=60)
    assert end.returncode == 0
    assert b"library_warning" not in end.stderr
    logs = sorted((tmp_path / "logs").glob("**/*.darshan"))
    left = [path for path in left_in(tmp_path / "journals") if "recovered" not in path.name]
    assert (len(logs), left) == (1, [])
    records = read_logs(build / "darshan-parser", *logs).records
    for name in (str(tmp_path / "work" / "before"), str(tmp_path / "work" / after)):
        assert records["POSIX", name]["POSIX_BYTES_WRITTEN"] == 1000


MOUNTED = 'unshare -m sh -c "mount -t tmpfs none {0} && {1}"; echo c >c'


@pytest.mark.needs("mount", runs("unshare", "-m"))
def test_the_folder_for_journals_is_another_one(build: Path, tmp_path: Path) -> None:
    """A process in another mount namespace does not create a run directory that the run would never
    find."""
    source = PROGRAM.replace("CHANGE", "0").replace("AFTER", '"a"')
    program = compile_for_all(build, tmp_path, source, "writes")
    for folder in ("work", "logs", "journals"):
        (tmp_path / folder).mkdir()
    environment = instrumented(build, tmp_path / "logs", tmp_path / "journals")
    script = MOUNTED.format(tmp_path / "journals", program)
    command = ["sh", "-c", script]
    end = finished_in_bytes(command, cwd=tmp_path / "work", env=environment, timeout=60)
    assert (end.returncode, end.stderr) == (0, b"")
    logs = sorted((tmp_path / "logs").glob("**/*.darshan"))
    records = read_logs(build / "darshan-parser", *logs).records
    for name, size in (("a", 1000), ("c", 2)):
        path = str(tmp_path / "work" / name)
        assert records["POSIX", path]["POSIX_BYTES_WRITTEN"] == size


FILTER = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define NO(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
int main(int count, char **words) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      NO(SYS_renameat2), NO(SYS_linkat),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 9;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) return 9;
  return count > 1 ? execvp(words[1], words + 1) : 8;
}
"""


def test_a_filter_that_forbids_rename_and_link(build: Path, tmp_path: Path) -> None:
    """Under a filter that forbids rename and link, a line says that the run's log will have the
    records from a journal, and it has them."""
    source = PROGRAM.replace("CHANGE", "0").replace("AFTER", '"a"')
    program = compile_for_all(build, tmp_path, source, "writes")
    behind = compile_for_all(build, tmp_path, FILTER, "filter")
    script = f"{behind} sh -c '{program}; true'; true"
    bare, recorded = both(build, tmp_path, ["sh", "-c", script])
    assert (bare.status, recorded.status) == (0, 0)
    for line in recorded.stderr.splitlines():
        assert line.endswith(b"the run's log gets them from the journal")
    assert (len(recorded.logs), recorded.journals) == (1, [])
    assert recorded.value("a", "POSIX_BYTES_WRITTEN") == 1000
