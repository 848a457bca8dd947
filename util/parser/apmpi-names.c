#include "apmpi-names.h"

#include "apmpi.h"

#define SIZED_0(name)
#define SIZED_1(name)                                                                              \
  "MPI_" name "_TOTAL_BYTES", "MPI_" name "_MSG_SIZE_AGG_0_256",                                   \
      "MPI_" name "_MSG_SIZE_AGG_256_1K", "MPI_" name "_MSG_SIZE_AGG_1K_8K",                       \
      "MPI_" name "_MSG_SIZE_AGG_8K_256K", "MPI_" name "_MSG_SIZE_AGG_256K_1M",                    \
      "MPI_" name "_MSG_SIZE_AGG_1M_PLUS",
#define SYNC_0(name)
#define SYNC_1(name) "MPI_" name "_TOTAL_SYNC_TIME",

#define APMPI_CALL(name, sized, sync) "MPI_" #name "_CALL_COUNT", SIZED_##sized(#name)
const char *const apmpi_counter_names[] = {
#include "modules/foreign/apmpi-calls.def"
};
#define APMPI_CALL(name, sized, sync)                                                              \
  "MPI_" #name "_TOTAL_TIME", "MPI_" #name "_MIN_TIME", "MPI_" #name "_MAX_TIME",
const char *const apmpi_time_names[] = {
#include "modules/foreign/apmpi-calls.def"
};
#define APMPI_CALL(name, sized, sync) SYNC_##sync(#name)
const char *const apmpi_sync_names[] = {
#include "modules/foreign/apmpi-calls.def"
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
static_assert(LENGTH(apmpi_counter_names) == APMPI_COUNTERS, "a name for each counter");
static_assert(LENGTH(apmpi_time_names) == APMPI_TIMES, "a name for each time");
static_assert(LENGTH(apmpi_sync_names) == APMPI_SYNC_TIMES, "a name for each sync time");
