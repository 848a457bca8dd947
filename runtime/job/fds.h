/* What descriptor numbers stand for.  A stale entry would charge one file with
 * another's traffic, so every way to make or end a descriptor comes through
 * here. */
#ifndef DARSHAN_FDS_H
#define DARSHAN_FDS_H

#include "runtime.h"

/* fd_entry.stream of a folder that is being listed */
#define FD_FOLDER UINT32_MAX

/* The file behind a descriptor, NULL if it is not followed. */
static inline struct posix_file *posix_file_of(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_rt.fd_limit)) return NULL;
  uint32_t number = __atomic_load_n(&darshan_rt.fds[fd].file, __ATOMIC_RELAXED);
  return number ? &darshan_rt.posix.files[number] : NULL;
}

static inline uint32_t posix_file_number(const struct posix_file *file) {
  return (uint32_t)(file - darshan_rt.posix.files);
}

/* 1 if this thread may change tables: not in the child of a vfork. */
int fd_may_change(void);

/* From now on the descriptor stands for this file (0: for nothing we follow). */
void fd_set_file(int fd, uint32_t file);
void fd_set_stream(int fd, uint32_t stream);

static inline int fd_is_free(const struct fd_entry *entry) {
  return (__atomic_load_n(&entry->file, __ATOMIC_RELAXED) |
          __atomic_load_n(&entry->stream, __ATOMIC_RELAXED)) == 0;
}

/* The descriptor is about to be closed: what it stood for, NULL if nothing. */
struct posix_file *fd_release_slow(int fd);
void fd_dropped_slow(int fd);
static inline struct posix_file *fd_release(int fd) {
  if ((uint32_t)fd >= darshan_rt.fd_limit) return NULL;
  const struct fd_entry *entry = &darshan_rt.fds[fd];
  if (LIKELY(fd_is_free(entry))) return NULL;
  return fd_release_slow(fd);
}

/* The number was reused for something that is not followed. */
static inline void fd_dropped(int fd) {
  if ((uint32_t)fd < darshan_rt.fd_limit) {
    const struct fd_entry *entry = &darshan_rt.fds[fd];
    if (UNLIKELY(!fd_is_free(entry))) fd_dropped_slow(fd);
  }
}

#endif
