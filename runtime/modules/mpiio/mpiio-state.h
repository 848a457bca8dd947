/* What the MPI-IO module keeps besides its records. */
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

struct mpiio_file { /* belongs to a record */
  int lock;
  uint32_t last_operation;
  struct darshan_mpiio_record *record;
  struct darshan_mpiio_ext_record *ext; /* NULL: there was no room */
  struct common_values access;
  double last_end[3]; /* of the last operation of each kind, for times without overlap */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t outstanding; /* non-blocking operations under way */
  uint32_t number;      /* of its record */
  struct layer_state layer;
} __attribute__((aligned(64)));

/* What a handle shows of its file. */
struct mpiio_view {
  int64_t displacement;
  int64_t unit;   /* bytes of an etype; 0: places are not known */
  int64_t filled; /* bytes of data in a filetype */
  int64_t extent; /* ... and the bytes it spans, from one to the next */
  int64_t first;  /* where its first byte is */
};

/* Requests: as many as memory is found for, up to some 64 MiB. */
enum { MPIIO_HANDLES = 4096, MPIIO_REQUESTS = 1 << 20, MPIIO_BUCKETS = 4096 };

struct mpiio_handle { /* an open file; the lock of its file protects what changes */
  mpi_handle key;     /* 0: free, 1: was used, others may follow */
  uint32_t file;
  uint32_t split_kind; /* enum mpiio_operation of the split collective under way */
  int64_t split_bytes;
  uint64_t split_begun; /* ticks */
  int64_t position;     /* of the individual file pointer, in etypes; -1: not known */
  struct mpiio_view view;
};

struct mpiio_request { /* a non-blocking operation under way */
  mpi_handle key;
  uint32_t file;
  uint32_t kind; /* enum mpiio_operation */
  int64_t bytes; /* asked for */
  uint64_t begun;
  uint32_t next;      /* in its bucket, or of the free ones */
  uint32_t next_here; /* of those that a call waits for */
  int place;          /* in that call's array; -1: no call waits */
  uint32_t number;    /* of this one */
};

struct mpiio_requests {
  uint32_t bucket[MPIIO_BUCKETS]; /* first request, 0: none */
  uint32_t free, used;
  struct segments request; /* mpiio_request [1..] */
};

struct mpiio_state {
  uint32_t outstanding; /* requests that are followed */
  int prepared, lock;   /* of the tables, never taken after a file's */
  struct mpiio_handle *handles;
  struct segments files; /* mpiio_file, by record number */
  struct mpiio_requests *requests;
};

extern struct mpiio_state mpiio_state __attribute__((visibility("hidden")));

#endif
