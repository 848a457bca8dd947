/* Records of APMPI: the first of a log says how the others are to be read, each of which
 * is one rank's. */
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

#define APMPI_MAGIC INT64_C(0x41504D5049) /* in its third word; no counter is that large */

struct darshan_apmpi_head {
  struct darshan_base_record base;
  int64_t magic;
  uint32_t sync; /* 1: the times of waiting were measured */
  uint32_t padding;
  double variance_of_time, variance_of_sync_time; /* of all ranks */
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
