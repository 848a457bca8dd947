/* Libraries opened with RTLD_DEEPBIND.  They find libc's functions before the wrappers, so their
 * calls are not recorded. */
#ifndef DARSHAN_DEEPBIND_H
#define DARSHAN_DEEPBIND_H

#include "../../intercept/real.h"

/* Called by dlopen.S before such a library is opened, with the arguments of dlopen. */
ANY_STACK void deepbind_note(const char *file, int flags) __attribute__((visibility("hidden")));
/* Counts each noted library that is loaded now, once (lost_state).  Called before the application
 * unloads a library, and when recording ends. */
void deepbind_look(void);

#endif
