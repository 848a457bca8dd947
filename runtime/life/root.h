/* The program is about to change what paths mean (chroot, setns and the like). */
#ifndef DARSHAN_ROOT_H
#define DARSHAN_ROOT_H

/* Before the call: our folders are opened, so that they can be reached afterwards
 * (records/outside.h). */
void root_is_changing(void);
/* After it; result: 0 if it did what it should. */
void root_changed(int result);

#endif
