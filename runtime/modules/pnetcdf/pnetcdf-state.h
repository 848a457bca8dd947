/* State of the PnetCDF modules that is not part of a record. */
#ifndef DARSHAN_PNETCDF_STATE_H
#define DARSHAN_PNETCDF_STATE_H

#include <stdint.h>

#include "../../counting/common-accesses.h"
#include "../../intercept/loader/library.h"
#include "../../memory/segments.h"
#include "../layers/layers-state.h"

struct darshan_pnetcdf_file_record;
struct darshan_pnetcdf_var_record;

/* State of a file; one per record of PNETCDF_FILE. */
struct pn_file {
  int lock;
  uint32_t name_length;
  struct darshan_pnetcdf_file_record *record;
  double last_end[2]; /* ends of the last metadata call and the last wait */
  const char *name;
  uint32_t number; /* number of its record */
  struct layer_state layer;
};

/* State of a variable; one per record of PNETCDF_VAR. */
struct pn_variable {
  int lock;
  uint32_t last_operation; /* 0: none yet, 1: read, 2: write */
  uint32_t number;         /* number of its record */
  struct darshan_pnetcdf_var_record *record;
  double last_end[3]; /* ends of the last metadata operation, read and write */
  struct common_accesses accesses;
  struct layer_state layer;
};

/* A variable of an open file. Its shape is stored here, not in pn_variable, because variables of
 * several shapes may share the overflow record. */
struct pn_member {
  uint32_t variable;             /* number of its pn_variable; 0: not used yet */
  int32_t type_size, dimensions; /* bytes of an element, 0: unknown; number of dimensions */
  int32_t record_dimension;      /* id of its unlimited dimension; -1: none */
  int64_t points;                /* elements; with records, those of one record; -1: unknown */
};

/* Number of variables in an array. The variables of an open file are in a chain of arrays, at the
 * index of their id, because ids are small. */
enum { PN_CHUNK = 32 };
struct pn_chunk {
  struct pn_chunk *next;
  struct pn_member member[PN_CHUNK];
};

/* An open file. */
struct pn_open {
  int32_t ncid;
  uint32_t library; /* number of the library; 0: free slot */
  uint32_t deleted; /* 1: closed; the search continues after this slot */
  uint32_t file;    /* number of its pn_file */
  struct pn_chunk *variables;
};

/* Slots of the table of open files: twice the number of files that a library can have open. */
enum { PN_OPEN = 2048 };

struct pnetcdf_state {
  int prepared, lock;
  struct segments files, variables; /* pn_file and pn_variable, by number of the record */
  struct pn_open *open;
  struct pn_chunk *free_chunks;
};

extern struct pnetcdf_state pnetcdf_state __attribute__((visibility("hidden")));

#endif
