"""If no file system supports a mapped journal, the runtime writes its records at intervals to a new
file, which replaces the one before."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.environment import minimal, settings, through_env
from lab.log import metadata_of, read_logs
from lab.watch import Outcome, run

# Writes until the journal was replaced twice (its inode changes).
PROGRAM = r"""
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;
static long writes;
static ino_t journal_in(const char *folder) {
  struct stat st;
  ino_t found = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; (entry = readdir(dir));) {
    const char *ending = strrchr(entry->d_name, '.');
    if (ending && !strcmp(ending, ".darshan") &&
        fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
      found = st.st_ino;
  }
  closedir(dir);
  return found;
}
static void write_until_changed(const char *folder, ino_t *journal) {
  for (ino_t now = *journal; now == *journal || now == 0; usleep(1000)) {
    if (write(file, "0123456789", 10) != 10) abort();
    writes++;
    now = journal_in(folder);
    if (now && now != *journal) {
      *journal = now;
      return;
    }
  }
}
int main(int argc, char **argv) {
  char name[32], *deed = argv[1];
  ino_t journal = 0;
  if (argc < 3) return 1;
  file = open("file", O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (access("gone", F_OK) == 0) return 1;
  for (int i = 0; i < 300; i++) {
    snprintf(name, sizeof(name), "f%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    if (write(fd, name, 5) != 5) abort();
    close(fd);
  }
  write_until_changed(argv[2], &journal);
  dprintf(1, "%ld\n", writes);
  write_until_changed(argv[2], &journal);
  dprintf(1, "%ld\n", writes);
  if (!strcmp(deed, "kill")) raise(SIGKILL);
  if (!strcmp(deed, "fork")) {
    pid_t pid = fork();
    if (pid == 0) _exit(write(file, "0", 1) != 1);
    if (waitpid(pid, NULL, 0) != pid || journal_in(argv[2]) != journal) return 1;
  }
  return 4;
}
"""

INSIDE = r"""
mount -t overlay -o lowerdir="$1"/lower,upperdir="$1"/upper,workdir="$1"/over overlay "$1"/merged
mount -t tmpfs -o ro none /dev/shm
cd "$1"/work && shift && exec "$@"
"""


@dataclass
class Place:
    """The folders of a test, and a method that runs programs there."""

    build: Path
    top: Path

    def run(self, program: Path, deed: str, logs: Path | None = None) -> Outcome:
        """Runs the program with the argument `deed` in a mount namespace in which journals are on
        an overlay and /dev/shm is read-only. Returns its outcome, with the logs and the journals
        that the program left."""
        variables = settings(self.build, logs or self.top / "logs", self.top / "merged")
        launch = ["unshare", "-m", "sh", "-c", INSIDE, "sh", self.top, *through_env(variables)]
        found = run([*launch, program, deed, self.top / "merged"], self.top / "work", minimal())
        found.logs = sorted((self.top / "logs").iterdir())
        found.journals = sorted((self.top / "upper").iterdir())
        found.log = read_logs(self.build / "darshan-parser", *found.logs, *found.journals)
        return found


@pytest.fixture
def place(build: Path, tmp_path: Path) -> Iterator[Place]:
    """Yields the folders of an overlay, on which no mapped journal is possible."""
    for name in ("lower", "upper", "over", "merged", "work", "logs"):
        (tmp_path / name).mkdir()
    yield Place(build, tmp_path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the compiled program."""
    return compile_c(tmp_path_factory.mktemp("snapshots"), PROGRAM, "-w")


pytestmark = pytest.mark.needs("root", "overlay", "runs:unshare -m")


def files_are_whole(found: Outcome) -> None:
    """Checks that the 300 files that were written before the first snapshot have all their
    bytes."""
    assert [found.value(f"f{i}", "POSIX_BYTES_WRITTEN") for i in range(300)] == [5] * 300


def test_a_kill_loses_the_last_interval(place: Place, program: Path) -> None:
    """A killed program leaves whole records up to the last interval, which darshan-merge can
    read."""
    found = place.run(program, "kill")
    assert found.status == -signal.SIGKILL, found.stderr
    assert (found.logs, len(found.journals)) == ([], 1)
    first, all_of_them = map(int, found.stdout.split())
    files_are_whole(found)
    assert first <= found.value("file", "POSIX_WRITES") <= all_of_them
    log = place.top / "merged.darshan"
    subprocess.run([place.build / "darshan-merge", "-o", log, *found.journals], check=True)
    assert metadata_of(place.build / "darshan-parser", log)["not_found"] == str(
        place.top / "work" / "gone"
    )


@pytest.mark.parametrize("deed", ["end", "fork"])
def test_nothing_is_left_beside_a_log(deed: str, place: Place, program: Path) -> None:
    """A program that ends regularly leaves its log, and no journal. deed: what the program does."""
    found = place.run(program, deed)
    assert (found.status, found.stderr) == (4, b"")
    assert (len(found.logs), found.journals) == (1 + (deed == "fork"), [])
    files_are_whole(found)
    writes = int(found.stdout.split()[-1])
    assert found.value("file", "POSIX_WRITES") == writes + (deed == "fork")


def test_without_a_log_it_has_everything(place: Place, program: Path) -> None:
    """If no log can be written at exit, the journal remains, and its last snapshot has all
    records."""
    found = place.run(program, "end", Path("/proc/nowhere"))
    (journal,) = found.journals
    said = f"; the records are in {place.top / 'merged' / journal.name}"
    assert (found.status, found.logs) == (4, [])
    assert said in found.stderr.decode()
    files_are_whole(found)
    assert found.value("file", "POSIX_WRITES") == int(found.stdout.split()[-1])
