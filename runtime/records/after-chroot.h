/* Access to logs and journals after a call that changes the meaning of paths.
 *
 * In another mount namespace with the same root, the runtime still reaches its files: it opens
 * their folders before such a call, with descriptor numbers that applications almost never use. The
 * application may still close these descriptors, so each is checked before use. If a descriptor is
 * gone, the runtime makes and removes no file in its folder, because the path may now mean another
 * folder.
 *
 * After a change of the root (chroot, pivot_root) no such descriptor stays open, because a process
 * that sandboxes itself could escape through it. Then the log cannot be written. The records stay
 * in the journal outside of the new root, and a line on stderr reports this. */
#ifndef DARSHAN_AFTER_CHROOT_H
#define DARSHAN_AFTER_CHROOT_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A folder that has files of the runtime. outside_hold is called before `chroot`, `pivot_root`,
 * `setns` or `unshare`, and opens the folders of the log and the journal, and the folder for
 * journals in memory (/dev/shm). */
struct outside_folder {
  const char *path; /* only its first `length` bytes */
  size_t length;
};
void outside_hold(struct outside_folder log, struct outside_folder journal);
/* Returns 1 if outside_hold was called, otherwise 0; 0 again after outside_changed has closed the
 * folders because no call succeeded. */
int outside_is_ready(void);
/* Called after `chroot`, `pivot_root`, `setns` or `unshare` with its result. After a success, the
 * functions below resolve paths from the open folders. Closes these folders if the root has
 * changed, or if no such call has ever succeeded. */
void outside_changed(int result);

/* Returns 1 if the meaning of paths may have changed (one of these calls succeeded), otherwise
 * 0. */
int outside_is_active(void);
/* Returns 1 if the folder of the log or of the journal cannot be reached any more, otherwise 0. */
int outside_is_lost(void);

/* System calls on files of the runtime, whose paths are those before any change. They return the
 * kernel's result, or -errno. After a change they fail for a path that is not below an open folder.
 * */
int outside_open(const char *path, int flags, unsigned mode);
int outside_unlink(const char *path);
int outside_rename_new(const char *from, const char *to);
int outside_link(const char *from, const char *to);
int outside_lstat(const char *path, struct stat *st);

#endif
