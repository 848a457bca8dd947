/* Substitutes for system calls that a filter forbids (sys-gate.h). They open and read files, as the
 * loader does. */
#ifndef DARSHAN_INSTEAD_H
#define DARSHAN_INSTEAD_H

#include <stddef.h>
#include <sys/types.h>

/* Returns the process id, or -EPERM. */
pid_t instead_of_getpid(void) __attribute__((visibility("hidden")));
/* Returns the length of the current folder's path, with the NUL, or -EPERM. The path is that of
 * PWD, if PWD is the current folder. */
ssize_t instead_of_getcwd(char *buf, size_t n) __attribute__((visibility("hidden")));
/* Return the user ids that the kernel gave the program at its start. */
unsigned instead_of_getuid(void) __attribute__((visibility("hidden")));
unsigned instead_of_geteuid(void) __attribute__((visibility("hidden")));
/* Writes the name of this node, or the empty string if the name is not available. */
void instead_of_uname(char *node, size_t n) __attribute__((visibility("hidden")));
/* Returns 1 if this path is an executable file. */
int instead_of_access_to_run(const char *path) __attribute__((visibility("hidden")));

#endif
