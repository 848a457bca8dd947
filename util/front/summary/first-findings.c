/* Finds the costliest finding of each of several logs, within a time limit (findings.h). */
#define _GNU_SOURCE
#include "findings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../paths.h"

/* OPTIONS: arguments before the logs. LINE: bytes of a line that are kept. CANNOT_START: exit
 * status of the child process if it cannot execute the report. STARTING: seconds that the report
 * may take to start. */
enum { OPTIONS = 4, LINE = 512, MS = 1000, CANNOT_START = 126, STARTING = 4 };

struct answers {
  struct first_finding *found;
  size_t count, used;               /* elements of found; bytes of the line so far */
  char line[LINE], complaint[LINE]; /* current line; last line that is no finding */
};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * MS + now.tv_nsec / 1000000;
}

/* Evaluates a line of the report: "INDEX <tab> NAME <tab> TITLE" is the finding of the log with
 * this index, any other line is an error message. */
static void take_line(struct answers *answers) {
  char *end, *name, *title;
  answers->line[answers->used] = '\0';
  answers->used = 0;
  size_t index = strtoul(answers->line, &end, 10);
  if (end == answers->line || *end != '\t' || index >= answers->count ||
      !(title = strchr(name = end + 1, '\t'))) {
    if (answers->line[0]) memcpy(answers->complaint, answers->line, sizeof(answers->complaint));
    return;
  }
  *title++ = '\0';
  struct first_finding *one = &answers->found[index];
  snprintf(one->name, sizeof(one->name), "%s", name);
  snprintf(one->title, sizeof(one->title), "%s", title);
  one->is_known = 1;
}

/* Reads the report's lines from a pipe and evaluates them, until the report ends or the time
 * `until` (in milliseconds) is reached. */
static void hear(struct answers *answers, int from, int64_t until) {
  char bytes[LINE];
  for (;;) {
    int64_t left = until - now_ms();
    struct pollfd wait = {from, POLLIN, 0};
    int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
    if (ready < 0 && errno == EINTR) continue;
    ssize_t count = ready > 0 ? read(from, bytes, sizeof(bytes)) : 0;
    if (count <= 0) return;
    for (ssize_t i = 0; i < count; i++)
      if (bytes[i] == '\n')
        take_line(answers);
      else if (answers->used < sizeof(answers->line) - 1)
        answers->line[answers->used++] = bytes[i];
  }
}

/* Called in the child process: executes the report with its output and messages in the pipe. */
static _Noreturn void start(char **argv, int answers) {
  int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nowhere < 0 || dup2(answers, STDOUT_FILENO) < 0 || dup2(answers, STDERR_FILENO) < 0 ||
      dup2(nowhere, STDIN_FILENO) < 0)
    _exit(CANNOT_START);
  findings_become_report(argv);
}

void first_findings(struct first_finding *found, const struct path_list *logs, double seconds) {
  char program[PATH_MAX], limit[32];
  struct answers answers = {found, logs->count, 0, "", ""};
  char **argv = calloc(logs->count + OPTIONS + 1, sizeof(*argv));
  int ends[2], status = 0;
  memset(found, 0, logs->count * sizeof(*found));
  if (!argv || places_installed(program, "darshan-job-summary", ".") < 0 ||
      pipe2(ends, O_CLOEXEC)) {
    free(argv);
    findings_unavailable("darshan-job-summary is not installed beside this program");
    return;
  }
  snprintf(limit, sizeof(limit), "%g", seconds);
  argv[0] = program;
  argv[1] = (char[]){"--first-findings"};
  argv[2] = limit;
  argv[3] = (char[]){"--"};
  memcpy(argv + OPTIONS, logs->paths, logs->count * sizeof(*argv));
  pid_t child = fork();
  if (child == 0) start(argv, ends[1]);
  close(ends[1]);
  if (child > 0) hear(&answers, ends[0], now_ms() + (int64_t)((2 * seconds + STARTING) * MS));
  close(ends[0]);
  free(argv);
  if (child < 0) return;
  kill(child, SIGTERM);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) findings_unavailable(answers.complaint);
}
