/* Rings of io_uring.  The program and the kernel share the memory of a ring, and most of
 * liburing is inlined into programs.  So the runtime maps the ring once more for itself and
 * looks into it at the calls that it does see: at what is about to be submitted, and at what
 * is complete.  A result stays readable after the program has taken it, until the queue has
 * gone round. */
#ifndef DARSHAN_RINGS_H
#define DARSHAN_RINGS_H

#include "posix.h"
#include "requests.h"
#include "uring.h"

struct ring {
  int fd;           /* -1: this place is free */
  uint32_t flags;   /* as set up */
  const char *head; /* where the program's liburing has the head: names its struct; NULL */
  int index, owner; /* registered as this number, by this thread; -1 */
  char *memory;     /* our mapping of the queues; NULL: its traffic is not followed */
  size_t size;
  char *entries; /* ... and of the entries */
  size_t entries_size;
  uint32_t most, most_results; /* places */
  uint32_t head_at, tail_at, array_at, results_tail_at, results_at;
  uint32_t seen, results_seen; /* how far we have looked, counted as the kernel does */
  struct requests requests;    /* its lock is that of the ring */
  uint32_t others;             /* of its requests: about no file, or none that is followed */
  struct segments files;       /* registered: struct posix_file *; FD_OTHER: not followed */
  uint32_t files_used;
  struct segments paths; /* of requests under way */
  uint32_t paths_used, free_path;
};

/* What is registered in a slot: a request that is under way opens it, and those behind it in a
 * chain mean what it will have opened. */
#define SLOT_OPENS FD_EXCLUDED

struct rings_state {
  int lock;
  uint32_t used; /* places that were ever used */
  struct segments rings;
};
extern struct rings_state rings_state __attribute__((visibility("hidden")));

/* rings.c: which rings there are */
void ring_made(int fd, const struct uring_setup *setup);
void ring_made_by_library(const struct uring *ring);
/* NULL: not followed. */
struct ring *ring_of(const struct uring *ring);
struct ring *ring_of_number(int fd, int registered);
/* The program is about to end it (ring_closed: it has closed its number). */
void ring_ends(struct ring *ring);
void ring_registered(int fd, unsigned operation, const void *argument, unsigned n, long result);
void ring_files(struct ring *ring, uint32_t first, const int *fds, unsigned n);
struct posix_file *ring_file(const struct ring *ring, uint32_t slot);
void ring_set_file(struct ring *ring, uint32_t slot, struct posix_file *file);
void rings_forked(void);

/* ring-requests.c and ring-results.c: what goes through them */
/* Entries up to the tail of the ring, but no more than n, are about to be submitted. */
enum { RING_ALL = -1 };
void ring_submits(struct ring *ring, long n);
/* The same of liburing, which has the tail to itself until it submits. */
void ring_submits_by_library(struct ring *ring, const struct uring *library);
/* What is complete now counts; the call that looks began at t1. */
void ring_look(struct ring *ring, uint64_t t1, uint64_t t2);
/* The same on memory of ours, where the caller has used much of its stack. */
void ring_look_there(struct ring *ring, uint64_t t1, uint64_t t2);
/* For a moment at which the program may have used any ring. */
void rings_look(void);
void rings_ending(void);
/* With the ring's lock: what has gone past us. */
uint32_t ring_missed(struct ring *ring);
/* Counts requests that nobody saw. */
void ring_unseen(uint32_t n);

#endif
