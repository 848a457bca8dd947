/* Memory of our own, straight from the kernel. */
#ifndef DARSHAN_MEMORY_H
#define DARSHAN_MEMORY_H

#include <string.h>
#include <sys/mman.h>

#include "sys.h"

/* Anonymous, zeroed, lazily touched; NULL if there is none.  Given back by sys_munmap. */
static inline void *private_memory(size_t size) {
  void *memory = sys_mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return sys_failed(memory) ? NULL : memory;
}

/* Makes such memory zero again.  Locked memory cannot be given back for a moment: it is
 * written then. */
static inline void private_memory_wipe(void *memory, size_t size) {
  if (sys_madvise(memory, size, MADV_DONTNEED) < 0) memset(memory, 0, size);
}

#endif
