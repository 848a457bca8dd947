/* The users whose journals are followed (users.h). */
#define _GNU_SOURCE
#include "users.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  USERS_MOST = 4096,
  OPENED_MOST = 512, /* largest number of new files of a user in a look; further files wait for the
                        next look */
  ANSWER_MS = 1000
};

/* Limits of a user's journals: bytes per second, above which they are not read in each look; bytes
 * read in a look; and bytes of new files in a look. */
static const double bytes_per_second = 16e6;
static const uint64_t bytes_in_look = UINT64_C(64) << 20, new_bytes_in_look = UINT64_C(16) << 20;

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads the output of a program for at most a second. Returns the number of bytes. */
static size_t read_answer(int fd, char *out, size_t room) {
  size_t used = 0;
  long end = milliseconds() + ANSWER_MS;
  while (used < room - 1) {
    struct pollfd wait = {fd, POLLIN, 0};
    long left = end - milliseconds();
    if (left <= 0 || poll(&wait, 1, (int)left) <= 0) break;
    ssize_t got = read(fd, out + used, room - 1 - used);
    if (got <= 0) break;
    used += (size_t)got;
  }
  out[used] = '\0';
  return used;
}

/* Stores a user's name in out. Runs getent for at most a second, because a lookup in this process
 * may wait for the network for minutes. Returns 0, or -1 if there is no name. */
static int ask_name(char *out, size_t room, uid_t uid) {
  static char program[] = "/usr/bin/getent", base[] = "passwd";
  static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char number[16], *arguments[] = {program, base, number, NULL}, *environment[] = {path, NULL};
  posix_spawn_file_actions_t actions;
  int ends[2], status;
  pid_t pid;
  snprintf(number, sizeof(number), "%u", (unsigned)uid);
  if (pipe(ends) != 0) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int failed = posix_spawn(&pid, program, &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  size_t got = failed ? 0 : read_answer(ends[0], out, room);
  close(ends[0]);
  if (failed) return -1;
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  char *end = memchr(out, ':', got);
  if (!end || end == out) return -1;
  *end = '\0';
  return 0;
}

struct user *users_get(struct users *users, uid_t uid) {
  char line[1024];
  for (size_t i = 0; i < users->count; i++)
    if (users->all[i]->uid == uid) return users->all[i];
  if (users->count == USERS_MOST) return NULL;
  struct user **all = realloc(users->all, (users->count + 1) * sizeof(struct user *));
  if (!all) return NULL;
  users->all = all;
  struct user *user = calloc(1, sizeof(*user));
  if (!user) return NULL;
  user->uid = uid;
  if (ask_name(line, sizeof(line), uid) == 0 && strlen(line) < sizeof(user->name))
    memcpy(user->name, line, strlen(line) + 1);
  else
    snprintf(user->name, sizeof(user->name), "%u", (unsigned)uid);
  users->all[users->count++] = user;
  return user;
}

void users_end_look(struct users *users, double now) {
  for (size_t i = 0; i < users->count; i++) {
    struct user *user = users->all[i];
    if (user->bytes) user->wait_until = now + (double)user->bytes / bytes_per_second;
    if (user->opened_bytes) user->open_until = now + (double)user->opened_bytes / bytes_per_second;
    user->bytes = user->opened_bytes = 0;
    user->opened = 0;
  }
}

int users_may_read(const struct user *user, double now) {
  return now >= user->wait_until && user->bytes < bytes_in_look;
}

int users_may_open(const struct user *user, double now) {
  return now >= user->open_until && user->opened < OPENED_MOST &&
         user->opened_bytes < new_bytes_in_look;
}

void users_free(struct users *users) {
  for (size_t i = 0; i < users->count; i++)
    free(users->all[i]);
  free(users->all);
  *users = (struct users){NULL, 0};
}
