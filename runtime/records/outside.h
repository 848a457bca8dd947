/* Logs and journals after a change of what paths mean.
 *
 * In another mount namespace with the same root our files go where they were said to
 * go when the process started: before such a call their folders are opened, as
 * numbers that a program hardly ever uses.  It may close them nevertheless, so each
 * is looked at before it is used; if one is gone, nothing of ours is made or removed
 * below a name that means another place.
 *
 * With another root (chroot, pivot_root) none of them stays open: a process that
 * locks itself in would find its way out by any of them.  The log cannot be written
 * any more; the records stay in the journal, outside, and a line says so. */
#ifndef DARSHAN_OUTSIDE_H
#define DARSHAN_OUTSIDE_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens the folder of the log and that of the journal, and holds them: before the call. */
struct outside_folder {
  const char *path; /* its first length bytes */
  size_t length;
};
void outside_hold(struct outside_folder log, struct outside_folder journal);
/* They are held since such a call. */
int outside_is_ready(void);
/* After it; result: 0 if it did what it should. */
void outside_changed(int result);

/* 1: what a path means has changed. */
int outside_is_active(void);
/* 1: a folder of ours cannot be reached any more. */
int outside_is_lost(void);

/* System calls on our files, by the paths that they had at start. */
int outside_open(const char *path, int flags, unsigned mode);
int outside_unlink(const char *path);
int outside_rename_new(const char *from, const char *to);
int outside_link(const char *from, const char *to);
int outside_lstat(const char *path, struct stat *st);

#endif
