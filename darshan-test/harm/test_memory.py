"""The runtime needs little address space, and respects the limits of the program."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c
from lab.environment import instrumented, preload

MIB = 1 << 20
# Most KiB of address space that the runtime may add to a program, without files and with 100 files.
IDLE_KIB, OPENED_KIB = 3 << 10, 4 << 10
NOBODY = 65534

# Opens as many files as its argument says, then prints the line VmSize (its address space in KiB)
# of /proc/self/status.
SIZES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char name[32], line[256];
  for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (write(fd, name, 6) != 6) return 1;
    close(fd);
  }
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof(line), status))
    if (strncmp(line, "VmSize", 6) == 0) printf("%s", line);
  return 0;
}
"""

# Most private pages of a process with one file, in KiB; measured: 164 to 176.
OWN_KIB = 176
# The same for a process that records nothing; measured: 52 KiB.
SLEEPING_KIB = 64
SETTLED = 0.5  # seconds until a program sleeps


def own_kib(text: str) -> int:
    """Returns the private memory of a process in KiB: anonymous pages of private mappings, and
    dirty pages of shared ones (its journal). text: the contents of /proc/PID/smaps."""
    own, shared = 0, False
    for line in text.splitlines():
        if found := re.match(r"[0-9a-f]+-[0-9a-f]+ ...([ps])", line):
            shared = found[1] == "s"
        elif found := re.match(r"(Anonymous|Private_Dirty): +([0-9]+) kB", line):
            own += int(found[2]) if shared == (found[1] == "Private_Dirty") else 0
    return own


def test_small_process_writes_to_few_pages(build: Path, tmp_path: Path) -> None:
    """A process with one file has little more private memory than without the runtime: variables
    that are written at startup share pages, and the journal begins small."""
    (tmp_path / "logs").mkdir()
    watched = instrumented(build, tmp_path / "logs", tmp_path)

    def maps(env: dict[str, str]) -> str:
        command = ["sh", "-c", "echo 1 >file; cat /proc/$$/smaps"]
        return subprocess.run(
            command, env=env, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    # The kernel moves the stack and the heap at random, so that either can have a page more.
    told = [(maps(watched), maps(watched | preload())) for _ in range(4)]
    assert all("libdarshan.so" in one for one, _ in told)
    assert min(own_kib(one) - own_kib(bare) for one, bare in told) <= OWN_KIB


@pytest.mark.parametrize("stderr", ["null", "file"])
def test_process_without_records_writes_to_fewer_pages(
    build: Path, tmp_path: Path, stderr: str
) -> None:
    """A process without records has neither a journal nor tables for records, even if its stderr is
    a file."""
    (tmp_path / "logs").mkdir()
    watched = instrumented(build, tmp_path / "logs", tmp_path)

    def maps(env: dict[str, str]) -> str:
        with (
            Path("/dev/null" if stderr == "null" else tmp_path / "errors").open("w") as errors,
            subprocess.Popen(["sleep", "60"], env=env, cwd=tmp_path, stderr=errors) as program,
        ):
            time.sleep(SETTLED)
            told = Path(f"/proc/{program.pid}/smaps").read_text()
            program.kill()
        return told

    told = [(maps(watched), maps(watched | preload())) for _ in range(3)]
    assert all("libdarshan.so" in one for one, _ in told)
    assert min(own_kib(one) - own_kib(bare) for one, bare in told) <= SLEEPING_KIB


# Most resident pages of the library in a process that does nothing, in KiB; measured: 524 KiB, 652
# if every eighth function is missing in start-order.ld, 1,292 without start-order.ld. A fault also
# maps what the page cache has in the 64 KiB around it, and in Linux 6.18 all of a large folio (a
# block of the page cache).
LIBRARY_KIB = 560
PAGE = 4096


def copied_by_page(file: Path, to: Path) -> Path:
    """Copies a file so that the page cache has a folio for each page. In a file that the linker
    wrote, folios are larger: one fault mapped 256 KiB. Returns the path."""
    with file.open("rb") as source, to.open("wb", buffering=0) as target:
        while page := source.read(PAGE):
            target.write(page)
    return to


def test_idle_process_has_few_pages_of_the_library(build: Path, tmp_path: Path) -> None:
    """An idle process maps few pages of the library, because code that runs in every process is
    contiguous (start-order.ld)."""
    (tmp_path / "logs").mkdir()
    library = copied_by_page(build / "libdarshan.so", tmp_path / "libdarshan.so")
    told = subprocess.run(
        ["cat", "/proc/self/smaps"],
        env=instrumented(library, tmp_path / "logs", tmp_path),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.findall(r"libdarshan\.so\n(?:.+: .+\n)*?Rss: +([0-9]+) kB", told)
    assert 0 < sum(map(int, found)) <= LIBRARY_KIB


# Locks all present and future memory, then writes files.
LOCKED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  char name[32];
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 1;
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || write(fd, name, 6) != 6 || close(fd) != 0) return 2;
  }
  return malloc(MIB) ? 0 : 3;
}
""".replace("MIB", str(1 << 20))

# Sets a limit that permits no more memory after the first file; 300 files follow.
CHOKED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
static long size(void) {
  long pages = 0;
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY);
  if (read(fd, text, sizeof(text) - 1) < 0) return 0;
  close(fd);
  sscanf(text, "%ld", &pages);
  return pages * 4096;
}
int main(void) {
  char name[32];
  for (int i = 0; i < 300; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || write(fd, name, 6) != 6 || close(fd) != 0) return 2;
    struct rlimit limit = {.rlim_cur = size(), .rlim_max = RLIM_INFINITY};
    if (i == 0 && setrlimit(RLIMIT_AS, &limit) != 0) return 3;
  }
  struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_AS, &none);
}
"""


@pytest.mark.parametrize(("files", "most"), [(0, IDLE_KIB), (100, OPENED_KIB)])
def test_address_space(build: Path, tmp_path: Path, files: int, most: int) -> None:
    """The runtime uses little address space, which grows with the number of records."""
    program = compile_c(tmp_path, SIZES)
    sizes = []
    outcomes = both(build, tmp_path, [program, str(files)])
    for outcome in outcomes:
        found = re.fullmatch(rb"VmSize:\s+(\d+) kB\n", outcome.stdout)
        assert outcome.status == 0 and found
        sizes.append(int(found[1]))
    assert sizes[1] - sizes[0] <= most
    assert outcomes[1].total("POSIX_BYTES_WRITTEN") == 6 * files


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """Yields a folder that all users may enter, because other users may not enter tmp_path."""
    with tempfile.TemporaryDirectory(prefix="darshan-memory-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_locked_memory(build: Path, open_to_all: Path) -> None:
    """The runtime's memory fits into 8 MiB of locked memory, for an unprivileged user."""
    program = compile_c(open_to_all, LOCKED)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (8 * MIB, 8 * MIB))
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    places = {name: open_to_all / name for name in ("work", "logs", "journals")}
    for place in places.values():
        place.mkdir()
        place.chmod(0o777)
    shutil.copy(build / "libdarshan.so", open_to_all)
    environment = instrumented(open_to_all, places["logs"], places["journals"])
    done = subprocess.run(
        [program],
        cwd=places["work"],
        env=environment,
        preexec_fn=limit,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list(places["logs"].iterdir())) == 1
    assert list(places["journals"].iterdir()) == []


def test_small_address_space(build: Path, tmp_path: Path) -> None:
    """Under a limit of 40,000 KiB of address space in a shell, enough remains for the program's own
    allocations."""
    program = compile_c(
        tmp_path,
        "#include <fcntl.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        'int main(void) { close(open("file", O_CREAT | O_WRONLY, 0600));'
        " char *p = malloc(5 << 20); if (!p) return 1; memset(p, 1, 5 << 20); return 0; }",
    )
    bare, watched = both(build, tmp_path, ["bash", "-c", f"ulimit -v 40000; exec {program}"])
    assert bare.status == 0
    assert same_end(bare, watched)


def test_no_memory_left(build: Path, tmp_path: Path) -> None:
    """Without memory for records, bytes are counted in the overflow record: none is lost."""
    program = compile_c(tmp_path, CHOKED)
    bare, watched = both(build, tmp_path, [program])
    assert bare.status == 0
    assert same_end(bare, watched)
    names = [f"file-{i}" for i in range(300)]
    written = sum(watched.value(name, "POSIX_BYTES_WRITTEN") for name in names)
    shared = watched.value("<overflow>", "POSIX_BYTES_WRITTEN")
    assert shared > 0
    assert written + shared == 6 * len(names)


def test_high_descriptors(build: Path, tmp_path: Path) -> None:
    """A descriptor far beyond the table is recorded like any other, also across fork."""
    program = compile_c(
        tmp_path,
        r"""
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  struct rlimit many = {1 << 19, 1 << 19};
  if (setrlimit(RLIMIT_NOFILE, &many) != 0) return 0;
  int fd = open("low", O_CREAT | O_WRONLY, 0600), high = (1 << 19) - 1;
  if (dup2(fd, high) != high || fcntl(fd, F_DUPFD, 20000) != 20000) return 2;
  if (write(high, "12345", 5) != 5 || write(20000, "123", 3) != 3) return 3;
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(write(high, "1234567", 7) != 7);
  waitpid(child, &status, 0);
  close_range(10, ~0u, 0);
  if (write(high, "x", 1) == 1) return 4;
  return status;
}
""",
    )
    bare, watched = both(build, tmp_path, [program])
    assert same_end(bare, watched)
    assert bare.status == 0
    size = (tmp_path / "bare" / "low").stat().st_size if (tmp_path / "bare/low").exists() else 0
    assert watched.total("POSIX_BYTES_WRITTEN") == size
