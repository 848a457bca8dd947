/* Buffers for paths, which do not fit on the stack of a coroutine. A call takes a buffer and frees
 * it, without a lock or a system call.
 *
 * A call that has a buffer may stop in the middle, while other stacks of its thread run. So a
 * buffer becomes free only when its call frees it, or when it has been missed for a long time,
 * because a handler has jumped out of the call or the thread has ended. */
#ifndef DARSHAN_PATH_BUFFERS_H
#define DARSHAN_PATH_BUFFERS_H

#include <stdint.h>

enum { DARSHAN_PATH_ROOM = 4096 }; /* bytes of the longest path of the runtime, with the NUL */

struct path_buffer {
  int owner;         /* token (spin_token) of the thread that has the buffer; 0: free */
  const char *frame; /* frame of the call that took the buffer */
  uint64_t missed;   /* time at which it was first missed, in nanoseconds; 0: never */
  char *bytes;       /* DARSHAN_PATH_ROOM bytes */
} __attribute__((aligned(64)));

/* Takes a buffer of DARSHAN_PATH_ROOM bytes for this call, which must free it by
 * path_buffer_give. Returns NULL if none is free; the event then has no name. */
struct path_buffer *path_buffer_take(void);

static inline void path_buffer_give(struct path_buffer *buffer) {
  if (!buffer) return;
  buffer->missed = 0;
  __atomic_store_n(&buffer->owner, 0, __ATOMIC_RELEASE);
}

/* Called in the child after fork, where only this thread exists: frees the buffers of other
 * threads. before: this thread's token before the fork. */
void path_buffers_forked(int before);

#endif
