/* Asynchronous requests in progress, from the call that submits a request to the call that returns
 * its result. */
#ifndef DARSHAN_REQUESTS_H
#define DARSHAN_REQUESTS_H

#include <stdint.h>

#include "../../../memory/segments.h"

struct posix_file;

enum {
  REQUEST_BUCKETS = 4096,
  REQUESTS_MOST = 1 << 20, /* requests in progress at once, which take 64 MiB */
  REQUEST_PATHS = 2
};

/* A request in progress. `kind` decides which members of the unions are used. */
struct request {
  uint64_t key;            /* address of the application's request, or its user_data */
  uint64_t submitted;      /* time of submission, in ticks */
  struct posix_file *file; /* NULL: none, or not needed */
  union {
    int64_t offset;            /* file offset at which the transfer begins */
    struct posix_file *before; /* file that the registered slot had before the open */
  };
  union {
    const void *memory;      /* the transfer's buffer; never read */
    struct posix_file *from; /* source of a copy */
    int64_t fd;              /* descriptor that is closed, or the folder of the path */
  };
  uint32_t length, flags;       /* as in the kernel's entry */
  uint32_t path[REQUEST_PATHS]; /* numbers of copies of paths; 0: none */
  uint32_t next; /* number of the next request in its bucket, or of the next free slot */
  int32_t kind;  /* meaning defined by the caller */
};
_Static_assert(sizeof(struct request) == 64, "a line each");

/* A table of requests in progress. It is valid if all bytes are 0: empty. */
struct requests {
  int lock;               /* a record's lock (record_lock) */
  uint32_t used, free;    /* number of slots that were ever used; the first free slot */
  uint32_t open;          /* requests in progress */
  int was_full;           /* 1: some request was not stored */
  uint32_t *bucket;       /* REQUEST_BUCKETS elements: number of the latest request; 0: none */
  struct segments places; /* the slots: struct request, by number from 1 */
};

/* Adds a request, of which only the key is set, and returns it. Requests with the same key stay in
 * order. Returns NULL, and sets was_full, if the table is full or memory is exhausted. The caller
 * of this function and those below holds the lock of the table. */
struct request *requests_add(struct requests *requests, uint64_t key);
/* Returns the oldest request with this key, or NULL. */
struct request *requests_find(struct requests *requests, uint64_t key);
/* Copies a request of the table (from requests_find) to *copy and removes it from the table. */
void requests_take(struct requests *requests, const struct request *request, struct request *copy);

/* Removes all requests. */
void requests_forget(struct requests *requests);

#endif
