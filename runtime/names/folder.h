/* The working folder, where relative names begin. The path is read once and remembered until it may
 * have changed. While changes are invisible, or threads have different folders, it is read for
 * every name. */
#ifndef DARSHAN_FOLDER_H
#define DARSHAN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Replaces the path of a folder that cannot be determined: the folder was removed, is outside the
 * root directory, or is too deep. An open file may still be named by its descriptor. */
#define FOLDER_UNKNOWN "<unknown folder>"

/* Writes the name under which a relative path is recorded. Returns its length, or 0 if there is
 * none. */
size_t folder_clean_path(char *out, size_t room, const char *path);

/* Reads the path now if it is not known. Called before system calls are forbidden (confine.h). */
void folder_learn(void);

/* Makes the next use read the path again. Called after the working folder may have changed.
 * Takes no lock. */
void folder_changed(void);
/* folder_distrust: from now on the folder may change at any time, or differ between threads. Each
 * call needs a call of folder_trust_again before the path is remembered again. */
void folder_distrust(void);
void folder_trust_again(void);
/* Called after unshare(flags). If a flag gives the thread a folder or a mount namespace of its
 * own, the path of the folder is no longer remembered. */
void folder_unshared(int flags);
/* Returns 1 if the path of a folder may be remembered until *changes differs; 0 if folders may
 * change unseen. */
int folder_may_be_remembered(uint32_t *changes);
/* Releases the lock, which another thread of the parent may have held, in the child after fork. */
void folder_forked(void);

#endif
