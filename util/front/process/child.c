/* Starts the application and waits for it (child.h). */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_STARTED = 126 };

/* Signals that are forwarded: users and batch systems send them to end a job or to notify it. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Waits until the child ends, and forwards signals that another process sent to this one (si_code
 * <= 0). The kernel itself sends the terminal's signals to the whole process group. */
static void wait_for(pid_t child, const sigset_t *signals, struct child_end *end) {
  for (;;) {
    siginfo_t info;
    int number = sigwaitinfo(signals, &info);
    if (number < 0) continue; /* EINTR: stopped and continued */
    if (number != SIGCHLD) {
      if (info.si_code <= 0 && info.si_pid != child) kill(child, number);
      continue;
    }
    if (waitpid(child, &end->status, WNOHANG) == child) return;
  }
}

/* Returns the number after a label in the text; 0 if the text lacks the label. */
static int64_t number_after(const char *text, const char *label) {
  const char *at = strstr(text, label);
  return at ? strtoll(at + strlen(label), NULL, 10) : 0;
}

/* Reads the bytes of calls of this process and of children that it has waited for (/proc/self/io),
 * and the children's bytes on storage and processor time. */
static void account(struct run_usage *usage, int64_t *cpu_ns) {
  enum { BLOCK = 512, MILLION = 1000000, MICRO = 1000 };
  struct rusage children;
  char text[512];
  getrusage(RUSAGE_CHILDREN, &children);
  int io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  ssize_t n = io < 0 ? 0 : read(io, text, sizeof(text) - 1);
  if (io >= 0) close(io);
  text[n > 0 ? n : 0] = '\0';
  *usage =
      (struct run_usage){(int64_t)children.ru_inblock * BLOCK, (int64_t)children.ru_oublock * BLOCK,
                         number_after(text, "rchar: "), number_after(text, "wchar: ")};
  *cpu_ns = MICRO * ((int64_t)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * MILLION +
                     children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

static int64_t wall_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Called in the child: executes the command. If that fails, writes errno to the pipe `report` and
 * exits with 127 (not found) or 126. */
static _Noreturn void start(char *const *command, void (*prepare)(const void *context),
                            const void *context, int report) {
  prepare(context);
  execvp(command[0], command);
  int error = errno;
  ssize_t written = write(report, &error, sizeof(error));
  _exit(written == (ssize_t)sizeof(error) && error == ENOENT ? NOT_FOUND : NOT_STARTED);
}

/* The handling of signals that the application gets: that of this process before child_run. */
struct signals_before {
  struct sigaction child;
  sigset_t blocked;
};

/* Starts the child and returns its pid, or -1 with errno set. Uses vfork, because fork would copy
 * the page tables of this process. The child shares this memory until exec, so it changes a copy of
 * the environment. report: a pipe for the errno of a failed exec. */
static __attribute__((noinline)) pid_t begin(char *const *command,
                                             void (*prepare)(const void *context),
                                             const void *context, int report,
                                             const struct signals_before *before) {
  static char **own;
  size_t count = 0;
  while (environ[count])
    count++;
  char **copy = malloc((count + 1) * sizeof(*copy));
  if (!copy) return -1;
  memcpy(copy, environ, (count + 1) * sizeof(*copy));
  own = environ;
  environ = copy;
  pid_t child = vfork();
  if (child == 0) {
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->blocked, NULL);
    start(command, prepare, context, report);
  }
  int error = errno;
  environ = own;
  errno = error;
  return child;
}

int child_run(char *const *command, void (*prepare)(const void *context), const void *context,
              struct child_end *end) {
  sigset_t signals;
  struct signals_before before;
  struct sigaction plain = {.sa_handler = SIG_DFL};
  int report[2];
  memset(end, 0, sizeof(*end));
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
    sigaddset(&signals, passed_on[i]);
  if (pipe2(report, O_CLOEXEC) < 0) return -1;
  /* SIGCHLD must not be ignored: the kernel would discard the exit status. */
  sigaction(SIGCHLD, &plain, &before.child);
  sigprocmask(SIG_BLOCK, &signals, &before.blocked);
  account(&end->before, &end->cpu_ns);
  end->begun_ns = wall_ns();
  double begun = now();
  pid_t child = begin(command, prepare, context, report[1], &before);
  int error = errno;
  close(report[1]);
  if (child > 0) {
    end->pid = child;
    if (read(report[0], &end->exec_error, sizeof(int)) != (ssize_t)sizeof(int)) end->exec_error = 0;
    wait_for(child, &signals, end);
    end->wall_time = now() - begun;
    account(&end->usage, &end->cpu_ns);
  }
  close(report[0]);
  errno = error;
  return child > 0 ? 0 : -1;
}

void child_end_like(const struct child_end *end) {
  fflush(NULL);
  if (WIFSIGNALED(end->status)) {
    int number = WTERMSIG(end->status);
    struct sigaction plain = {.sa_handler = SIG_DFL};
    struct rlimit none = {0, 0};
    sigset_t all;
    setrlimit(RLIMIT_CORE, &none);
    sigaction(number, &plain, NULL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(number);
    exit(128 + number); /* reached only if the signal does not end the process */
  }
  exit(WEXITSTATUS(end->status));
}
