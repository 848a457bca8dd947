/* State of the DAOS modules that is not part of a record. */
#ifndef DARSHAN_DAOS_STATE_H
#define DARSHAN_DAOS_STATE_H

#include <stdint.h>

#include "../../counting/common-values.h"
#include "../../intercept/loader/library.h"
#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"
#include "daos-types.h"

enum { DAOS_KEYS = 1 << 14, DAOS_CONTAINERS = 256, DAOS_PENDING = 256 };

/* State of a file or an object; one per record of DFS or DAOS. */
struct daos_item {
  int lock;
  uint32_t number;         /* number of its record */
  int is_file;             /* 1: a file (DFS); 0: an object (DAOS) */
  uint32_t container;      /* index in daos_memory.containers */
  int64_t *counters;       /* counters of its record; NULL: no record yet */
  int64_t *transfers;      /* the counters from BYTES_READ on, which both kinds have */
  double *fcounters;       /* the same counters in both kinds of records */
  double last_end[3];      /* ends of the last metadata operation, read and write, in seconds */
  uint64_t cell_bytes;     /* bytes of a cell of an array; 0: unknown */
  uint32_t last_operation; /* read, write or other; RW_SWITCHES counts its changes */
  uint32_t name_length;
  const char *name; /* path of a file; "": unknown */
  struct common_values accesses;
  struct heatmap_span span;
  int64_t booked[2]; /* bytes read and written that are already in the heat map */
};

/* The kinds of objects that a key can refer to. A key is a handle, the address of an open file or
 * mount, or the hash of a name. The comments say which number is stored for the key. */
enum daos_kind {
  DAOS_NOTHING,
  DAOS_A_POOL,      /* index of a container of which only the pool is known */
  DAOS_A_CONTAINER, /* index of a container */
  DAOS_A_MOUNT,     /* index of a container */
  DAOS_A_FILE,      /* number of a record, like all below */
  DAOS_A_NAME,      /* the name of a file that is not open */
  DAOS_AN_OBJECT,
  DAOS_AN_ARRAY,
  DAOS_A_KV
};
/* An open handle or address, and what it refers to. */
struct daos_key {
  uint64_t key;     /* its value; of a name: a hash (files.c) */
  uint16_t kind;    /* enum daos_kind; DAOS_NOTHING: a free slot */
  uint16_t deleted; /* 1: closed; the search continues after this slot */
  uint32_t number;  /* as enum daos_kind says */
};

/* The UUIDs of a container and of its pool. */
struct daos_container {
  struct daos_uuid pool, container; /* zeroed: unknown */
};

/* An asynchronous open, whose handle arrives with its event. */
struct daos_pending {
  const void *event;         /* NULL: a free slot */
  const daos_handle *handle; /* where the library stores the handle */
  uint32_t number;           /* number of its record */
  enum daos_kind kind;
  const uint64_t *cell_size,
      *chunk_size; /* the library stores sizes there before the event completes; NULL: none */
};

/* The tables of the modules. Allocated by the first DAOS call, so that other processes do not need
 * the memory. */
struct daos_memory {
  struct daos_key keys[DAOS_KEYS];
  struct daos_container containers[DAOS_CONTAINERS]; /* [0]: the unknown container */
  struct daos_pending pending[DAOS_PENDING];
};

struct daos_state {
  int lock;
  uint32_t containers;            /* number of containers in use */
  uint32_t pending;               /* approximate number of pending opens */
  struct segments files, objects; /* daos_item, by number of the record */
  struct daos_memory *memory;
};

extern struct daos_state daos_state __attribute__((visibility("hidden")));

#endif
