/* start PROGRAM [ARGUMENT...]: runs an AArch64 program under qemu's user emulation.
 * start --formats COMMAND [ARGUMENT...]: runs COMMAND in a user namespace in which binfmt_misc runs
 * AArch64 programs by this program, so that they can start one another. This namespace has its
 * own list of formats (Linux 6.7), so the machine's list does not change.
 *
 * It is linked statically, because LD_PRELOAD is meant for the AArch64 program: the machine's own
 * loader would report an error for a library for another processor. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define FORMATS "/proc/sys/fs/binfmt_misc"
/* The first bytes of a 64-bit, little-endian ELF file for AArch64, and a mask of the bits that
 * must match. */
#define MAGIC "\\x7fELF\\x02\\x01\\x01" NINE_ZEROS "\\x02\\x00\\xb7\\x00"
#define NINE_ZEROS "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
#define MASK                                                                                       \
  "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff"               \
  "\\xfe\\xff\\xff\\xff"

enum { MOST = 4096, CANNOT = 125 };

static char line[1 << 16];

/* Prints the error in errno with its place. Returns -1. */
static int fails(const char *what) {
  fprintf(stderr, "start: %s: %m\n", what);
  return -1;
}

/* Writes a formatted text to a file. Returns 0; -1, with a message, if that fails. */
__attribute__((format(printf, 2, 3))) static int put(const char *path, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  int fd = open(path, O_WRONLY);
  int done = fd >= 0 && length < (int)sizeof line && write(fd, line, (size_t)length) == length;
  if (fd >= 0) close(fd);
  return done ? 0 : fails(path);
}

/* Moves this process to a user namespace in which the kernel runs AArch64 programs by this program.
 * Returns 0; -1, with a message, if that fails. */
static int make_formats(void) {
  unsigned user = geteuid(), group = getegid();
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return fails("/proc/self/exe");
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return fails("a user namespace");
  if (put("/proc/self/setgroups", "deny") < 0 || put("/proc/self/uid_map", "0 %u 1", user) < 0 ||
      put("/proc/self/gid_map", "0 %u 1", group) < 0)
    return -1;
  if (mount("none", FORMATS, "binfmt_misc", 0, NULL) != 0) return fails(FORMATS);
  return put(FORMATS "/register", ":darshan-aarch64:M::" MAGIC ":" MASK ":%s:", self);
}

/* Becomes the emulator, with LD_PRELOAD for the emulated program only. Returns if that fails. */
static int emulate(int argc, char **argv) {
  static char *command[MOST];
  const char *wanted = getenv("LD_PRELOAD");
  int n = 0;
  command[n++] = EMULATOR;
  command[n++] = "-L";
  command[n++] = PREFIX;
  if (wanted && snprintf(line, sizeof line, "LD_PRELOAD=%s", wanted) < (int)sizeof line) {
    command[n++] = "-E";
    command[n++] = line;
  }
  if (argc + n > MOST) return CANNOT;
  memcpy(command + n, argv, ((size_t)argc + 1) * sizeof *argv);
  unsetenv("LD_PRELOAD");
  execv(command[0], command);
  fails(command[0]);
  return CANNOT;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "--formats") == 0) {
    if (make_formats() < 0) return CANNOT;
    execvp(argv[2], argv + 2);
    fails(argv[2]);
    return CANNOT;
  }
  return argc > 1 ? emulate(argc - 1, argv + 1) : CANNOT;
}
