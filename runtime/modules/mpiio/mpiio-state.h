/* State of the MPI-IO module that is not part of a record. */
#ifndef DARSHAN_MPIIO_STATE_H
#define DARSHAN_MPIIO_STATE_H

#include <stdint.h>

#include "../../counting/common-values.h"
#include "../../memory/segments.h"
#include "../../mpi/library.h"
#include "../layers/layers-state.h"

struct darshan_mpiio_ext_record;
struct darshan_mpiio_record;

enum mpiio_operation { MPIIO_META, MPIIO_READ, MPIIO_WRITE };

struct mpiio_file { /* one per record */
  int lock;
  uint32_t last_operation;
  struct darshan_mpiio_record *record;
  struct darshan_mpiio_ext_record *ext; /* NULL: the table of records was full */
  struct common_values access;
  double
      last_end[3]; /* end of the last operation of each kind; overlapping calls are counted once */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t outstanding; /* non-blocking operations in progress */
  uint32_t number;      /* number of its record */
  struct layer_state layer;
} __attribute__((aligned(64)));

/* The file view of a handle: the bytes of the file that it can access. */
struct mpiio_view {
  int64_t displacement;
  int64_t unit;   /* bytes of an etype; 0: offsets are unknown */
  int64_t filled; /* bytes of data in a filetype (the repeated pattern of the view) */
  int64_t extent; /* bytes from one filetype to the next */
  int64_t first;  /* offset of the first byte of data in a filetype */
};

/* Sizes of the tables: open handles, requests in progress, and hash buckets of requests. Requests
 * take up to 48 MiB of memory. */
enum { MPIIO_HANDLES = 4096, MPIIO_REQUESTS = 1 << 20, MPIIO_BUCKETS = 4096 };

/* An open file. `key` changes under the lock of the tables, other members change under the lock of
 * the file. */
struct mpiio_handle {
  mpi_handle key; /* 0: free, 1: deleted; the search continues after a deleted slot */
  uint32_t file;
  uint32_t split_kind; /* enum mpiio_operation of the split collective in progress */
  int64_t split_bytes;
  uint64_t split_begun; /* begin of the split collective, in ticks */
  int64_t position;     /* of the individual file pointer, in etypes; -1: unknown */
  struct mpiio_view view;
};

struct mpiio_request { /* a non-blocking operation in progress */
  mpi_handle key;
  uint32_t file;
  uint32_t kind; /* enum mpiio_operation */
  int64_t bytes; /* requested bytes */
  uint64_t begun;
  uint32_t next;      /* number of the next request in the bucket or in the free list */
  uint32_t next_here; /* number of the next request of the same wait */
  int place;          /* index in the array of the call that waits; -1: no call waits */
  uint32_t number;    /* index of this request */
};

struct mpiio_requests {
  uint32_t bucket[MPIIO_BUCKETS]; /* number of the first request; 0: none */
  uint32_t free, used;
  struct segments request; /* mpiio_request, by number, from 1 */
};

struct mpiio_state {
  uint32_t outstanding; /* number of requests on files in progress */
  int prepared, lock;   /* lock: protects the tables; not taken while a file's lock is held */
  struct mpiio_handle *handles;
  struct segments files; /* mpiio_file, by number of the record */
  struct mpiio_requests *requests;
};

extern struct mpiio_state mpiio_state __attribute__((visibility("hidden")));

#endif
