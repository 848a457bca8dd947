/* Runs a whole command on logs, again and again in this process. The command's main is compiled as
 * tool_main, and TOOL_ARGUMENTS are its options. It must end with 0, or with 1 and a printable
 * message; sanitizers check the rest. With TOOL_DIFFERS, status 1 may also mean that logs differ,
 * which the output says. */
#include "target.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The main function of the command under test. */
int tool_main(int argc, char **argv);

/* MESSAGES: bytes of messages that are checked. DIFFERS: whether status 1 needs no message. */
#ifdef TOOL_DIFFERS
enum { MESSAGES = 1 << 16, DIFFERS = 1 };
#else
enum { MESSAGES = 1 << 16, DIFFERS = 0 };
#endif

static int said = -1; /* what the command writes to stderr */

/* Opens an empty file in memory. Returns its descriptor. */
static int open_memory(const char *name) {
  int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) abort();
  return fd;
}

/* Redirects stdout to /dev/null, and stderr to an empty file in memory, whose descriptor is `said`.
 * Returns a descriptor of the real stderr, for messages of the fuzzer. */
static int redirect(void) {
  static int real = -1;
  if (said < 0) {
    said = open_memory("said");
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0) abort();
    real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    dup2(null, STDOUT_FILENO);
    close(null);
  }
  fflush(stdout);
  fflush(stderr);
  if (ftruncate(said, 0) != 0) abort();
  lseek(said, 0, SEEK_SET);
  return real;
}

/* Ends the process if the exit status is neither 0 nor 1, if status 1 has no message, or if a
 * message has bytes that are not printable. */
static void check_messages(int status) {
  static char text[MESSAGES];
  ssize_t n = pread(said, text, sizeof(text), 0);
  int fine = n >= 0 && (status != 1 || n > 0 || DIFFERS);
  for (ssize_t i = 0; i < n; i++)
    fine &= ((unsigned char)text[i] >= ' ' && text[i] != 127) || text[i] == '\n';
  if (fine && (status == 0 || status == 1)) return;
  dprintf(STDERR_FILENO, "status %d, said: %.*s\n", status, (int)n, text);
  abort();
}

int read_everything_from(const uint8_t *data, size_t size) {
  static char *const options[] = {TOOL_ARGUMENTS};
  enum { OPTIONS = sizeof(options) / sizeof(options[0]) };
  char path[64], *argv[OPTIONS + 3] = {(char *)"tool"};
  int real = redirect(), fd = open_memory("log");
  if (write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  memcpy(argv + 1, options, sizeof(options));
  argv[OPTIONS + 1] = path;
  optind = 0;
  dup2(said, STDERR_FILENO);
  int status = tool_main(OPTIONS + 2, argv);
  fflush(stderr);
  dup2(real, STDERR_FILENO);
  close(fd);
  check_messages(status);
  return status == 1 ? -1 : 0;
}
