/* State of the HDF5 modules that is not part of a record. */
#ifndef DARSHAN_HDF5_STATE_H
#define DARSHAN_HDF5_STATE_H

#include <stdint.h>

#include "../../counting/common-accesses.h"
#include "../../intercept/loader/library.h"
#include "../../memory/segments.h"
#include "../layers/layers-state.h"

struct darshan_h5d_record;
struct darshan_h5f_record;
struct darshan_h5_meta_record;

enum { H5_IDS = 1 << 14, H5_FIRST_IDS = 1 << 8 }; /* slots of the table of ids, see h5_ids */

/* State of an HDF5 file; one per record of H5F. */
struct h5_file {
  int lock;
  struct darshan_h5f_record *record;
  struct darshan_h5_meta_record *meta; /* NULL: no record yet */
  double last_end;      /* end of the last call, in seconds; overlapping calls are counted once */
  double last_meta_end; /* the same for calls that H5_META counts */
  const char *name;
  uint32_t name_length;
  uint32_t number; /* number of its record */
  struct layer_state layer;
};

/* State of a dataset; one per record of H5D. */
struct h5_dataset {
  int lock;
  uint32_t file; /* number of its h5_file */
  struct darshan_h5d_record *record;
  double last_end[3];        /* ends of the last metadata operation, read and write, in seconds */
  int64_t points, type_size; /* elements of the dataspace; bytes of an element */
  int32_t dimensions;
  uint32_t last_operation; /* enum h5d_operation */
  uint32_t described;      /* 1: its type, layout and filters are recorded */
  int anonymous;           /* 1: created without a name, and not named yet */
  uint32_t met;   /* number of ids that were opened for it; protected by the store's lock */
  int32_t layout; /* H5D_layout_t; -1: unknown */
  uint64_t raw_start,
      raw_bytes; /* address and bytes of contiguous data, queried before the close; 0: unknown */
  struct common_accesses accesses;
  struct layer_state layer;
};

/* The kind of object that an id refers to. H5_OBJECT: any other object of a file, such as a named
 * datatype. H5_REFERRED: a dataset that was opened by a reference and has not been used yet. */
enum h5_kind { H5_UNKNOWN, H5_FILE, H5_DATASET, H5_ATTR, H5_GROUP, H5_OBJECT, H5_REFERRED };

/* A slot of the table of ids: an id (hid_t) of an HDF5 library, and the library, kind and record
 * that it refers to. The id changes only while `means` is 0 or H5_DELETED. A thread that reads the
 * same value of `means` before and after it reads the id has a consistent pair. */
struct h5_id {
  uint64_t means; /* H5_MEANS; 0: a free slot */
  int64_t id;
};
/* Makes a value of h5_id.means. number: of the dataset, or of the file that the object belongs
 * to. */
#define H5_MEANS(library, kind, number)                                                            \
  ((uint64_t)(library) << 40 | (uint64_t)(kind) << 32 | (uint64_t)(number))
#define H5_DELETED ((uint64_t)1 << 63)

/* A hash table of ids, with H5_FIRST_IDS slots. When it is half full, a table twice as large
 * replaces it, up to H5_IDS slots. The smaller table stays mapped, because other threads may be
 * reading it. mask: number of slots minus 1. live: number of ids in the table. */
struct h5_ids {
  uint32_t mask, live;
  struct h5_id place[];
};

struct hdf5_state {
  int lock;                        /* taken to change ids; lookups take no lock */
  struct segments files, datasets; /* h5_file and h5_dataset, by number of the record */
  struct h5_ids *ids;              /* NULL: no HDF5 file was seen yet */
};

extern struct hdf5_state hdf5_state __attribute__((visibility("hidden")));

#endif
