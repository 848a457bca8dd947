/* Asynchronous requests under way, from the call that submits one to the call that learns
 * its result.  There is room for as many as there is memory for. */
#ifndef DARSHAN_REQUESTS_H
#define DARSHAN_REQUESTS_H

#include <stdint.h>

#include "../../memory/segments.h"

struct posix_file;

enum {
  REQUEST_BUCKETS = 4096,
  REQUESTS_MOST = 1 << 20, /* under way at once: 64 MiB */
  REQUEST_PATHS = 2
};

struct request {
  uint64_t key;            /* the address of the program's request, or its user_data */
  uint64_t submitted;      /* ticks */
  struct posix_file *file; /* NULL: none, or not needed */
  union {
    int64_t offset;            /* where the transfer begins */
    struct posix_file *before; /* what the slot held that is opened */
  };
  union {
    const void *memory;      /* of the transfer; never read */
    struct posix_file *from; /* what is copied */
    int64_t fd;              /* what was closed, or the folder of the path */
  };
  uint32_t length, flags;       /* as the kernel's entry has them */
  uint32_t path[REQUEST_PATHS]; /* numbers of copies of paths; 0: none */
  uint32_t next;                /* in its bucket, or of the free places */
  int32_t kind;                 /* whose meaning only the caller knows */
};
_Static_assert(sizeof(struct request) == 64, "a line each");

struct requests {
  int lock;
  uint32_t used, free; /* places that were ever used; the first that is free again */
  uint32_t open;       /* requests that are under way */
  int was_full;        /* some could not be remembered */
  uint32_t *bucket;    /* REQUEST_BUCKETS: the latest request, 0: none */
  struct segments places;
};

/* All of these with the lock of the table. */
/* A new request of this key, behind those that have the same; NULL: there is no room. */
struct request *requests_add(struct requests *requests, uint64_t key);
/* The oldest request of this key; NULL: none. */
struct request *requests_find(struct requests *requests, uint64_t key);
/* Copies the request and forgets it. */
void requests_take(struct requests *requests, const struct request *request, struct request *copy);

/* There is none any more. */
void requests_forget(struct requests *requests);

#endif
