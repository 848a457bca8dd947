/* Rings of io_uring. The application and the kernel share the memory of a ring, and most of
 * liburing is inlined into applications. Therefore the runtime maps the ring a second time and
 * reads the queues at the calls that it sees: entries that are about to be submitted, and results.
 * A result stays readable after the application has consumed it, until the queue wraps around. */
#ifndef DARSHAN_RINGS_H
#define DARSHAN_RINGS_H

#include "../posix.h"
#include "requests.h"
#include "uring.h"

struct ring {
  int fd;           /* -1: the slot is free */
  uint32_t flags;   /* of the ring's setup */
  const char *head; /* liburing's pointer to the head, which identifies its struct; NULL: unknown */
  int index, owner; /* registered under this index by this thread; -1: not registered */
  char *memory;     /* the runtime's mapping of the queues; NULL: not recorded */
  size_t size;
  char *entries; /* the runtime's mapping of the entries */
  size_t entries_size;
  uint32_t most, most_results; /* sizes of the two queues */
  uint32_t head_at, tail_at, array_at, results_tail_at, results_at;
  uint32_t seen, results_seen; /* read so far, counted like the kernel's head and tail */
  struct requests requests;    /* its lock is the lock of the ring */
  uint32_t others;             /* of the requests: those without a recorded file */
  struct segments files;       /* registered: struct posix_file *; FD_OTHER: not recorded */
  uint32_t files_used;
  struct segments paths; /* of requests under way */
  uint32_t paths_used, free_path;
};

/* Value of a registered slot that a request under way opens. Later requests of its chain refer to
 * the file that it will open. */
#define SLOT_OPENS FD_EXCLUDED

struct rings_state {
  int lock;
  uint32_t used; /* slots that were ever used */
  struct segments rings;
};
extern struct rings_state rings_state __attribute__((visibility("hidden")));

/* rings.c: the table of rings */

void ring_made(int fd, const struct uring_setup *setup);
void ring_made_by_library(const struct uring *ring);
/* Return the ring that a struct of liburing, or a descriptor, stands for; NULL if it is not
 * recorded. registered: the number is that of a registered ring. */
struct ring *ring_of(const struct uring *ring);
struct ring *ring_of_number(int fd, int registered);
/* Forgets a ring, because the application is about to close it. ring_closed forgets the ring whose
 * descriptor was closed. */
void ring_ends(struct ring *ring);
void ring_registered(int fd, unsigned operation, const void *argument, unsigned n, long result);
void ring_files(struct ring *ring, uint32_t first, const int *fds, unsigned n);
struct posix_file *ring_file(const struct ring *ring, uint32_t slot);
void ring_set_file(struct ring *ring, uint32_t slot, struct posix_file *file);
void rings_forked(void);

/* ring-requests.c and ring-results.c: traffic of the rings */
/* ring_submits reads the entries that are about to be submitted: up to the ring's tail, but at most
 * n; RING_ALL: all. */
enum { RING_ALL = -1 };
void ring_submits(struct ring *ring, long n);
/* Like ring_submits, for liburing, which updates the tail of the ring only when it submits. */
void ring_submits_by_library(struct ring *ring, const struct uring *library);
/* Counts requests of the ring that are complete. t1, t2: ticks around the current call. */
void ring_look(struct ring *ring, uint64_t t1, uint64_t t2);
/* Like ring_look, on the runtime's own stack, for callers that use much of theirs. */
void ring_look_there(struct ring *ring, uint64_t t1, uint64_t t2);
/* Counts complete requests of all rings. Called when the application may have used any ring. */
void rings_look(void);
void rings_ending(void);
/* Returns the number of entries that the kernel consumed before the runtime read them. The caller
 * holds the ring's lock. */
uint32_t ring_missed(struct ring *ring);
/* Counts n requests that the runtime did not see, in the record of other paths. */
void ring_unseen(uint32_t n);

#endif
