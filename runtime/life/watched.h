/* Will a program that is about to start be watched, as this one is?  If not, it will
 * tell its run nothing. */
#ifndef DARSHAN_WATCHED_H
#define DARSHAN_WATCHED_H

#include "../format/run.h"

/* By the file: of the loader of this C library, without raised rights.  What cannot be
 * looked at is taken for such a program. */
enum run_unwatched file_unwatched(const char *path);
/* By the environment that it is given: this library is preloaded, and the run named. */
int environment_is_watched(char *const *envp);

#endif
