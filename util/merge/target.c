/* Opens the destination of the merged log: a new file, or an existing pipe or device, which is
 * written to and never replaced (target.h). */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journals.h"

/* Stores the absolute path of a new file. Returns 0, or -1 with errno if the path is too long or
 * the current folder cannot be determined. */
static int absolute(struct target *target, const char *name) {
  char here[PATH_MAX] = "";
  if (name[0] != '/' && !getcwd(here, sizeof(here))) {
    if (errno == ERANGE) errno = ENAMETOOLONG;
    return -1;
  }
  int n = snprintf(target->path, sizeof(target->path), "%s%s%s", here, here[0] ? "/" : "", name);
  if (n < (int)sizeof(target->path)) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

/* Sets the target to a file in a new temporary folder, because readers of a pipe must not get an
 * incomplete log. Returns 0, or -1 after a message. */
static int go_through(struct target *target, const char *name) {
  const char *where = getenv("TMPDIR");
  if (!where || where[0] != '/') where = "/tmp";
  int n = snprintf(target->folder, sizeof(target->folder), "%s/darshan-merge-XXXXXX", where);
  if (n >= (int)sizeof(target->folder) - 16 || !mkdtemp(target->folder)) {
    merge_say("cannot make a temporary folder in %s: %s; set TMPDIR", where, strerror(errno));
    target->folder[0] = '\0';
    return -1;
  }
  target->through = name;
  snprintf(target->path, sizeof(target->path), "%.*s/log", PATH_MAX - 8, target->folder);
  return 0;
}

int target_open(struct target *target, const char *name) {
  struct stat st;
  *target = (struct target){.through = NULL};
  int standard = strcmp(name, "-") == 0;
  if (standard ? fstat(STDOUT_FILENO, &st) == 0 : stat(name, &st) == 0) {
    if (!standard && S_ISREG(st.st_mode)) {
      merge_say("cannot write %s: File exists; remove it or name another file with -o", name);
      return -1;
    }
    if (S_ISDIR(st.st_mode)) {
      merge_say("cannot write %s: Is a directory; name a file with -o", name);
      return -1;
    }
    if (standard && isatty(STDOUT_FILENO)) {
      merge_say("cannot write a log to a terminal; name a file with -o");
      return -1;
    }
    return go_through(target, name);
  }
  if (absolute(target, name) == 0) return 0;
  merge_say("cannot write %s: %s", name, strerror(errno));
  return -1;
}

/* Copies all bytes between two descriptors. Returns 0, or -1 with errno. */
static int copy(int from, int to) {
  char block[1 << 16];
  ssize_t n;
  while ((n = read(from, block, sizeof(block))) > 0)
    for (ssize_t done = 0, m; done < n; done += m)
      if ((m = write(to, block + done, (size_t)(n - done))) < 0) {
        if (errno != EINTR) return -1;
        m = 0;
      }
  return n < 0 ? -1 : 0;
}

/* Copies the log to the destination. Returns 0, or -1 after a message. */
static int bring(const struct target *target) {
  int standard = strcmp(target->through, "-") == 0;
  int from = open(target->path, O_RDONLY | O_CLOEXEC);
  if (from < 0) {
    merge_say("cannot read %s: %s", target->path, strerror(errno));
    return -1;
  }
  int to = standard ? STDOUT_FILENO : open(target->through, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  int result = to < 0 ? -1 : copy(from, to), error = errno;
  close(from);
  if (!standard && to >= 0 && close(to) < 0 && result == 0) {
    result = -1;
    error = errno;
  }
  if (result < 0)
    merge_say("cannot write to %s: %s", standard ? "standard output" : target->through,
              strerror(error));
  return result;
}

int target_close(struct target *target, int made) {
  int result = made ? 0 : -1;
  if (!target->through) return result;
  if (made) result = bring(target);
  unlink(target->path);
  rmdir(target->folder);
  return result;
}
