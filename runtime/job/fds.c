#include "fds.h"

#include "../modules/posix/posix.h"

/* The child of a vfork runs on its parent's memory; by the process id a thread
 * learns which of the two it is. */
int fd_may_change(void) {
  if (LIKELY(!(darshan_guard & GUARD_VFORK))) return 1;
  if (sys_getpid() != darshan_rt.pid) return 0;
  darshan_guard &= ~(uintptr_t)GUARD_VFORK;
  return 1;
}

static void note_highest(int fd) {
  uint32_t highest = __atomic_load_n(&darshan_rt.highest_fd, __ATOMIC_RELAXED);
  while ((uint32_t)fd > highest &&
         !__atomic_compare_exchange_n(&darshan_rt.highest_fd, &highest, (uint32_t)fd, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

void fd_set_file(int fd, uint32_t file) {
  if ((uint32_t)fd >= darshan_rt.fd_limit) return;
  __atomic_store_n(&darshan_rt.fds[fd].file, file, __ATOMIC_RELAXED);
  if (file) note_highest(fd);
}

void fd_set_stream(int fd, uint32_t stream) {
  if ((uint32_t)fd >= darshan_rt.fd_limit) return;
  __atomic_store_n(&darshan_rt.fds[fd].stream, stream, __ATOMIC_RELAXED);
  if (stream) note_highest(fd);
}

struct posix_file *fd_release_slow(int fd) {
  if (!fd_may_change()) return NULL;
  struct fd_entry *entry = &darshan_rt.fds[fd];
  if (entry->stream == FD_FOLDER) fd_set_stream(fd, 0);
  uint32_t number = __atomic_exchange_n(&entry->file, 0, __ATOMIC_RELAXED);
  if (!number) return NULL;
  struct posix_file *file = &darshan_rt.posix.files[number];
  __atomic_sub_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  return file;
}

void fd_dropped_slow(int fd) {
  struct posix_file *file = fd_release_slow(fd);
  if (file) posix_file_unused(file);
}
