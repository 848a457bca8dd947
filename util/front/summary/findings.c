/* Runs the report, which prints findings below a summary (findings.h). */
#define _GNU_SOURCE
#include "findings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../paths.h"

enum {
  MOST_LOGS = 64,    /* logs whose findings are printed */
  OPTIONS = 5,       /* number of options before the logs */
  LONGEST = 300,     /* longest part of a line that is stored, in bytes */
  PARTIAL = 3,       /* exit status of the report if it printed findings of incomplete logs */
  CANNOT_START = 126 /* exit status of a child that could not start the report */
};

/* The last line that the report wrote to stderr, which is the reason of its failure. */
struct complaint {
  size_t length;
  int ended; /* 1: the next byte begins a new line */
  char text[LONGEST + 1];
};

_Noreturn void findings_become_report(char **argv) {
  /* The report must not be instrumented. It also must not load the user's LD_PRELOAD, such as a
   * profiler, which would write a file for each process. */
  if (setenv("DARSHAN_DISABLE", "1", 1) < 0 || unsetenv("LD_PRELOAD") < 0) _exit(CANNOT_START);
  execv(argv[0], argv);
  dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
  _exit(CANNOT_START);
}

/* Called in the child process: executes the report. The report's stdout is this program's stderr;
 * its stderr is the pipe `complaints`. */
static _Noreturn void start(char **argv, int complaints) {
  int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nowhere < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
      dup2(complaints, STDERR_FILENO) < 0 || dup2(nowhere, STDIN_FILENO) < 0)
    _exit(CANNOT_START);
  findings_become_report(argv);
}

/* Adds bytes of the report's stderr to the complaint. */
static void hear(struct complaint *complaint, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte == '\n') {
      complaint->ended = 1;
      continue;
    }
    if (complaint->ended) complaint->length = 0;
    complaint->ended = 0;
    int shows = byte >= ' ' && byte != 0x7f;
    if (complaint->length < LONGEST) complaint->text[complaint->length++] = shows ? bytes[i] : '?';
  }
}

/* Reads the report's stderr until the report closes it, and stores its last line. */
static void hear_all(struct complaint *complaint, int from) {
  char bytes[512];
  for (;;) {
    ssize_t count = read(from, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    hear(complaint, bytes, (size_t)count);
  }
  complaint->text[complaint->length] = '\0';
}

void findings_unavailable(const char *why) {
  static const char name[] = "darshan-job-summary: ";
  if (strncmp(why, name, sizeof name - 1) == 0) why += sizeof name - 1;
  fprintf(stderr, "darshan: findings are unavailable: %s\n", *why ? why : "the report failed");
}

/* Runs the report and waits for it. Returns its exit status, or -1 if it could not be started or a
 * signal ended it. */
static int run(char **argv, struct complaint *complaint) {
  int ends[2], status = 0;
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  pid_t child = fork();
  if (child == 0) start(argv, ends[1]);
  close(ends[1]);
  if (child > 0) hear_all(complaint, ends[0]);
  close(ends[0]);
  if (child < 0) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void findings_print(const struct path_list *logs, int above) {
  enum { SCREEN = 24, LEAST = 7 };
  char program[PATH_MAX], lines[32];
  char *argv[MOST_LOGS + OPTIONS + 2] = {program, "--text", "--brief", "--lines", lines, "--"};
  struct complaint complaint = {0, 0, ""};
  size_t count = logs->count < MOST_LOGS ? logs->count : MOST_LOGS;
  if (count == 0) return;
  snprintf(lines, sizeof(lines), "%d", above < SCREEN - LEAST ? SCREEN - above : LEAST);
  if (places_installed(program, "darshan-job-summary", ".") < 0) {
    findings_unavailable("darshan-job-summary is not installed beside this program");
    return;
  }
  for (size_t i = 0; i < count; i++)
    argv[OPTIONS + 1 + i] = logs->paths[i];
  argv[OPTIONS + 1 + count] = NULL;
  int status = run(argv, &complaint);
  if (status != 0 && status != PARTIAL) findings_unavailable(complaint.text);
}
