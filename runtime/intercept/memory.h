/* Private memory of the runtime, allocated by system calls alone. */
#ifndef DARSHAN_MEMORY_H
#define DARSHAN_MEMORY_H

#include <string.h>
#include <sys/mman.h>

#include "sys/sys.h"

/* Returns `size` zeroed bytes that the kernel allocates at first use, or NULL if out of memory.
 * sys_munmap frees them. */
static inline void *private_memory(size_t size) {
  void *memory = sys_mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return sys_failed(memory) ? NULL : memory;
}

/* Zeroes memory of private_memory. MADV_DONTNEED, which also frees its pages, fails on locked
 * memory, which is overwritten instead. */
static inline void private_memory_wipe(void *memory, size_t size) {
  if (sys_madvise(memory, size, MADV_DONTNEED) < 0) memset(memory, 0, size);
}

#endif
