/* Makes the names of logs that the `darshan` command writes, in the runtime's form (logs.h). */
#define _GNU_SOURCE
#include "logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <config.h>

#include "../reader/new-name.h"

enum { HOUR = 3600, MINUTE = 60, MAX_USER = 8, MAX_PROGRAM = 128, MOST_NAMES = 10000 };
static const char partial_end[] = ".darshan_partial";

int log_name_path(char out[PATH_MAX], const char *folder, const struct log_name *name) {
  struct tm tm;
  time_t start = (time_t)name->start_sec;
  if (!localtime_r(&start, &tm)) return -1;
  int n = snprintf(out, PATH_MAX, "%s/%.*s-%lld_%d-%d-%d-%llu_1.darshan", folder,
                   name->start_length, name->start, (long long)name->pid, tm.tm_mon + 1, tm.tm_mday,
                   tm.tm_hour * HOUR + tm.tm_min * MINUTE + tm.tm_sec,
                   (unsigned long long)name->unique);
  return n < PATH_MAX ? 0 : -1;
}

/* Replaces slashes and control characters in a part of a log's name. A slash would lead to another
 * folder. */
static void clean(char *text) {
  for (; *text; text++)
    if (*text == '/' || (unsigned char)*text < ' ' || *text == 127) *text = '_';
}

void log_name_start(char out[NAME_MAX], const char *command, int64_t job) {
  char user[24], program[MAX_PROGRAM + 1];
  const char *name = getenv("LOGNAME");
  size_t end = strcspn(command, " "), begin = end;
  while (begin > 0 && command[begin - 1] != '/')
    begin--;
  snprintf(program, sizeof(program), "%.*s", (int)(end - begin), command + begin);
  if (name)
    snprintf(user, sizeof(user), "%.*s", MAX_USER, name);
  else
    snprintf(user, sizeof(user), "%u", (unsigned)geteuid());
  clean(user);
  clean(program);
  snprintf(out, NAME_MAX, "%s_%s_id%lld", user, program[0] ? program : "unknown", (long long)job);
}

/* Renames the log to `path` or, if numbered is 1, to the first free name. Sets path to the name.
 * Returns 0, or -1 with errno. */
static int move_numbered(const char *from, char path[PATH_MAX], int numbered) {
  size_t length = strlen(path);
  int result = rename_to_new(from, path);
  for (int i = 2; result < 0 && errno == EEXIST && numbered && i < MOST_NAMES; i++) {
    if (snprintf(path + length, PATH_MAX - length, ".%d", i) >= (int)(PATH_MAX - length)) return -1;
    result = rename_to_new(from, path);
  }
  return result;
}

/* Copies all bytes between two descriptors. Returns 0, or -1 with errno. */
static int copy_bytes(int from, int to) {
  char bytes[65536];
  ssize_t n;
  while ((n = read(from, bytes, sizeof(bytes))) > 0)
    for (ssize_t done = 0, step; done < n; done += step)
      if ((step = write(to, bytes + done, (size_t)(n - done))) <= 0) return -1;
  return n < 0 ? -1 : 0;
}

/* Copies a file to a new one with the same permissions. Returns 0, or -1 with errno and without a
 * new file. */
static int copy(const char *from, const char *to) {
  struct stat st;
  int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out = -1, result = -1;
  if (in >= 0 && fstat(in, &st) == 0)
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
  if (out >= 0) result = copy_bytes(in, out);
  if (out >= 0 && close(out) < 0) result = -1; /* close may report a full file system */
  int error = errno;
  if (out >= 0 && result < 0) unlink(to);
  if (in >= 0) close(in);
  errno = error;
  return result;
}

int log_name_give(const char *from, char path[PATH_MAX], int numbered) {
  char partial[PATH_MAX];
  size_t length = strlen(path);
  if (chmod(from, DARSHAN_LOG_MODE) < 0) return -1;
  if (move_numbered(from, path, numbered) == 0) return 0;
  path[length] = '\0';
  if (errno != EXDEV ||
      snprintf(partial, sizeof(partial), "%s-%ld%s", path, (long)getpid(), partial_end) >= PATH_MAX)
    return -1;
  if (copy(from, partial) < 0) return -1;
  if (move_numbered(partial, path, numbered) < 0) {
    int error = errno;
    unlink(partial);
    errno = error;
    return -1;
  }
  unlink(from);
  return 0;
}
