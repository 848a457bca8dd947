/* Defines the names of an APMPI record's values (rows.h). */
#include "rows.h"

#include "apmpi.h"

#include <stddef.h>

#define SIZED_0(name)
#define SIZED_1(name)                                                                              \
  "MPI_" name "_TOTAL_BYTES", "MPI_" name "_MSG_SIZE_AGG_0_256",                                   \
      "MPI_" name "_MSG_SIZE_AGG_256_1K", "MPI_" name "_MSG_SIZE_AGG_1K_8K",                       \
      "MPI_" name "_MSG_SIZE_AGG_8K_256K", "MPI_" name "_MSG_SIZE_AGG_256K_1M",                    \
      "MPI_" name "_MSG_SIZE_AGG_1M_PLUS",
#define SYNC_0(name)
#define SYNC_1(name) "MPI_" name "_TOTAL_SYNC_TIME",

#define APMPI_CALL(name, sized, sync) "MPI_" #name "_CALL_COUNT", SIZED_##sized(#name)
char *apmpi_counter_names[] = {
#include "modules/apmpi/counted.def"
    "APMPI_NUM_INDICES", NULL};
#define APMPI_CALL(name, sized, sync)                                                              \
  "MPI_" #name "_TOTAL_TIME", "MPI_" #name "_MIN_TIME", "MPI_" #name "_MAX_TIME",
char *apmpi_f_mpiop_totaltime_counter_names[] = {
#include "modules/apmpi/counted.def"
    "APMPI_F_MPIOP_TOTALTIME_NUM_INDICES", NULL};
#define APMPI_CALL(name, sized, sync) SYNC_##sync(#name)
char *apmpi_f_mpiop_synctime_counter_names[] = {
#include "modules/apmpi/counted.def"
    "APMPI_F_MPIOP_SYNCTIME_NUM_INDICES", NULL};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
static_assert(LENGTH(apmpi_counter_names) == APMPI_COUNTERS + 2, "a name for each counter");
static_assert(LENGTH(apmpi_f_mpiop_totaltime_counter_names) == APMPI_TIMES + 2,
              "a name for each time");
static_assert(LENGTH(apmpi_f_mpiop_synctime_counter_names) == APMPI_SYNC_TIMES + 2,
              "a name for each sync time");
