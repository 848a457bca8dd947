/* The head that all records share, and the records that have no counters. A file that includes this
 * header and not records.h is not recompiled when a table of counters changes. */
#ifndef DARSHAN_BASE_RECORD_H
#define DARSHAN_BASE_RECORD_H

#include <assert.h>
#include <stdint.h>

/* Start of every record: its id, and the rank that wrote it (-1: a record that several ranks
 * share). */
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
#define DARSHAN_DECLARE_APMPI(tag, SYMBOL)

/* DXT: write_count segments, then read_count segments follow the head. */
struct darshan_dxt_head {
  struct darshan_base_record base;
  int64_t shared_record; /* always 0 */
  char hostname[64];
  int64_t write_count;
  int64_t read_count;
};
struct darshan_dxt_segment { /* layout of the newest versions; older segments end before pthread_id
                              */
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

static_assert(sizeof(struct darshan_dxt_segment) == 40, "format");

#endif
