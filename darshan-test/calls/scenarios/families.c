/* Scenarios for the rarer ways to create processes, such as clone, _Fork, daemon and posix_spawn.
 */
#include "../calls.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern pid_t _Fork(void);

static int new_file(const char *path) {
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  model_open(path, 0644);
  return fd;
}

/* Uses a file in the child and waits for it in the parent. child: the result of clone or _Fork,
 * which run no handlers of pthread_atfork. fd: an inherited descriptor. own: the name of a file
 * that only the child uses. */
static void fork_unseen(pid_t child, int fd, const char *own) {
  if (child == 0) {
    int mine = open(own, O_CREAT | O_RDWR, 0600);
    _exit(mine >= 0 && write(mine, buffer, 10) == 10 && pwrite(fd, buffer, 8, 0) == 8 ? 0 : 1);
  }
  reap(child, 0);
  model_open(own, 0600);
  model_write(own, 10, buffer);
}

SCENARIO(fork_by_system_call) {
  int fd = new_file(in_dir("shared"));
  fork_unseen((pid_t)SYS2(SYS_clone, SIGCHLD, 0), fd, in_dir("own"));
  model_pwrite(in_dir("shared"), 0, 8, buffer);
}

SCENARIO(fork_without_handlers) {
  need("_Fork");
  int fd = new_file(in_dir("shared"));
  fork_unseen(_Fork(), fd, in_dir("own"));
  model_pwrite(in_dir("shared"), 0, 8, buffer);
}

/* A daemonized grandchild leaves a log. */
SCENARIO(daemon_process) {
  int ends[2];
  char byte;
  const char *path = in_dir("file");
  CHECK(SYS2(SYS_pipe2, ends, 0) == 0);
  pid_t child = fork();
  if (child == 0) {
    CHECK(setsid() > 0);
    if (fork() != 0) _exit(0);
    int fd = open(path, O_CREAT | O_RDWR, 0644);
    CHECK(fd >= 0 && write(fd, buffer, 100) == 100);
    exit(0); /* the pipe closes after the log is written */
  }
  reap(child, 0);
  sys_close(ends[1]);
  CHECK(sys_read(ends[0], &byte, 1) == 0);
  model_open(path, 0644);
  model_write(path, 100, buffer);
}

static atomic_bool stop;
static atomic_long writes;

static void *write_until_told(void *argument) {
  int fd = open(argument, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  for (; !stop; writes++)
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
  return NULL;
}

extern char **environ;

/* Other threads continue while one thread waits for the children that it spawned. */
SCENARIO(spawn_while_threads_write) {
  static const char *const names[] = {"0", "1"};
  static char self[512];
  char *const nothing[] = {self, (char *)"--nothing", NULL};
  pthread_t threads[2];
  CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  for (int i = 0; i < 2; i++) {
    CHECK(!pthread_create(&threads[i], NULL, write_until_told, (void *)in_dir(names[i])));
    expect_nothing_about(in_dir(names[i]));
  }
  const char *path = in_dir("file");
  int fd = new_file(path);
  for (int i = 0; i < 20; i++) {
    pid_t child;
    if (i % 2) {
      CHECK(posix_spawn(&child, self, NULL, NULL, nothing, environ) == 0);
    } else if ((child = vfork()) == 0) {
      close(fd);
      execv(self, nothing);
      _exit(1);
    }
    reap(child, 0);
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
  }
  stop = true;
  for (int i = 0; i < 2; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  expect_nothing_about(path);
  expect_sum("POSIX_OPENS", 3);
  expect_sum("POSIX_WRITES", writes + 20);
}
