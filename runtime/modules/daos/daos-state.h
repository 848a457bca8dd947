/* What the DAOS modules keep besides their records. */
#ifndef DARSHAN_DAOS_STATE_H
#define DARSHAN_DAOS_STATE_H

#include <stdint.h>

#include "../../counting/common-values.h"
#include "../../intercept/library.h"
#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"
#include "daos-types.h"

enum { DAOS_KEYS = 1 << 14, DAOS_CONTAINERS = 256, DAOS_PENDING = 256 };

/* A file or an object: belongs to a record of DFS or of DAOS. */
struct daos_item {
  int lock;
  uint32_t number;     /* of its record */
  int is_file;         /* of DFS */
  uint32_t container;  /* number */
  int64_t *counters;   /* of its record; NULL: not met yet */
  int64_t *transfers;  /* the counters from BYTES_READ on, which both kinds have */
  double *fcounters;   /* the same ones in both */
  double last_end[3];  /* metadata, read, write */
  uint64_t cell_bytes; /* of an array; 0: not known */
  uint32_t last_operation;
  uint32_t name_length;
  const char *name; /* of a file; "": not known */
  struct common_values accesses;
  struct heatmap_span span;
  int64_t booked[2];
};

/* What a handle, or the address of something open, stands for. */
enum daos_kind {
  DAOS_NOTHING,
  DAOS_A_POOL,      /* number of a container, of which only the pool is known */
  DAOS_A_CONTAINER, /* number of a container */
  DAOS_A_MOUNT,     /* the same */
  DAOS_A_FILE,      /* number of a record, as are those below */
  DAOS_A_NAME,      /* of a file */
  DAOS_AN_OBJECT,
  DAOS_AN_ARRAY,
  DAOS_A_KV
};
struct daos_key {
  uint64_t key;
  uint16_t kind; /* enum daos_kind; DAOS_NOTHING: a free place */
  uint16_t deleted;
  uint32_t number;
};

struct daos_container {
  struct daos_uuid pool, container; /* zeroed: not known */
};

struct daos_pending { /* an open that was begun, whose handle comes with its event */
  const void *event;  /* NULL: a free place */
  const daos_handle *handle;
  uint32_t number; /* of its record */
  enum daos_kind kind;
  const uint64_t *cell_size, *chunk_size; /* told with it, or NULL */
};

struct daos_memory { /* made at the first call: a process without DAOS pays nothing */
  struct daos_key keys[DAOS_KEYS];
  struct daos_container containers[DAOS_CONTAINERS]; /* the first: of which nothing is known */
  struct daos_pending pending[DAOS_PENDING];
};

struct daos_state {
  int lock;
  uint32_t containers;            /* in use */
  uint32_t pending;               /* how many there are, about */
  struct segments files, objects; /* daos_item, by record number */
  struct daos_memory *memory;
};

extern struct daos_state daos_state __attribute__((visibility("hidden")));

#endif
