"""Programs in C that make small writes without a buffer, for the remedy join-writes."""

from __future__ import annotations

# Writes numbers, one with each call; then BEFORE_THE_END, THE_END.
SMALL_WRITES = """
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
enum { NUMBERS = 400000 };
int main(void) {
  char seen[8] = "none";
  struct stat st = {.st_size = 0};
  int fd = open("numbers.txt", OPEN_FLAGS | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return 1;
  for (int n = 0; n < NUMBERS; n++)
    if (write(fd, &"0123456789"[n % 10], 1) != 1) return 2;
  BEFORE_THE_END
  printf("%ld %.7s\\n", (long)st.st_size, seen);
  fflush(stdout);
  THE_END
}
"""
_CLOSE = "return close(fd);"
# Two pieces of code for each end of a program: actions after the writes, whose bytes are not in the
# file yet, and the end itself.
ENDS = {
    "close": ("", _CLOSE),
    "return": ("", "return 0;"),
    "_exit": ("", "_exit(0);"),
    "quick_exit": ("", "quick_exit(0);"),
    "abort": ("", "abort();"),
    "a signal": ("", "return raise(SIGTERM);"),
    "a fault": ("", "return *(volatile int *)8;"),
    "exec": ("", 'return execlp("wc", "wc", "-c", "numbers.txt", (char *)NULL);'),
    "system": ('if (system("wc -c < numbers.txt")) return 3;', _CLOSE),
    "fork": ('if (fork() == 0) _exit(write(fd, "a", 1) != 1); wait(NULL); if (write(fd, "b", 1) '
             "!= 1) return 3;", _CLOSE),
    "vfork": ('if (vfork() == 0) close(fd), _exit(0); if (write(fd, "b", 1) != 1) return 3;',
              _CLOSE),
    "stat": ('stat("numbers.txt", &st);', _CLOSE),
    "fstat": ("fstat(fd, &st);", _CLOSE),
    "a system call": ('syscall(SYS_newfstatat, -100, "numbers.txt", &st, 0);', _CLOSE),
    "another descriptor": (
        'int in = open("numbers.txt", O_RDONLY); read(in, seen, 7);'
        ' if (write(fd, "last", 4) != 4) return 3; pread(in, seen, 7, NUMBERS);', _CLOSE),
    "a copy of the descriptor": ('int to = dup(fd); write(fd, "a", 1), write(to, "b", 1),'
                                 ' write(fd, "c", 1), close(to);', _CLOSE),
    "a stream": ('write(fd, "a", 1); FILE *file = fdopen(fd, "w"); fputs("b", file);',
                 "return fclose(file);"),
    "seek": ('lseek(fd, 10, SEEK_SET); write(fd, "xyz", 3); st.st_size = lseek(fd, 0, SEEK_CUR);',
             _CLOSE),
    "read": ('lseek(fd, -3, SEEK_CUR); write(fd, "xy", 2); read(fd, seen, 1); write(fd, "z", 1);'
             ' pread(fd, seen + 1, 6, NUMBERS - 4);', _CLOSE),
    "pwrite": ('pwrite(fd, "xyz", 3, 100); write(fd, "end", 3);', _CLOSE),
    "dprintf": ('dprintf(fd, "%d", 7); write(fd, "end", 3);', _CLOSE),
    "ftruncate": ('ftruncate(fd, 7); write(fd, "end", 3); fsync(fd);', _CLOSE),
    "rename": ('rename("numbers.txt", "named"); rename("named", "numbers.txt");', _CLOSE),
    "a full disk": ('struct { long now, most; } limit = {NUMBERS, NUMBERS};'
                    " signal(SIGXFSZ, SIG_IGN); syscall(SYS_setrlimit, 1, &limit);"
                    ' write(fd, "b", 1); st.st_size = close(fd) < 0 || fsync(fd) < 0;',
                    "return 0;"),
}  # fmt: skip


def small_writes(end: tuple[str, str], flags: str = "O_RDWR") -> str:
    """Returns the source of a program that makes small writes. end: one of ENDS. flags: of open."""
    source = SMALL_WRITES.replace("OPEN_FLAGS", flags)
    return source.replace("BEFORE_THE_END", end[0]).replace("THE_END", end[1])
