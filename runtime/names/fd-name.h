/* What the system knows of a descriptor that nobody here saw opened. */
#ifndef DARSHAN_FD_NAME_H
#define DARSHAN_FD_NAME_H

#include <stddef.h>

/* 1 if it is a regular file, by what the kernel has in memory: no server is
 * asked, since a dead one would hang a program that has not asked it either. */
int fd_is_regular(int fd);

/* The absolute path behind a descriptor, as the mount table of this process has
 * it; of a file without a place in any folder what it had: the last path of one
 * that was deleted, "<memfd:label>".  Length without the NUL; 0: no file, no
 * /proc, or no room. */
size_t fd_name(char *out, size_t room, int fd);

#endif
