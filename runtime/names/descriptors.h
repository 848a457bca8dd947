/* Descriptors: the entry of each, and facts about those whose open the runtime did not see. */
#ifndef DARSHAN_DESCRIPTORS_H
#define DARSHAN_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The entry of a descriptor: the file and the stream that it refers to now. */

enum {
  RUNTIME_FDS = 1 << 14,    /* descriptors in the first table; */
  RUNTIME_FDS_FAR = 1 << 20 /* all descriptors; the others are in a second table */
};

struct fd_entry {
  struct posix_file *file;     /* NULL: not followed */
  struct stdio_stream *stream; /* NULL: none */
};

/* Facts about an open file that the kernel has in memory. The runtime makes no request that reaches
 * a file server: if the server were dead, the application would hang, although it made no request
 * itself. */
struct fd_facts {
  int is_regular;        /* 1: a regular file */
  uint32_t links, block; /* number of names; preferred bytes of a transfer */
  uint32_t device[2];    /* major, minor */
  uint64_t inode;
  uint64_t changed[2]; /* seconds and nanoseconds of its last change, if known */
};
/* Stores the facts about a descriptor. Returns 0, or -errno. */
int fd_look(int fd, struct fd_facts *facts);
/* Stores the facts about a descriptor of process pid (0: this process). Returns 0, or -errno. */
int fd_look_in(pid_t pid, int fd, struct fd_facts *facts);

/* Writes the absolute path of a descriptor, by the mount table of this process. A file that is in
 * no folder has another name: a deleted file its last path, a memfd "<memfd:label>". Returns the
 * length without the NUL; 0 if it is not a file, if there is no /proc, or if out is too small. */
size_t fd_name(char *out, size_t room, int fd);
/* Like fd_name, for a caller that has the facts of the descriptor. Uses less stack. */
size_t fd_name_by(char *out, size_t room, int fd, const struct fd_facts *facts);

/* Like fd_name, for a regular file, which another process may have open. Does not check whether the
 * name exists. If the system has no name, writes "<file MAJOR:MINOR/INODE>". Returns 0 if it is an
 * object without a name, or if the system call is forbidden. */
size_t fd_file_name(char *out, size_t room, pid_t pid, int fd, const struct fd_facts *facts);

/* The folder behind a descriptor, where the relative names of openat, fstatat and others begin. A
 * program that walks through a tree gives the same descriptor many times, so the path of the last
 * one is remembered. A query whether it is still the same, unchanged folder is much cheaper than a
 * query of the path, which the kernel has to put together. The runtime makes this query before each
 * use. If it sees the end of the descriptor, it makes the query only every 16 uses, and at least
 * once per millisecond. */

/* Writes the name under which a path below the descriptor is recorded. now: the time in ticks if
 * fd_folder_forget is called before the descriptor refers to something else, otherwise 0. Returns
 * the length of the name, or 0 if there is none. */
size_t fd_folder_clean_path(char *out, size_t room, int dirfd, const char *path, uint64_t now);

/* The descriptor whose path is remembered. fd_folder_forget forgets the path; it is called when fd
 * is closed or refers to something else. Takes no lock. */
extern int fd_folder_last __attribute__((visibility("hidden"))); /* -1: none */
static inline void fd_folder_forget(int fd) {
  int last = fd;
  if (__builtin_expect(__atomic_load_n(&fd_folder_last, __ATOMIC_RELAXED) == fd, 0))
    __atomic_compare_exchange_n(&fd_folder_last, &last, -1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
/* Forgets the remembered folder, in the child after fork. */
void fd_folder_forked(void);

#endif
