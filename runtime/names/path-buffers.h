/* Room for paths, which does not fit on the stack of a coroutine: buffers that a
 * call takes and gives back, without a lock or a system call.
 *
 * A call that has one may stop in its midst, while other stacks of its thread go on.  So
 * a buffer is nobody's again only when it is given back, or when it is missed for long:
 * then a handler has jumped out of the call, or its thread has ended. */
#ifndef DARSHAN_PATH_BUFFERS_H
#define DARSHAN_PATH_BUFFERS_H

#include <stdint.h>

enum { DARSHAN_PATH_ROOM = 4096 }; /* what the paths of this library fit into, with the NUL */

struct path_buffer {
  int owner;         /* the thread that took it, as spin_token says; 0: nobody has it */
  const char *frame; /* of the call that took it */
  uint64_t missed;   /* when it was first missed, in nanoseconds; 0: it was not */
  char *bytes;       /* DARSHAN_PATH_ROOM */
} __attribute__((aligned(64)));

/* NULL: there is none, and the event has to do without a name. */
struct path_buffer *path_buffer_take(void);

static inline void path_buffer_give(struct path_buffer *buffer) {
  if (!buffer) return;
  buffer->missed = 0;
  __atomic_store_n(&buffer->owner, 0, __ATOMIC_RELEASE);
}

/* In a forked child: of all threads only this one is left, which had another id. */
void path_buffers_forked(int before);

#endif
