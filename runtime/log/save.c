/* Creates, writes and renames log files (save.h). */
#include "save.h"

#include <config.h>
#include <errno.h>
#include <string.h>

#include "../counting/clock.h"
#include "../intercept/sys/sys.h"
#include "../job/text/text.h"
#include "../records/after-chroot.h"

int log_error;

int log_step(int result) {
  if (result < 0 && log_error == 0) log_error = -result;
  return result;
}

static int create(const char *path) {
  return outside_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, DARSHAN_LOG_MODE);
}

/* Creates the file with the temporary name. If its folder is missing, makes the folders, except
 * after a change of the root directory. Returns its descriptor or -errno. */
int log_create(const struct darshan_config *config, const char *partial) {
  enum { TRIES = 5, MISSING = -2 /* ENOENT */ };
  int fd = create(partial);
  /* `darshan run` removes the run's empty folder at its end, also one that was made just now. */
  for (int i = 0; fd == MISSING && i < TRIES && !outside_is_active(); i++) {
    int result = darshan_make_folders(partial, darshan_dated_levels(config));
    fd = result < 0 ? result : create(partial);
  }
  return fd;
}

/* Creates the file of a log or of a part. Returns its descriptor or -errno. A part makes no folder:
 * a run directory that is missing was removed, because the run has its log. */
static int create_for(const struct darshan_config *config,
                      const struct darshan_log_identity *identity, const char *path) {
  return identity->part ? create(path) : log_create(config, path);
}

/* Renames the partial log to its final name, and never replaces a file. If the file system cannot
 * rename without replacing, creates a link with the final name and removes the partial name.
 * Returns 0 or -errno. */
static int give_name(const char *partial, const char *final) {
  int result = outside_rename_new(partial, final);
  if (result != -22 /* EINVAL */ && result != -38 /* ENOSYS */) return result;
  result = outside_link(partial, final);
  if (result == 0) outside_unlink(partial);
  return result;
}

enum { MOST_NAMES = 10000, EXISTS = -17 /* EEXIST */ };

/* Changes a name that is taken to the name with the next number: name.2, name.3, … `length`: length
 * of the name without a number. Returns 1, or 0 after the last number or if the name must not be
 * numbered. */
static int next_name(const struct darshan_log_identity *identity, char *final, size_t length,
                     int number) {
  if (identity->naming != DARSHAN_NAME_NUMBERED || number >= MOST_NAMES) return 0;
  struct darshan_text ending = darshan_text_in(final + length, DARSHAN_PATH_ROOM - length);
  darshan_text_add(&ending, ".");
  darshan_text_unsigned(&ending, (uint64_t)number);
  return !ending.overflow;
}

static int give_some_name(const struct darshan_log_identity *identity, const char *partial,
                          char *final) {
  size_t length = strlen(final);
  int result = give_name(partial, final);
  for (int i = 2; result == EXISTS && next_name(identity, final, length, i); i++)
    result = give_name(partial, final);
  return result;
}

int log_finish(int fd, int result, const struct darshan_config *config,
               const struct darshan_log_identity *identity, const char *partial, uint64_t begun_ns,
               char *final) {
  /* Sets the mode again, because the umask may have removed the group's permission. */
  if (result == 0 && (DARSHAN_LOG_MODE & 077)) result = log_step(sys_fchmod(fd, DARSHAN_LOG_MODE));
  if (log_step(sys_close(fd)) < 0) result = -1; /* close may report that the file system is full */
  uint64_t seconds = (clock_ns(CLOCK_MONOTONIC) - begun_ns) / NS_PER_SECOND;
  if (result < 0 ||
      !darshan_final_path(final, DARSHAN_PATH_ROOM, config, identity, partial, (int64_t)seconds) ||
      log_step(give_some_name(identity, partial, final)) < 0) {
    outside_unlink(partial);
    return -1;
  }
  return 0;
}

/* Writes the log directly under its final name, because a seccomp filter forbids renameat2 or
 * pwrite64. partial: the temporary path, from which the final path is made. If
 * that exists, takes the next free name. Returns 0 or -1; an incomplete log is not removed. */
static int save_by_write(const struct log_draft *draft, const struct darshan_config *config,
                         const struct darshan_log_identity *identity, const char *partial,
                         char *final) {
  size_t done = 0;
  if (!darshan_final_path(final, DARSHAN_PATH_ROOM, config, identity, partial, 0)) return -1;
  size_t length = strlen(final);
  int fd = create_for(config, identity, final);
  for (int i = 2; fd == EXISTS && next_name(identity, final, length, i); i++)
    fd = create_for(config, identity, final);
  if (log_step(fd) < 0) return -1;
  while (done < draft->used) {
    ssize_t written = sys_write(fd, draft->bytes + done, draft->used - done);
    if (written == -4 /* EINTR */) continue;
    if (written <= 0) {
      log_step((int)written);
      break;
    }
    done += (size_t)written;
  }
  int result = log_step(sys_close(fd));
  return done == draft->used && result == 0 ? 0 : -1;
}

int log_save(const struct log_draft *draft, const struct darshan_config *config,
             const struct darshan_log_identity *identity, uint64_t begun_ns, char *final) {
  char partial[DARSHAN_PATH_ROOM];
  if (!sys_may_grow_to(draft->used)) return log_step(-EFBIG);
  if (!darshan_partial_path(partial, sizeof(partial), config, identity))
    return log_step(-ENAMETOOLONG);
  if (!sys_may(SYS_renameat2) || !sys_may(SYS_pwrite64))
    return save_by_write(draft, config, identity, partial, final);
  int fd = create_for(config, identity, partial);
  if (log_step(fd) < 0) return -1;
  int result = log_step(sys_put(fd, draft->bytes, draft->used, 0));
  return log_finish(fd, result, config, identity, partial, begun_ns, final);
}
