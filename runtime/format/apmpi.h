/* Records of APMPI. The first record of a log describes the layout of the others, one for each
 * rank. */
#ifndef DARSHAN_APMPI_H
#define DARSHAN_APMPI_H

#include "base-record.h"

#define APMPI_CALL(name, sized, sync) +((sized) ? 8 : 1)
enum {
  APMPI_COUNTERS = 0
#include "modules/apmpi/counted.def"
};
#define APMPI_CALL(name, sized, sync) +3
enum {
  APMPI_TIMES = 0
#include "modules/apmpi/counted.def"
};
#define APMPI_CALL(name, sized, sync) +(sync)
enum {
  APMPI_SYNC_TIMES = 0
#include "modules/apmpi/counted.def"
};

#define APMPI_MAGIC                                                                                \
  INT64_C(0x41504D5049) /* third 64-bit word of the first record; no counter is that large */

struct darshan_apmpi_head {
  struct darshan_base_record base;
  int64_t magic;
  uint32_t sync; /* 1 if waiting times were measured */
  uint32_t padding;
  double variance_of_time, variance_of_sync_time; /* over all ranks */
};
static_assert(sizeof(struct darshan_apmpi_head) == 48, "format");

struct darshan_apmpi_record {
  struct darshan_base_record base;
  uint64_t counters[APMPI_COUNTERS]; /* per call: calls; bytes; six size classes */
  double times[APMPI_TIMES];         /* per call: total, shortest, longest */
  double sync_times[APMPI_SYNC_TIMES];
  double total_time, total_sync_time;
  char processor[128];
};
static_assert(sizeof(struct darshan_apmpi_record) == 5232, "format");

#endif
