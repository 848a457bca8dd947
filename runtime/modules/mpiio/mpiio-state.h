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
  struct darshan_mpiio_ext_record *ext; /* NULL: the table was full */
  struct common_values access;
  double last_end[3]; /* of the last operation of each kind, to count overlapping calls once */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t outstanding; /* non-blocking operations under way */
  uint32_t number;      /* of its record */
  struct layer_state layer;
} __attribute__((aligned(64)));

/* The file view of a handle. */
struct mpiio_view {
  int64_t displacement;
  int64_t unit;   /* bytes of an etype; 0: offsets are unknown */
  int64_t filled; /* bytes of data in a filetype */
  int64_t extent; /* bytes from one filetype to the next */
  int64_t first;  /* offset of the first byte of data */
};

/* Sizes of the tables: open handles, requests under way, and hash buckets of requests. Requests
 * are limited by memory, up to some 64 MiB. */
enum { MPIIO_HANDLES = 4096, MPIIO_REQUESTS = 1 << 20, MPIIO_BUCKETS = 4096 };

struct mpiio_handle { /* an open file; changes are protected by the lock of its file */
  mpi_handle key;     /* 0: free, 1: deleted; later slots may be in use */
  uint32_t file;
  uint32_t split_kind; /* enum mpiio_operation of the split collective under way */
  int64_t split_bytes;
  uint64_t split_begun; /* ticks */
  int64_t position;     /* of the individual file pointer, in etypes; -1: unknown */
  struct mpiio_view view;
};

struct mpiio_request { /* a non-blocking operation under way */
  mpi_handle key;
  uint32_t file;
  uint32_t kind; /* enum mpiio_operation */
  int64_t bytes; /* requested */
  uint64_t begun;
  uint32_t next;      /* in its bucket, or in the free list */
  uint32_t next_here; /* next request of the same wait */
  int place;          /* index in the array of the wait; -1: no call waits */
  uint32_t number;    /* index of this request */
};

struct mpiio_requests {
  uint32_t bucket[MPIIO_BUCKETS]; /* first request; 0: none */
  uint32_t free, used;
  struct segments request; /* mpiio_request [1..] */
};

struct mpiio_state {
  uint32_t outstanding; /* requests of files under way */
  int prepared, lock;   /* lock: of the tables; not taken while a file's lock is held */
  struct mpiio_handle *handles;
  struct segments files; /* mpiio_file, by record number */
  struct mpiio_requests *requests;
};

extern struct mpiio_state mpiio_state __attribute__((visibility("hidden")));

#endif
