/* State of the POSIX module that is not part of a record. */
#ifndef DARSHAN_POSIX_STATE_H
#define DARSHAN_POSIX_STATE_H

#include <stdint.h>

#include "../../counting/common-values.h"
#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"

struct darshan_posix_record;
struct requests;

/* The tables that count the common access sizes and strides of a record. They are separate from
 * posix_aux, because files that are only opened or queried never use them. */
struct posix_values {
  struct common_values access, stride;
} __attribute__((aligned(64)));

/* The lock of a record, and members that any event may need. */
struct posix_aux { /* in a cache line of its own, because another thread may use the next record */
  int lock;
  uint32_t ext;             /* number of its POSIX_EXT record; 0: none yet */
  uint32_t watched;         /* modules that are notified of events: WATCHED_BY_ flags of sites.h */
  uint32_t traced;          /* number of the record if DXT traces its transfers, else 0 */
  struct heatmap_span span; /* of the last transfer's bin in the heat map */
  int64_t booked[2];        /* bytes read and written that are in the heat map already */
  struct posix_values *values;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct posix_aux) == 64, "one line, of which there may be a million");

/* The number of the state that files share if the table of states is full. */
enum { POSIX_SHARED_FILE = 1 };

enum { POSIX_KNOWN_PATHS = 256 };

/* The first value of posix_file.adrift, which marks a position as unknown. It is smaller than all
 * known positions, so it never counts as the highest byte. With the bytes added that this process
 * transfers at the position, it stays below 0. */
#define POSIX_ADRIFT (INT64_MIN / 2)

enum posix_operation { POSIX_NOTHING_YET, POSIX_READ, POSIX_WRITE };

/* State of a file that this process uses: its position and its last operation. All descriptors of
 * the file share it. Most records have one such state. While files that share a record are open,
 * each has its own state, so that the shared counters stay exact. */
struct posix_file {
  struct darshan_posix_record *record; /* NULL: not created yet (inherited by a fork) */
  struct posix_aux *aux;               /* of the record; NULL like it */
  int64_t offset;       /* position at which the next read or write without an offset begins */
  int64_t last_byte[3]; /* last byte read and written, indexed by enum posix_operation */
  double last_end[3];   /* ends of the last metadata operation, read and write */
  uint32_t last_operation;
  uint32_t alignment; /* FILE_ALIGNMENT; 0: alignment is not counted, or the position is unknown */
  uint64_t id;        /* record id of the file's name */
  const char *name;   /* of the record; the store owns it */
  uint32_t name_length;
  uint32_t descriptors; /* number of its descriptors; with a shared record, also mappings */
  uint32_t next_free;   /* next free overflow file; during a fork: number of the child's state */
  uint8_t overflow;     /* 1: shares a record with other files */
  uint8_t on_lustre;    /* 1: Lustre can report its striping */
  uint8_t appends;      /* 1: writes go to the current end of the file */
  uint8_t holes_known;  /* 1: posix_look_for_holes has looked at the file */
  uint32_t number;      /* index of this state */
  uint32_t grid;        /* FILE_ALIGNMENT while the position is unknown */
  /* 0: the position is known (`offset`). Otherwise other processes may also move the position;
   * `adrift` is then POSIX_ADRIFT plus the moves of this process, and `offset` is unused. */
  int64_t adrift;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct posix_file) == 128, "two lines, of which a transfer needs both");

/* The state of the module. "Number of a file" means the index of its struct posix_file. */
struct posix_state {
  uint64_t mem_alignment; /* from the configuration, in bytes */
  struct segments files;  /* posix_file, from 1: one per record, and those of overflow files */
  struct segments aux;    /* posix_aux, by number of the record */
  struct segments values; /* posix_values, by number of the record */
  uint32_t used_files;    /* highest number of a file so far */
  uint32_t overflow_files,
      free_overflow;             /* number of overflow files; number of the first free one */
  uint64_t *overflow_set;        /* ids of overflow files, each with its last operation */
  uint32_t set_places;           /* number of slots of overflow_set; 0: no overflow file yet */
  uint32_t overflow_names;       /* number of ids in overflow_set */
  uint32_t in_overflow;          /* ids in overflow_set that belong to the record <overflow> */
  uint32_t *overflow_open;       /* hash table from ids to numbers of open overflow files */
  struct posix_aux *other_paths; /* that of the record for paths without a record */
  struct requests *aio;          /* requests of POSIX AIO and libaio in progress */
  /* FILE_ALIGNMENT by folder: the upper half of an element is part of the folder's hash, the lower
   * half is the alignment. */
  uint64_t alignments[64];
  /* Numbers of files by path (known-paths.h): the upper half of an element is part of the path's
   * key, the lower half is the number. */
  uint64_t known_paths[POSIX_KNOWN_PATHS];
};

/* The state of the POSIX module, aligned to a cache line, because every transfer reads the first
 * members. */
extern struct posix_state posix_state __attribute__((visibility("hidden"), aligned(64)));

#endif
