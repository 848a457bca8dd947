/* Enums and structs of every record, in the layout of log format 3.41.
 * The counters come from records/<module>.def; the sizes are asserted against
 * the format. */
#ifndef DARSHAN_RECORDS_H
#define DARSHAN_RECORDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define EACH_TABLE "declare-record.h"
#include "each-table.h"

/* Every record starts like this.  rank -1: all ranks combined. */
struct darshan_base_record {
  uint64_t id;
  int64_t rank;
};

#define DARSHAN_COUNTER_RECORD(tag, PREFIX)                                                        \
  struct darshan_##tag##_record {                                                                  \
    struct darshan_base_record base;                                                               \
    int64_t counters[PREFIX##_NUM_COUNTERS];                                                       \
    double fcounters[PREFIX##_NUM_FCOUNTERS];                                                      \
  }
#define DARSHAN_FILE_COUNTER_RECORD(tag, PREFIX)                                                   \
  struct darshan_##tag##_record {                                                                  \
    struct darshan_base_record base;                                                               \
    uint64_t file_rec_id; /* id of the record of the containing file */                            \
    int64_t counters[PREFIX##_NUM_COUNTERS];                                                       \
    double fcounters[PREFIX##_NUM_FCOUNTERS];                                                      \
  }

DARSHAN_COUNTER_RECORD(posix, POSIX);
DARSHAN_COUNTER_RECORD(mpiio, MPIIO);
DARSHAN_COUNTER_RECORD(stdio, STDIO);
DARSHAN_COUNTER_RECORD(h5f, H5F);
DARSHAN_FILE_COUNTER_RECORD(h5d, H5D);
DARSHAN_COUNTER_RECORD(pnetcdf_file, PNETCDF_FILE);
DARSHAN_FILE_COUNTER_RECORD(pnetcdf_var, PNETCDF_VAR);
DARSHAN_COUNTER_RECORD(bgq, BGQ);
DARSHAN_COUNTER_RECORD(posix_ext, POSIX_EXT);
DARSHAN_COUNTER_RECORD(h5_meta, H5_META);
DARSHAN_COUNTER_RECORD(layers, LAYERS);
DARSHAN_COUNTER_RECORD(mpiio_ext, MPIIO_EXT);
DARSHAN_COUNTER_RECORD(shared, SHARED);

/* LUSTRE: the components follow the head, then the OST ids (i64) of all. */
struct darshan_lustre_head {
  struct darshan_base_record base;
  int64_t num_comps;
  int64_t num_stripes;
};
struct darshan_lustre_component {
  int64_t counters[LUSTRE_COMP_NUM_COUNTERS];
  char pool_name[16];
};

/* DXT: write_count segments, then read_count segments follow the head. */
struct darshan_dxt_head {
  struct darshan_base_record base;
  int64_t shared_record; /* always 0 */
  char hostname[64];
  int64_t write_count;
  int64_t read_count;
};
struct darshan_dxt_segment { /* the newest versions; older ones end before pthread_id */
  int64_t offset;            /* -1: unknown */
  int64_t length;
  double start_time;
  double end_time;
  uint64_t pthread_id;
};

/* HEATMAP: write_bins[nbins], then read_bins[nbins] (i64 bytes) follow. */
struct darshan_heatmap_head {
  struct darshan_base_record base;
  double bin_width_seconds;
  int64_t nbins;
  uint64_t undefined[2]; /* written as 0, ignored */
};

/* MDHIM: max(1, MDHIM_SERVERS) operation counts (i64) follow. */
struct darshan_mdhim_head {
  struct darshan_base_record base;
  int64_t counters[MDHIM_NUM_COUNTERS];
  double fcounters[MDHIM_NUM_FCOUNTERS];
};

struct darshan_dfs_record {
  struct darshan_base_record base;
  int64_t counters[DFS_NUM_COUNTERS];
  double fcounters[DFS_NUM_FCOUNTERS];
  unsigned char pool_uuid[16];
  unsigned char cont_uuid[16];
};
struct darshan_daos_record {
  struct darshan_base_record base;
  int64_t counters[DAOS_NUM_COUNTERS];
  double fcounters[DAOS_NUM_FCOUNTERS];
  unsigned char pool_uuid[16];
  unsigned char cont_uuid[16];
  uint64_t oid_hi;
  uint64_t oid_lo;
};

static_assert(sizeof(struct darshan_posix_record) == 704, "format");
static_assert(sizeof(struct darshan_mpiio_record) == 560, "format");
static_assert(sizeof(struct darshan_stdio_record) == 248, "format");
static_assert(sizeof(struct darshan_h5f_record) == 80, "format");
static_assert(sizeof(struct darshan_h5d_record) == 912, "format");
static_assert(sizeof(struct darshan_pnetcdf_file_record) == 152, "format");
static_assert(sizeof(struct darshan_pnetcdf_var_record) == 1120, "format");
static_assert(sizeof(struct darshan_bgq_record) == 112, "format");
static_assert(sizeof(struct darshan_lustre_head) == 32, "format");
static_assert(sizeof(struct darshan_lustre_component) == 72, "format");
static_assert(sizeof(struct darshan_dxt_head) == 104, "format");
static_assert(sizeof(struct darshan_dxt_segment) == 40, "format");
static_assert(sizeof(struct darshan_heatmap_head) == 48, "format");
static_assert(sizeof(struct darshan_mdhim_head) == 88, "format");
static_assert(sizeof(struct darshan_dfs_record) == 584, "format");
static_assert(sizeof(struct darshan_daos_record) == 696, "format");

#endif
