/* What the POSIX module keeps besides its records. */
#ifndef DARSHAN_POSIX_STATE_H
#define DARSHAN_POSIX_STATE_H

#include <stdint.h>

#include "../../counting/common-values.h"
#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"

struct darshan_posix_record;
struct requests;

/* Belongs to a record: the tables behind its common values.  Apart from the rest, since a file
 * that is only asked about or opened never touches them. */
struct posix_values {
  struct common_values access, stride;
} __attribute__((aligned(64)));

/* Belongs to a record: its lock, and what every event may need. */
struct posix_aux { /* in a line of its own: another thread may own the next one */
  int lock;
  uint32_t ext;     /* number of its POSIX_EXT record, 0: none yet */
  uint32_t watched; /* events are told to the layers module */
  uint32_t traced;  /* number of its record if transfers are told to DXT, else 0 */
  struct heatmap_span span;
  int64_t booked[2];
  struct posix_values *values;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct posix_aux) == 64, "one line, of which there may be a million");

/* The files for which no state of their own can be had. */
enum { POSIX_SHARED_FILE = 1 };

/* Where an unknown position begins: smaller than all known ones, so that the highest byte is
 * not made of it, and sums of moves stay below 0. */
#define POSIX_ADRIFT (INT64_MIN / 2)

enum posix_operation { POSIX_NOTHING_YET, POSIX_READ, POSIX_WRITE };

/* Belongs to a file that is followed: its position and what was done last.
 * Usually one per record; files that share a record have each their
 * own while they are open, so that the shared counters stay exact. */
struct posix_file {
  struct darshan_posix_record *record; /* NULL: to be made (inherited over a fork) */
  struct posix_aux *aux;
  int64_t offset;
  int64_t last_byte[3]; /* by posix_operation: last byte read, written */
  double last_end[3];   /* end of the last metadata operation, read, write */
  uint32_t last_operation;
  uint32_t alignment; /* FILE_ALIGNMENT; 0: not counted */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t descriptors; /* that point here */
  uint32_t next_free;   /* overflow files only */
  uint8_t overflow;     /* 1: shares a record with other files */
  uint8_t on_lustre;    /* 1: its striping can be asked for */
  uint8_t appends;      /* 1: writes go to the end, wherever that is */
  uint32_t number;      /* of this file */
  uint32_t grid;        /* adrift: what alignment would be, which then is 0 */
  /* Other processes may move its position, too: the sum of this one's moves since
   * POSIX_ADRIFT, in place of offset; 0: offset is known. */
  int64_t adrift;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct posix_file) == 128, "two lines, of which a transfer needs both");

struct posix_state {
  uint64_t mem_alignment;          /* as configured */
  struct segments files;           /* posix_file [1..]: one per record, and those of the overflow */
  struct segments aux;             /* posix_aux, by record number */
  struct segments values;          /* posix_values, by record number */
  uint32_t used_files, most_files; /* most: without those of the overflow */
  uint32_t overflow_files, free_overflow; /* how many there are; the first that is free */
  uint64_t *overflow_set;                 /* ids seen in the overflow, with their last operation */
  uint32_t set_places;                    /* of them; 0: there was no overflow */
  uint32_t overflow_names;                /* in the set */
  uint32_t in_overflow;                   /* of them, those of the record <overflow> */
  uint32_t *overflow_open;                /* id -> file number, for those that are open */
  struct posix_aux *other_paths;          /* of the record for paths without one */
  struct requests *aio;                   /* of POSIX AIO and libaio */
  /* FILE_ALIGNMENT is the same within a folder: upper half of its hash, lower
   * half the alignment. */
  uint64_t alignments[64];
};

/* Aligned: every transfer reads how it begins. */
extern struct posix_state posix_state __attribute__((visibility("hidden"), aligned(64)));

#endif
