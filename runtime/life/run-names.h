/* What files are called in a run.  A descriptor that a process was born with has the name
 * that the system knows, with links resolved; who opened it may have used another.  Where
 * the two differ, who starts a program says so in the run's folder, and whoever is born with
 * the file looks there, once per descriptor: one file, one name.
 *
 * A name stands beside the system's name and the file's device and inode: once another file
 * has either, it is not believed.  Of several names of one file the first is the run's; who
 * means another one says so for himself and his children. */
#ifndef DARSHAN_LIFE_RUN_NAMES_H
#define DARSHAN_LIFE_RUN_NAMES_H

#include <stddef.h>
#include <sys/types.h>

struct fd_facts;

/* Puts the run's name of a file in the place of the system's, which stands in name
 * (DARSHAN_PATH_ROOM).  Returns its length. */
size_t run_name_heard(char *name, size_t length, const struct fd_facts *facts);

/* A file that others may be born with has this name here. */
void run_name_tell(int fd, const char *name, size_t length);

#endif
