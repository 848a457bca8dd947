/* Processes that start and end in many ways, in a folder with a file "words": trees
 * double-fork|daemon|outlived|storm|shell|vfork|killed|chain 0. "storm" starts 120 programs by
 * posix_spawn from four threads, "shell" uses system() and popen(). The functions below describe
 * the others. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static char *self;

/* Copies the first `size` bytes of "words" to the file `name`. */
static void copy_into(const char *name, size_t size) {
  char buffer[4096];
  int from = open("words", O_RDONLY), to = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (from < 0 || to < 0) err(1, "%s", name);
  for (size_t left = size; left;) {
    ssize_t got = read(from, buffer, left < sizeof(buffer) ? left : sizeof(buffer));
    if (got <= 0 || write(to, buffer, (size_t)got) != got) err(1, "%s", name);
    left -= (size_t)got;
  }
  close(from);
  close(to);
}

/* Waits for the end of a child; returns its wait status. */
static int ended(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) err(1, "waitpid");
  return status;
}

/* Waits until `parent`, the process that forked this one, has ended. */
static void wait_for_orphanage(pid_t parent) {
  while (getppid() == parent)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Starts a grandchild whose parent ends at once, and waits for the grandchild's end. */
static void double_fork(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) err(1, "pipe");
  pid_t child = fork();
  if (child == 0) {
    pid_t parent = getpid();
    if (fork() != 0) _exit(0);
    wait_for_orphanage(parent);
    copy_into("grandchild", 30000);
    _exit(0);
  }
  close(ends[1]);
  if (ended(child) != 0) errx(1, "the child failed");
  if (read(ends[0], &byte, 1) != 0) err(1, "pipe"); /* the grandchild has ended */
  copy_into("top", 10000);
}

/* Writes a file, becomes a daemon, and writes another file after its parent has ended. */
static void as_daemon(void) {
  copy_into("before", 5000);
  pid_t top = getpid();
  if (daemon(1, 0) != 0) err(1, "daemon");
  wait_for_orphanage(top);
  copy_into("after", 50000);
}

/* Ends the first process while its child still writes to a file that it inherited. */
static void outlived(void) {
  int file = open("handed-on", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, "top\n", 4) != 4) err(1, "handed-on");
  pid_t top = getpid();
  if (fork() != 0) return;
  wait_for_orphanage(top);
  for (int i = 0; i < 10; i++)
    if (write(file, "child\n", 6) != 6) err(1, "handed-on");
  copy_into("late", 20000);
}

/* Starts this program as "piece NUMBER" with the file "words" as its standard input and the
 * descriptor `common` as its output. Returns its pid. */
static pid_t spawn_piece(int number, int common) {
  posix_spawn_file_actions_t actions;
  char text[16], *arguments[] = {self, "piece", text, NULL};
  pid_t pid;
  snprintf(text, sizeof(text), "%d", number);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, common, 1);
  posix_spawn_file_actions_addopen(&actions, 0, "words", O_RDONLY, 0);
  int failed = posix_spawn(&pid, self, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) errx(1, "posix_spawn: %s", strerror(failed));
  return pid;
}

/* The child that spawn_piece starts: reads 2,000 bytes of its standard input, writes 10 to its
 * standard output, and, for every tenth number, a file. */
static void piece(const char *number) {
  char buffer[2000];
  if (read(0, buffer, sizeof(buffer)) != sizeof(buffer)) err(1, "read");
  if (write(1, buffer, 10) != 10) err(1, "write");
  if (atoi(number) % 10 == 0) {
    char name[64];
    snprintf(name, sizeof(name), "piece-%s", number);
    copy_into(name, 1000);
  }
}

enum { THREADS = 4, EACH = 30 };

/* Starts the pieces `first` to `first` + EACH - 1, and waits for all. Each thread of storm runs
 * it. */
static void *spawning(void *first) {
  int common = open("common", O_WRONLY | O_APPEND | O_CREAT, 0644);
  pid_t pids[EACH];
  if (common < 0) err(1, "common");
  for (int i = 0; i < EACH; i++)
    pids[i] = spawn_piece((int)(long)first + i, common);
  for (int i = 0; i < EACH; i++)
    if (ended(pids[i]) != 0) errx(1, "a piece failed");
  close(common);
  return NULL;
}

/* Starts 120 programs by posix_spawn from four threads. */
static void storm(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, spawning, (void *)(i * EACH)) != 0) errx(1, "thread");
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* Runs commands by system() and by popen(), and copies text from one to another. */
static void by_shell(void) {
  char line[256];
  size_t size = 0;
  if (system("sort <words >sorted") != 0) errx(1, "system");
  FILE *from = popen("cat sorted", "r"), *to = popen("cat >copied", "w");
  if (!from || !to) err(1, "popen");
  while (fgets(line, sizeof(line), from) && size < 100000) {
    fputs(line, to);
    size += strlen(line);
  }
  while (fread(line, 1, sizeof(line), from) > 0) {
  }
  if (pclose(from) != 0 || pclose(to) != 0) errx(1, "pclose");
  if (system("exit 3") != 3 << 8) errx(1, "system");
}

/* Starts five programs by vfork, which write to a descriptor that the parent opened, and tries to
 * start a missing one. Until its exec or end, the child runs in the parent's memory. */
static void by_vfork(void) {
  for (int i = 0; i < 5; i++) {
    int file = open("listed", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0) err(1, "listed");
    pid_t pid = vfork();
    if (pid == 0) {
      dup2(file, 1);
      execl("/usr/bin/head", "head", "-c", "3000", "words", NULL);
      _exit(127);
    }
    close(file);
    if (ended(pid) != 0) errx(1, "head failed");
  }
  pid_t failing = vfork();
  if (failing == 0) {
    execl("/nonexistent", "nothing", NULL);
    _exit(9);
  }
  if (ended(failing) != 9 << 8) errx(1, "the one that cannot exec");
}

/* Starts two children, which write a file and end; then kills this process by SIGKILL. */
static void killed(void) {
  copy_into("top", 20000);
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (child == 0) {
      copy_into(i ? "one" : "two", 30000);
      exit(0);
    }
    if (ended(child) != 0) errx(1, "a child failed");
  }
  raise(SIGKILL);
}

/* Writes a file "step-N" and then executes this program again with the next step, up to step 3.
 * step: the digit N. */
static void chain(const char *step) {
  char next[2] = {(char)(step[0] + 1), 0}, name[8];
  snprintf(name, sizeof(name), "step-%s", step);
  copy_into(name, 4000 * (size_t)(step[0] - '0' + 1));
  if (step[0] < '3') execl(self, self, "chain", next, NULL);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*act)(void);
  } ways[] = {
      {"double-fork", double_fork}, {"daemon", as_daemon}, {"outlived", outlived}, {"storm", storm},
      {"shell", by_shell},          {"vfork", by_vfork},   {"killed", killed}};
  self = realpath("/proc/self/exe", NULL);
  if (argc == 3 && strcmp(argv[1], "piece") == 0) return piece(argv[2]), 0;
  if (argc == 3 && strcmp(argv[1], "chain") == 0) return chain(argv[2]), 0;
  for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(*ways); i++)
    if (strcmp(argv[1], ways[i].name) == 0) return ways[i].act(), 0;
  errx(2, "usage: trees double-fork|daemon|outlived|storm|shell|vfork|killed|chain 0");
}
