/* Takes and frees path buffers (path-buffers.h). */
#include "path-buffers.h"

#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

#include "../intercept/spin.h"
#include "../intercept/stack.h"

enum { FIRST = 8, MORE = 32, CHUNKS = 32 };
/* How long a buffer must have been missed before it counts as abandoned; a stack may wait long if
 * there are many and the machine is busy. The shorter time applies to the first buffers when no
 * chunk has a free buffer. */
#define PATIENCE_NS UINT64_C(60000000000)
#define SHORT_PATIENCE_NS UINT64_C(10000000000)

/* The first buffers are part of the library. The kernel allocates a page for each at its first
 * write. */
SELDOM static char first_bytes[FIRST][DARSHAN_PATH_ROOM] __attribute__((aligned(4096)));
static struct path_buffer first[FIRST];
/* Chunks of further buffers, mapped when many calls need one at the same time. A chunk has the
 * structs, followed by their bytes. */
static struct path_buffer *chunks[CHUNKS];

static int take(struct path_buffer *buffer, int thread, const char *frame) {
  int owner = __atomic_load_n(&buffer->owner, __ATOMIC_RELAXED);
  if (owner != 0 || !__atomic_compare_exchange_n(&buffer->owner, &owner, thread, 0,
                                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return 0;
  buffer->frame = frame;
  return 1;
}

/* Takes one of n buffers, or returns NULL if all are taken. The search starts at an index that
 * depends on the thread, so that threads seldom collide. */
static struct path_buffer *take_among(struct path_buffer *buffers, unsigned n, int thread,
                                      const char *frame) {
  for (unsigned i = 0; i < n; i++) {
    struct path_buffer *buffer = &buffers[((unsigned)thread + i) % n];
    if (LIKELY(take(buffer, thread, frame))) return buffer;
  }
  return NULL;
}

/* Returns 1 if the call that has the buffer may have been abandoned: its thread has ended, or it is
 * this thread, the call's frame is at or below the caller's frame, and the caller does not run on
 * an alternate signal stack. Otherwise returns 0. In the second case a jump left the call, or the
 * call is on another stack. A call that needs two buffers takes the second in a deeper function. */
static int may_be_left(const struct path_buffer *buffer, int thread, const char *frame) {
  return buffer->owner == thread ? buffer->frame <= frame && !stack_is_alternate(frame)
                                 : spin_is_gone(buffer->owner);
}

/* Frees abandoned buffers. Called when all buffers are taken. A buffer counts as abandoned if
 * may_be_left returns 1 and it was first missed at least `patience` nanoseconds ago. A call
 * normally has its buffer for microseconds, or for as long as its stack is not scheduled. */
static void free_of_the_left(struct path_buffer *buffers, unsigned n, int thread, const char *frame,
                             uint64_t patience) {
  struct timespec time = {0, 0};
  SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  uint64_t now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec + 1;
  for (unsigned i = 0; i < n; i++) {
    struct path_buffer *buffer = &buffers[i];
    int owner = __atomic_load_n(&buffer->owner, __ATOMIC_RELAXED);
    if (!owner) continue;
    uint64_t missed = __atomic_load_n(&buffer->missed, __ATOMIC_RELAXED);
    if (!missed) __atomic_store_n(&buffer->missed, now, __ATOMIC_RELAXED);
    /* `now` may be earlier than `missed`, if another thread set `missed` after this thread read
     * `now`. */
    if (missed && now > missed && now - missed >= patience && may_be_left(buffer, thread, frame))
      path_buffer_give(buffer);
  }
}

/* Returns the buffers of a chunk, which the first thread that needs it maps; NULL if out of
 * memory. */
static struct path_buffer *chunk(int number) {
  enum { BYTES = MORE * (sizeof(struct path_buffer) + DARSHAN_PATH_ROOM) };
  struct path_buffer *known = __atomic_load_n(&chunks[number], __ATOMIC_ACQUIRE);
  if (known) return known;
  struct path_buffer *made = sys_mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sys_failed(made)) return NULL;
  for (int i = 0; i < MORE; i++)
    made[i].bytes = (char *)(made + MORE) + (size_t)i * DARSHAN_PATH_ROOM;
  if (__atomic_compare_exchange_n(&chunks[number], &known, made, 0, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  sys_munmap(made, BYTES);
  return known;
}

__attribute__((noinline)) static struct path_buffer *take_further(int thread, const char *frame) {
  struct path_buffer *buffer = NULL, *buffers;
  free_of_the_left(first, FIRST, thread, frame, PATIENCE_NS);
  buffer = take_among(first, FIRST, thread, frame);
  for (int i = 0; !buffer && i < CHUNKS && (buffers = chunk(i)); i++) {
    buffer = take_among(buffers, MORE, thread, frame);
    if (buffer) break;
    free_of_the_left(buffers, MORE, thread, frame, PATIENCE_NS);
    buffer = take_among(buffers, MORE, thread, frame);
  }
  if (buffer) return buffer;
  free_of_the_left(first, FIRST, thread, frame, SHORT_PATIENCE_NS);
  return take_among(first, FIRST, thread, frame);
}

struct path_buffer *path_buffer_take(void) {
  const char *frame = __builtin_frame_address(0);
  int thread = spin_token();
  struct path_buffer *buffer = take_among(first, FIRST, thread, frame);
  if (UNLIKELY(!buffer)) buffer = take_further(thread, frame);
  if (buffer && UNLIKELY(!buffer->bytes)) buffer->bytes = first_bytes[buffer - first];
  return buffer;
}

/* Frees n buffers, except those of the thread that forked: the handler that forked may have
 * interrupted a call, which continues in the child and still uses its buffer. before: the token of
 * the thread before the fork. */
static void forked(struct path_buffer *buffers, unsigned n, int before) {
  for (unsigned i = 0; buffers && i < n; i++)
    buffers[i].owner = before && buffers[i].owner == before ? spin_token() : 0;
}

void path_buffers_forked(int before) {
  forked(first, FIRST, before);
  for (int i = 0; i < CHUNKS; i++)
    forked(chunks[i], MORE, before);
}
