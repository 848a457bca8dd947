/* Calls of the application that change the meaning of paths (chroot, setns and the like). */
#ifndef DARSHAN_ROOT_H
#define DARSHAN_ROOT_H

/* Opens the folders of log and journal, so that the runtime can reach them after the call
 * (records/after-chroot.h). Called before each such call. */
void root_is_changing(void);
/* Called after the call; result: 0 if it succeeded. Then the runtime reaches its files through the
 * open folders from now on. */
void root_changed(int result);

#endif
