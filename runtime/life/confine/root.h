/* Calls of the application that change the meaning of paths (chroot, setns and the like). */
#ifndef DARSHAN_ROOT_H
#define DARSHAN_ROOT_H

/* Called before the call.  Opens the folders of log and journal, so that they can be reached
 * afterwards (records/after-chroot.h). */
void root_is_changing(void);
/* Called after the call; result: 0 if it succeeded.  From a success on, the runtime's files are
 * reached by the open folders. */
void root_changed(int result);

#endif
