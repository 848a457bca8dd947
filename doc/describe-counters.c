/* Prints doc/counters.md: every counter of every module, from the tables. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apmpi.h"
#include "describe.h"

/* A place that links lead to, of the site and wherever the page is read: the name in small letters.
 */
static void print_anchor(const char *name) {
  printf("<a id=\"");
  for (; *name; name++)
    putchar(tolower((unsigned char)*name));
  printf("\"></a>");
}

static void print_rows(const struct darshan_counter *counter, const char *meaning) {
  for (; counter->name[0]; counter++, meaning += strlen(meaning) + 1) {
    if (counter->index < 0) continue;
    printf("| ");
    print_anchor(counter->name);
    printf("`%s` | %s | %s | %s | %d |\n", counter->name, meaning, darshan_unit_name(counter->unit),
           darshan_rule_name(counter->rule), counter->since);
  }
}

static void print_retired(const struct darshan_counter *counter) {
  for (; counter->name[0]; counter++)
    if (counter->index < 0) {
      print_anchor(counter->name);
      printf("`%s` was there from version %d to %d and is read no more.\n\n", counter->name,
             counter->since, counter->last);
    }
}

static void print_apmpi(const struct darshan_module *module);

static void print_module(const struct darshan_module *module) {
  if (module->kind == DARSHAN_KIND_APMPI) print_apmpi(module);
  if (module->num_counters + module->num_fcounters == 0) return;
  printf("## %s\n\n", module->name);
  printf("Module id %d, version %d%s; %d whole and %d floating-point counters; %zu bytes%s.\n\n",
         module->id, module->version, module->id >= DARSHAN_MAX_MODULES ? ", in the annex" : "",
         module->num_counters, module->num_fcounters, module->record_size,
         module->kind == DARSHAN_KIND_COUNTERS || module->kind == DARSHAN_KIND_FILE_COUNTERS
             ? " per record"
             : " before what varies");
  printf("| counter | meaning | unit | merged by | since |\n|---|---|---|---|---:|\n");
  print_rows(module->counters, module->meanings);
  print_rows(module->fcounters, module->fmeanings);
  printf("\n");
  print_retired(module->counters);
}

static void print_talk(const char *call, int sized, int sync) {
  printf("| `MPI_%s_…` | %s | `…TOTAL_TIME`, `…MIN_TIME`, `…MAX_TIME`%s |\n", call,
         sized ? "`…CALL_COUNT`, `…TOTAL_BYTES`, `…MSG_SIZE_AGG_0_256` and the other classes"
               : "`…CALL_COUNT`",
         sync ? ", `…TOTAL_SYNC_TIME`" : "");
}

/* Its records have names of their own kind. */
static void print_apmpi(const struct darshan_module *module) {
  printf("## %s\n\n", module->name);
  printf(
      "Module id %d, version %d; a record of %zu bytes per rank, and one of %zu before the first. "
      "[mpi.md](mpi.md#communication) says what they mean; the classes of sizes are `0_256`, "
      "`256_1K`, `1K_8K`, `8K_256K`, `256K_1M` and `1M_PLUS`. Beside these a record has "
      "`MPI_PROCESSOR_NAME`, `MPI_TOTAL_COMM_TIME` and `MPI_TOTAL_COMM_SYNC_TIME`, the first one "
      "their variances over the ranks. Nothing is merged.\n\n",
      module->id, module->version, sizeof(struct darshan_apmpi_record), module->record_size);
  puts("| call | counters | seconds |\n|---|---|---|");
#define APMPI_CALL(name, sized, sync) print_talk(#name, sized, sync);
#include "modules/apmpi/counted.def"
  puts("");
}

#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) id,
static int ids[] = {
#include "modules.def"
};

static int by_number(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

int main(void) {
  qsort(ids, sizeof(ids) / sizeof(ids[0]), sizeof(ids[0]), by_number);
  puts("# Counters\n");
  puts("`darshan-parser` prints these names, and the same meanings above the rows of each module.");
  puts("A value of -1 means that the counter could not be measured, or that the log is older than");
  puts(
      "the counter. *Since* is the record version that brought it. *Merged by* says how the ranks");
  puts("that share a file become one record; "
       "[runtime/format/README.md](../runtime/format/README.md) has the rules in full.\n");
  puts(
      "DXT_POSIX, DXT_MPIIO and HEATMAP have no counters: [log-format.md](log-format.md) describes "
      "their records.\n");
  puts("Made from the tables in `runtime/modules/` by `make update-counters`; do not edit.\n");
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
    print_module(darshan_module_by_id(ids[i]));
  return 0;
}
