/* Writes the output: a new file that appears when it is complete, standard output, a device or a
 * named pipe (output.h). */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../reader/new-name.h"

static int is_standard(const struct output_file *out) {
  return strcmp(out->name, "-") == 0;
}

/* Makes a temporary file whose content is copied to standard output or to a pipe at the end: the
 * header is written last, and a pipe cannot seek back. Returns 0, or -1 after a message. */
static int open_unnamed(struct output_file *out) {
  if (is_standard(out) && isatty(STDOUT_FILENO))
    return convert_say("cannot write a log to a terminal; name a file");
  FILE *file = tmpfile();
  out->fd = file ? dup(fileno(file)) : -1;
  if (file) fclose(file);
  return out->fd < 0 ? convert_say("cannot make a temporary file in %s for the output: %s",
                                   P_tmpdir, strerror(errno))
                     : 0;
}

/* Makes the output a file without a name, so that no file remains if this process is killed.
 * Returns false if the file system does not support this, or if /proc is missing, which is needed
 * to name the file later. */
static bool open_nameless(struct output_file *out) {
  char folder[PATH_MAX];
  const char *stroke = strrchr(out->name, '/');
  int n = stroke ? (int)(stroke - out->name) + 1 : 1;
  if (n >= (int)sizeof(folder) || access("/proc/self/fd", X_OK) < 0) return false;
  snprintf(folder, sizeof(folder), "%.*s", n, stroke ? out->name : ".");
  out->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  return out->fd >= 0;
}

/* Gives the nameless file its name. Returns 0, or -1 with errno (EEXIST: the name exists). */
static int give_name(const struct output_file *out) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
  return linkat(AT_FDCWD, path, AT_FDCWD, out->name, AT_SYMLINK_FOLLOW);
}

int output_file_open(struct output_file *out, const char *name) {
  struct stat st;
  *out = (struct output_file){.fd = -1, .name = name};
  if (is_standard(out)) return open_unnamed(out);
  if (stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    out->through = true;
    return open_unnamed(out);
  }
  if (lstat(name, &st) == 0)
    return convert_say("cannot write %s: File exists; remove it or name another file", name);
  if (open_nameless(out)) return 0;
  int n = snprintf(out->made, sizeof(out->made), "%s.XXXXXX", name);
  if (n >= (int)sizeof(out->made)) {
    out->made[0] = '\0';
    return convert_say("cannot write %s: File name too long", name);
  }
  out->fd = mkstemp(out->made);
  if (out->fd >= 0) return 0;
  out->made[0] = '\0';
  return convert_say("cannot write %s: %s", name, strerror(errno));
}

int output_file_put(struct output_file *out, const void *bytes, size_t n, uint64_t at) {
  for (size_t done = 0; done < n;) {
    ssize_t written = pwrite(out->fd, (const char *)bytes + done, n - done, (off_t)(at + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return convert_say("cannot write %s: %s", out->name, strerror(written ? errno : EIO));
    done += (size_t)written;
  }
  return 0;
}

/* Copies the log to the descriptor `to`. Returns 0, or -1 with errno set; -1 if `to` is negative.
 */
static int copy_out(const struct output_file *out, int to) {
  char block[1 << 16];
  off_t at = 0;
  ssize_t n;
  if (to < 0) return -1;
  while ((n = pread(out->fd, block, sizeof(block), at)) > 0) {
    for (ssize_t done = 0, m; done < n; done += m)
      if ((m = write(to, block + done, (size_t)(n - done))) < 0) {
        if (errno != EINTR) return -1;
        m = 0;
      }
    at += n;
  }
  return n < 0 ? -1 : 0;
}

/* Gives the file the permissions of any new file (0666 without the umask), because mkstemp has made
 * it unreadable for other users. Returns 0, or -1 with errno set. */
static int allow_others(const struct output_file *out) {
  mode_t mask = umask(0);
  umask(mask);
  return fchmod(out->fd, 0666 & ~mask);
}

/* Copies the log to a device or a named pipe. Returns 0, or -1 with errno set. */
static int write_through(const struct output_file *out) {
  int to = open(out->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  int result = copy_out(out, to), error = errno;
  if (to >= 0 && close(to) < 0 && result == 0) return -1;
  errno = error;
  return result;
}

/* Brings the complete log to its destination, except that a file of mkstemp gets its name later.
 * Returns 0, or -1 with errno set. */
static int deliver(const struct output_file *out) {
  if (is_standard(out)) return copy_out(out, STDOUT_FILENO);
  if (out->through) return write_through(out);
  return out->made[0] ? allow_others(out) : give_name(out);
}

int output_file_close(struct output_file *out, int complete) {
  if (out->fd < 0) return 0;
  int result = complete ? deliver(out) : 0;
  int error = errno;
  if (close(out->fd) < 0 && result == 0) { /* close may report a full file system */
    result = -1;
    error = errno;
  }
  if (complete && result == 0 && out->made[0]) {
    result = rename_to_new(out->made, out->name);
    error = errno;
  }
  if (out->made[0] && (!complete || result < 0)) unlink(out->made);
  return result < 0 ? convert_say("%s: %s", out->name, strerror(error)) : 0;
}
