/* The folder behind a descriptor, where the relative names of openat, fstatat and others begin. A
 * program that walks through a tree gives the same descriptor many times, so the path of the last
 * one is remembered. The kernel is asked whether it is the same folder, unchanged: that is much
 * cheaper than asking for the path, which the kernel has to put together. It is asked before each
 * use, or, of a descriptor whose end the runtime sees, every 16 uses and after less than a
 * millisecond. */
#ifndef DARSHAN_FD_FOLDER_H
#define DARSHAN_FD_FOLDER_H

#include <stddef.h>
#include <stdint.h>

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
