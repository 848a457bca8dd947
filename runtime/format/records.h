/* Enums and structs of every record, in the layout of log format 3.41. The counters come from the
 * tables of the modules. static_assert compares the sizes with the format. */
#ifndef DARSHAN_RECORDS_H
#define DARSHAN_RECORDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base-record.h"
#include "modules/daos/records.h"
#include "modules/hdf5/records.h"
#include "modules/layers/records.h"
#include "modules/mpiio/records.h"
#include "modules/pnetcdf/records.h"
#include "modules/posix/records.h"
#include "modules/stdio/records.h"

#define SOME_ARE_DECLARED /* by the headers above */
#include "declare-records.h"
#undef SOME_ARE_DECLARED

/* LUSTRE: the components follow the head, then the OST ids (i64) of all components. */
struct darshan_lustre_head {
  struct darshan_base_record base;
  int64_t num_comps;
  int64_t num_stripes;
};
struct darshan_lustre_component {
  int64_t counters[LUSTRE_COMP_NUM_COUNTERS];
  char pool_name[16];
};

/* MDHIM: max(1, MDHIM_SERVERS) operation counts (i64) follow. */
struct darshan_mdhim_head {
  struct darshan_base_record base;
  int64_t counters[MDHIM_NUM_COUNTERS];
  double fcounters[MDHIM_NUM_FCOUNTERS];
};

/* Bytes of the fixed part of a record of each kind. */
#define DARSHAN_BYTES_NONE(tag) 0
#define DARSHAN_BYTES_COUNTERS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_FILE_COUNTERS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_DFS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_DAOS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_LUSTRE(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_DXT(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_MDHIM(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_HEATMAP(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_APMPI(tag) 48 /* of the first record: apmpi.h */

/* A new counter changes the bytes in the row of its module, and the row's version must then be
 * raised. */
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  static_assert(DARSHAN_BYTES_##KIND(tag) == (bytes), "the bytes in the row of " name);
#include "modules.def"
static_assert(sizeof(struct darshan_lustre_component) == 72, "format");

#endif
