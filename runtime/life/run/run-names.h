/* The names that the processes of a run use for inherited files.  The kernel's name of an
 * inherited descriptor has symbolic links resolved; the process that opened it may have used
 * another name.  A process that starts a program stores such a name in the run directory, and the
 * program looks it up once per descriptor, so that one file has one name in the log.
 *
 * The key of a name is the kernel's name and the file's device and inode, so a name is not used
 * for another file.  The first name of a file is the run's.  A process that uses a different one
 * stores it for itself and its children. */
#ifndef DARSHAN_LIFE_RUN_NAMES_H
#define DARSHAN_LIFE_RUN_NAMES_H

#include <stddef.h>
#include <sys/types.h>

struct fd_facts;

/* Replaces the kernel's name in `name` (DARSHAN_PATH_ROOM bytes) by the run's, if it has one.
 * Returns the length of the name. */
size_t run_name_heard(char *name, size_t length, const struct fd_facts *facts);

/* Stores the name by which this process opened fd, for programs that inherit fd. */
void run_name_tell(int fd, const char *name, size_t length);

#endif
