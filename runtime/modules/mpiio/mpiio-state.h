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

/* State of a file; one per MPI-IO record. */
struct mpiio_file {
  int lock;
  uint32_t last_operation; /* enum mpiio_operation: the last read or write; 0: none */
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
  int64_t displacement; /* bytes from the start of the file to the first filetype */
  int64_t unit;         /* bytes of an etype; 0: offsets are unknown */
  int64_t filled;       /* bytes of data in a filetype (the repeated pattern of the view); 1, as is
                           extent, if the view has no holes */
  int64_t extent;       /* bytes from one filetype to the next */
  int64_t first;        /* offset of the first byte of data in a filetype */
};

/* Sizes of the tables: open handles, requests in progress, and hash buckets of requests. Requests
 * take up to 48 MiB of memory. */
enum { MPIIO_HANDLES = 4096, MPIIO_REQUESTS = 1 << 20, MPIIO_BUCKETS = 4096 };

/* An open file. `key` changes under the lock of the tables, other members change under the lock of
 * the file. */
struct mpiio_handle {
  mpi_handle key; /* MPI's handle; 0: free, 1: deleted; the search continues after a deleted slot */
  uint32_t file;  /* number of its mpiio_file */
  uint32_t split_kind;  /* enum mpiio_operation of the split collective in progress; 0: none */
  int64_t split_bytes;  /* requested bytes of the split collective */
  uint64_t split_begun; /* begin of the split collective, in ticks */
  int64_t position;     /* of the individual file pointer, in etypes; -1: unknown */
  struct mpiio_view view;
};

/* A non-blocking operation in progress. */
struct mpiio_request {
  mpi_handle key;     /* MPI's request */
  uint32_t file;      /* number of its mpiio_file */
  uint32_t kind;      /* enum mpiio_operation */
  int64_t bytes;      /* requested bytes */
  uint64_t begun;     /* begin of the call that started it, in ticks */
  uint32_t next;      /* number of the next request in the bucket or in the free list */
  uint32_t next_here; /* number of the next request of the same wait */
  int place;          /* index in the array of the call that waits; -1: no call waits */
  uint32_t number;    /* index of this request */
};

/* The table of non-blocking operations in progress. */
struct mpiio_requests {
  uint32_t bucket[MPIIO_BUCKETS]; /* number of the first request; 0: none */
  uint32_t free, used;     /* the first free slot, 0: none; number of slots that were ever used */
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
