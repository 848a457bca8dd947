/* Rings of io_uring. The application and the kernel share the memory of a ring, and most of
 * liburing is inlined into applications. Therefore the runtime maps the ring a second time. At the
 * calls that it sees, it reads both queues: entries that are about to be submitted, and results. A
 * result stays readable after the application has consumed it, until the queue wraps around. */
#ifndef DARSHAN_RINGS_H
#define DARSHAN_RINGS_H

#include "../posix.h"
#include "requests.h"
#include "uring.h"

/* A ring of the application. Members that end with _at are byte offsets in `memory`. */
struct ring {
  int fd;         /* -1: the slot is free */
  uint32_t flags; /* flags with which the ring was set up */
  const char
      *head; /* liburing's pointer to the head, which identifies liburing's struct; NULL: unknown */
  int index, owner; /* the thread `owner` registered the ring under `index`; -1: not registered */
  char *memory;     /* the runtime's mapping of the queues; NULL: the ring is not recorded */
  size_t size;      /* of `memory`, in bytes */
  char *entries;    /* the runtime's mapping of the entries */
  size_t entries_size;
  uint32_t most, most_results; /* largest numbers of entries and of results in the two queues */
  uint32_t head_at, tail_at, array_at, results_tail_at, results_at;
  uint32_t seen,
      results_seen; /* how far both queues were read, counted like the kernel's head and tail */
  struct requests requests; /* requests in progress; its lock is the lock of the ring */
  uint32_t others;          /* number of those requests that are on no recorded file */
  struct segments files; /* registered files: struct posix_file *, NULL, FD_OTHER or SLOT_OPENS */
  uint32_t files_used;   /* number of slots of `files` that are valid */
  struct segments paths; /* copies of paths of requests in progress, by number from 1 */
  uint32_t paths_used, free_path; /* number of slots that were ever used; the first free slot */
};

/* Value of a registered slot in which a request in progress will open a file. Later requests of its
 * chain use that file. */
#define SLOT_OPENS FD_EXCLUDED

struct rings_state {
  int lock;
  uint32_t used; /* number of slots that were ever used */
  struct segments rings;
};
extern struct rings_state rings_state __attribute__((visibility("hidden")));

/* Functions of rings.c, the table of rings. */

void ring_made(int fd, const struct uring_setup *setup);
void ring_made_by_library(const struct uring *ring);
/* ring_of returns the ring that a struct of liburing describes, ring_of_number that of a descriptor
 * or, if registered is 1, of the index `fd` under which the calling thread registered a ring. Both
 * return NULL if the runtime does not know the ring. */
struct ring *ring_of(const struct uring *ring);
struct ring *ring_of_number(int fd, int registered);
/* ring_ends counts the completed requests of a ring that the application is about to close, and
 * forgets the ring. ring_closed does this for the ring whose descriptor was closed. */
void ring_ends(struct ring *ring);
void ring_registered(int fd, unsigned operation, const void *argument, unsigned n, long result);
void ring_files(struct ring *ring, uint32_t first, const int *fds, unsigned n);
struct posix_file *ring_file(const struct ring *ring, uint32_t slot);
void ring_set_file(struct ring *ring, uint32_t slot, struct posix_file *file);
void rings_forked(void);

/* ring-requests.c and ring-results.c: traffic of the rings */
/* ring_submits reads the entries that are about to be submitted, up to the ring's tail, but at most
 * n entries (RING_ALL: all of them), and stores their requests until the results arrive. */
enum { RING_ALL = -1 };
void ring_submits(struct ring *ring, long n);
/* Like ring_submits, for all entries that the program has prepared with liburing: liburing updates
 * the tail of the ring only when it submits entries, so its own tail is used (library). */
void ring_submits_by_library(struct ring *ring, const struct uring *library);
/* Reads the new results of the ring and counts their requests. t1, t2: ticks before and after the
 * current call; a request lasts from its submission to t2. Preserves errno. */
void ring_look(struct ring *ring, uint64_t t1, uint64_t t2);
/* Like ring_look, but on a stack of the runtime, for callers that already use much stack. */
void ring_look_there(struct ring *ring, uint64_t t1, uint64_t t2);
/* Counts completed requests of all rings. Called when the application may have used any ring. */
void rings_look(void);
void rings_ending(void);
/* Returns the number of entries that the kernel consumed before the runtime read them, and skips
 * them; 0 if there are none. The caller holds the ring's lock. */
uint32_t ring_missed(struct ring *ring);
/* Adds n to the requests that the runtime did not see (POSIX_EXT_URING_UNSEEN of the record <other
 * paths>). */
void ring_unseen(uint32_t n);

#endif
