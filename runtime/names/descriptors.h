/* Entries of file descriptors, and facts about descriptors whose open the runtime did not see. */
#ifndef DARSHAN_DESCRIPTORS_H
#define DARSHAN_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The entry of a descriptor: the file and the stream that it refers to now. */

enum {
  RUNTIME_FDS = 1 << 14,    /* number of descriptors in the first table */
  RUNTIME_FDS_FAR = 1 << 20 /* number of all descriptors; the rest is in a second table */
};

struct fd_entry {
  struct posix_file *file;     /* NULL: no file, or the file is not known */
  struct stdio_stream *stream; /* NULL: no stream */
};

/* Facts about an open file that the kernel has in memory. The runtime makes no request that reaches
 * a file server: if the server were dead, the application would hang although it made no request
 * itself. */
struct fd_facts {
  int is_regular;        /* 1: a regular file */
  uint32_t links, block; /* number of names; preferred transfer size in bytes */
  uint32_t device[2];    /* major and minor number */
  uint64_t inode;
  uint64_t changed[2]; /* time of its last change: seconds and nanoseconds; 0: unknown */
};
/* Stores the facts about an open descriptor. Returns 0 or -errno. */
int fd_look(int fd, struct fd_facts *facts);
/* The bytes of a regular file: its size, and what storage holds of it. */
struct fd_space {
  int64_t size, held;
};
/* Stores the size of the file of an open descriptor. Returns 0, or -1 if it is unknown, or if the
 * file is not a regular one. */
int fd_space_of(int fd, struct fd_space *space);
/* Returns the offset at which the file of an open descriptor ends; -1 as fd_space_of. */
int64_t fd_end(int fd);
/* Stores the facts about an open descriptor of process pid (0: this process). Returns 0 or
 * -errno. */
int fd_look_in(pid_t pid, int fd, struct fd_facts *facts);

/* Writes the absolute path of a descriptor, as the mount table of this process shows it. A file
 * that is in no folder has another name: a deleted file has its last path, a memfd has
 * "<memfd:label>". Returns the length without the NUL; 0 if the descriptor is not a file, if /proc
 * is not mounted, or if out is too small. */
size_t fd_name(char *out, size_t room, int fd);
/* Writes the name of a descriptor, as fd_name does, for a caller that has already read the facts of
 * the descriptor. Uses less stack. Returns the same values as fd_name. */
size_t fd_name_by(char *out, size_t room, int fd, const struct fd_facts *facts);

/* Like fd_name, for a regular file, which may be open in another process pid. Does not check
 * whether the name exists. If the system has no name, writes "<file MAJOR:MINOR/INODE>". Returns 0
 * if the object has no name at all, or if the system call is forbidden. */
size_t fd_file_name(char *out, size_t room, pid_t pid, int fd, const struct fd_facts *facts);

/* The next functions determine the path of a folder's descriptor, in which relative names of
 * openat, fstatat and similar functions begin. A program that walks through a tree passes the same
 * descriptor many times, so the path of the last descriptor is stored. A query whether the
 * descriptor still is the same, unchanged folder costs much less than a query of the path, which
 * the kernel must compose. The runtime makes the cheap query before each use. If the runtime sees
 * when the descriptor is closed, it makes the query only every 16 uses, and at least once per
 * millisecond. */

/* Writes the name under which a path relative to the descriptor is recorded. now: the time in
 * ticks, if fd_folder_forget will be called before the descriptor refers to another file; otherwise
 * 0. Returns the length of the name, or 0 if it does not fit into `room` bytes. */
size_t fd_folder_clean_path(char *out, size_t room, int dirfd, const char *path, uint64_t now);

/* fd_folder_last is the descriptor whose path is stored. fd_folder_forget forgets the path; it is
 * called when fd is closed or refers to another file. Takes no lock. */
extern int fd_folder_last __attribute__((visibility("hidden"))); /* -1: no path is stored */
static inline void fd_folder_forget(int fd) {
  int last = fd;
  if (__builtin_expect(__atomic_load_n(&fd_folder_last, __ATOMIC_RELAXED) == fd, 0))
    __atomic_compare_exchange_n(&fd_folder_last, &last, -1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
/* Called in the child after fork: forgets the stored path. */
void fd_folder_forked(void);

#endif
