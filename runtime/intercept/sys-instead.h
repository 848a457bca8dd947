/* What a filter (sys-gate.h) does not let us ask the kernel, asked as the loader asks:
 * by opening and reading files. */
#ifndef DARSHAN_INSTEAD_H
#define DARSHAN_INSTEAD_H

#include <stddef.h>
#include <sys/types.h>

/* Process id, or -EPERM. */
pid_t instead_of_getpid(void) __attribute__((visibility("hidden")));
/* The current folder, as PWD says if that is it: length with the NUL, or -EPERM. */
ssize_t instead_of_getcwd(char *buf, size_t n) __attribute__((visibility("hidden")));
/* User ids as the kernel gave them to the program at its start. */
unsigned instead_of_getuid(void) __attribute__((visibility("hidden")));
unsigned instead_of_geteuid(void) __attribute__((visibility("hidden")));
/* The name of this node; empty if it cannot be had. */
void instead_of_uname(char *node, size_t n) __attribute__((visibility("hidden")));
/* Is there a file of this name that may be run? */
int instead_of_access_to_run(const char *path) __attribute__((visibility("hidden")));

#endif
