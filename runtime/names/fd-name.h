/* What the system knows of a descriptor that nobody here saw opened. */
#ifndef DARSHAN_FD_NAME_H
#define DARSHAN_FD_NAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel has in memory of it: no server is asked, since a dead one would hang
 * a program that has not asked it either. */
struct fd_facts {
  int is_regular;        /* 1: a regular file */
  uint32_t links, block; /* names that it has; bytes of a good transfer */
  uint32_t device[2];    /* major, minor */
  uint64_t inode;
};
/* 0, or -errno. */
int fd_look(int fd, struct fd_facts *facts);
/* The same of a number of the process pid, 0: of this one. */
int fd_look_in(pid_t pid, int fd, struct fd_facts *facts);

/* The absolute path behind a descriptor, as the mount table of this process has
 * it; of a file without a place in any folder what it had: the last path of one
 * that was deleted, "<memfd:label>".  Length without the NUL; 0: no file, no
 * /proc, or no room. */
size_t fd_name(char *out, size_t room, int fd);

/* The same of a regular file, which may be another process's, and nobody is asked whether
 * that name is there; where the system says none, "<file MAJOR:MINOR/INODE>".  0: it is
 * something without a name, or the system may not be asked. */
size_t fd_file_name(char *out, size_t room, pid_t pid, int fd, const struct fd_facts *facts);

#endif
