/* Enums and structs of every record, in the layout of log format 3.41.
 * The counters come from the tables of the modules; the sizes are asserted against
 * the format. */
#ifndef DARSHAN_RECORDS_H
#define DARSHAN_RECORDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define EACH_TABLE "declare-record.h"
#include "modules.def"

/* Every record starts like this.  rank -1: all ranks combined. */
struct darshan_base_record {
  uint64_t id;
  int64_t rank;
};

#define DARSHAN_DECLARE_COUNTERS(tag, SYMBOL)                                                      \
  struct darshan_##tag##_record {                                                                  \
    struct darshan_base_record base;                                                               \
    int64_t counters[SYMBOL##_NUM_COUNTERS];                                                       \
    double fcounters[SYMBOL##_NUM_FCOUNTERS];                                                      \
  };
#define DARSHAN_DECLARE_FILE_COUNTERS(tag, SYMBOL)                                                 \
  struct darshan_##tag##_record {                                                                  \
    struct darshan_base_record base;                                                               \
    uint64_t file_rec_id; /* id of the record of the containing file */                            \
    int64_t counters[SYMBOL##_NUM_COUNTERS];                                                       \
    double fcounters[SYMBOL##_NUM_FCOUNTERS];                                                      \
  };
#define DARSHAN_DECLARE_NONE(tag, SYMBOL)
#define DARSHAN_DECLARE_LUSTRE(tag, SYMBOL)
#define DARSHAN_DECLARE_DXT(tag, SYMBOL)
#define DARSHAN_DECLARE_MDHIM(tag, SYMBOL)
#define DARSHAN_DECLARE_HEATMAP(tag, SYMBOL)
#define DARSHAN_DECLARE_DFS(tag, SYMBOL)
#define DARSHAN_DECLARE_DAOS(tag, SYMBOL)
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) DARSHAN_DECLARE_##KIND(tag, SYMBOL)
#include "modules.def"

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

/* The fixed part of a record of each kind. */
#define DARSHAN_BYTES_NONE(tag) 0
#define DARSHAN_BYTES_COUNTERS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_FILE_COUNTERS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_DFS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_DAOS(tag) sizeof(struct darshan_##tag##_record)
#define DARSHAN_BYTES_LUSTRE(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_DXT(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_MDHIM(tag) sizeof(struct darshan_##tag##_head)
#define DARSHAN_BYTES_HEATMAP(tag) sizeof(struct darshan_##tag##_head)

/* Whoever adds a counter changes the bytes of its module's row, and there the version. */
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  static_assert(DARSHAN_BYTES_##KIND(tag) == (bytes), "the bytes in the row of " name);
#include "modules.def"
static_assert(sizeof(struct darshan_lustre_component) == 72, "format");
static_assert(sizeof(struct darshan_dxt_segment) == 40, "format");

#endif
