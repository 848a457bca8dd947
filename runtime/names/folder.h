/* The working folder, where relative names begin. Its path is stored and used until the folder may
 * have changed. While changes are not visible, or threads have different folders, the path is read
 * for every name. */
#ifndef DARSHAN_FOLDER_H
#define DARSHAN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Replaces the path of a working folder that cannot be determined, because it was removed, is
 * outside the root directory, or is too deep. An open file may then be named by its descriptor
 * instead. */
#define FOLDER_UNKNOWN "<unknown folder>"

/* Writes the name under which a relative path is recorded. Returns its length without the NUL, or 0
 * if it does not fit into `room` bytes or the lock of the stored path is not available. */
size_t folder_clean_path(char *out, size_t room, const char *path);

/* Reads the path now if it is unknown. Called before system calls are forbidden (confine.h). */
void folder_learn(void);

/* Makes the next use read the path again. Called after the working folder may have changed.
 * Takes no lock. */
void folder_changed(void);
/* After folder_distrust, the folder may change at any time, or differ between threads. The path is
 * stored again after folder_trust_again has been called as often as folder_distrust. */
void folder_distrust(void);
void folder_trust_again(void);
/* Called after unshare(flags). If a flag gives the thread its own folder or mount namespace, the
 * path is not stored from then on. */
void folder_unshared(int flags);
/* Stores in *changes how often the working folder may have changed so far. Returns 1 if the path of
 * a folder may be stored and used until that number changes; 0 if folders may change unseen. */
int folder_may_be_remembered(uint32_t *changes);
/* Called in the child after fork: releases the lock of the stored path, which another thread of the
 * parent may have held. */
void folder_forked(void);

#endif
