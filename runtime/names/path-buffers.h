/* Room for paths, which does not fit on the stack of a coroutine: buffers that a
 * call takes and gives back, without a lock or a system call.  One that was left
 * behind, because a handler jumped out of the call or its thread ended, is found
 * again. */
#ifndef DARSHAN_PATH_BUFFERS_H
#define DARSHAN_PATH_BUFFERS_H

enum { DARSHAN_PATH_ROOM = 4096 }; /* what the paths of this library fit into, with the NUL */

struct path_buffer {
  int owner;         /* the thread that has it, as spin_token says; 0: nobody */
  const char *frame; /* of the call that has it */
  char *bytes;       /* DARSHAN_PATH_ROOM */
} __attribute__((aligned(64)));

/* NULL: there is none, and the event has to do without a name. */
struct path_buffer *path_buffer_take(void);

static inline void path_buffer_give(struct path_buffer *buffer) {
  if (buffer) __atomic_store_n(&buffer->owner, 0, __ATOMIC_RELEASE);
}

/* In a forked child: of all threads only this one is left, which had another id. */
void path_buffers_forked(int before);

#endif
