/* The working folder, where relative names begin.  It is asked for once and
 * remembered, until it may have changed; while nobody can say when it changes, or
 * threads have each their own, it is asked for every time. */
#ifndef DARSHAN_FOLDER_H
#define DARSHAN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Stands for a folder whose name nobody can say: one that was removed, or is outside of the
 * root, or too deep.  A file that is open may still be named by its descriptor. */
#define FOLDER_UNKNOWN "<unknown folder>"

/* The name under which a relative path is recorded; 0: it cannot be had. */
size_t folder_clean_path(char *out, size_t room, const char *path);

/* Before nobody may be asked any more (filter.h). */
void folder_learn(void);

/* It may be another one now.  Waits for nobody. */
void folder_changed(void);
/* From here on it may change at any moment, or differ between threads; until as
 * many have said that this is over. */
void folder_distrust(void);
void folder_trust_again(void);
/* unshare: a thread may have a folder of its own from now on. */
void folder_unshared(int flags);
/* In a forked child. */
void folder_forked(void);

#endif
