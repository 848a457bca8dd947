/* Asynchronous requests under way, from the call that submits a request to the call that returns
 * its result. */
#ifndef DARSHAN_REQUESTS_H
#define DARSHAN_REQUESTS_H

#include <stdint.h>

#include "../../../memory/segments.h"

struct posix_file;

enum {
  REQUEST_BUCKETS = 4096,
  REQUESTS_MOST = 1 << 20, /* under way at once: 64 MiB */
  REQUEST_PATHS = 2
};

struct request {
  uint64_t key;            /* address of the application's request, or its user_data */
  uint64_t submitted;      /* ticks */
  struct posix_file *file; /* NULL: none, or not needed */
  union {
    int64_t offset;            /* where the transfer begins */
    struct posix_file *before; /* file of the slot before the open */
  };
  union {
    const void *memory;      /* of the transfer; never read */
    struct posix_file *from; /* source of a copy */
    int64_t fd;              /* descriptor that is closed, or the folder of the path */
  };
  uint32_t length, flags;       /* from the kernel's entry */
  uint32_t path[REQUEST_PATHS]; /* numbers of copies of paths; 0: none */
  uint32_t next;                /* next in its bucket, or next free slot */
  int32_t kind;                 /* defined by the caller */
};
_Static_assert(sizeof(struct request) == 64, "a line each");

struct requests {
  int lock;
  uint32_t used, free; /* slots that were ever used; the first free slot */
  uint32_t open;       /* requests under way */
  int was_full;        /* 1: a request was not stored */
  uint32_t *bucket;    /* REQUEST_BUCKETS elements: the latest request; 0: none */
  struct segments places;
};

/* Adds a request after those with the same key. Returns NULL if the table is full. The caller of
 * this and the next functions holds the lock of the table. */
struct request *requests_add(struct requests *requests, uint64_t key);
/* Returns the oldest request with this key, or NULL. */
struct request *requests_find(struct requests *requests, uint64_t key);
/* Copies the request and removes it. */
void requests_take(struct requests *requests, const struct request *request, struct request *copy);

/* Removes all requests. */
void requests_forget(struct requests *requests);

#endif
