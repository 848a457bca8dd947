/* Counters and records of the DAOS modules, for the files that use them. */
#ifndef DARSHAN_DAOS_RECORDS_H
#define DARSHAN_DAOS_RECORDS_H

#define ONE_MODULE "modules/daos/module.def"
#include "declare-records.h"

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

#endif
