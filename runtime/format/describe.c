/* Expands the descriptions of describe.h from the tables. */
#include "describe.h"
#include "records.h"

#include <string.h>

#define EACH_TABLE "describe-counters.h"
#include "modules.def"

/* The numbers, rows and meanings of a record's counters and fcounters. */
#define COUNTED(tag, PREFIX)                                                                       \
  PREFIX##_NUM_COUNTERS, PREFIX##_NUM_FCOUNTERS, tag##_counters, tag##_fcounters, tag##_meanings,  \
      tag##_fmeanings
#define COUNTED_COUNTERS(tag, SYMBOL) COUNTED(tag, SYMBOL)
#define COUNTED_FILE_COUNTERS(tag, SYMBOL) COUNTED(tag, SYMBOL)
#define COUNTED_DFS(tag, SYMBOL) COUNTED(tag, SYMBOL)
#define COUNTED_DAOS(tag, SYMBOL) COUNTED(tag, SYMBOL)
#define COUNTED_MDHIM(tag, SYMBOL) COUNTED(tag, SYMBOL)
#define COUNTED_LUSTRE(tag, SYMBOL) COUNTED(tag, LUSTRE_COMP)
#define COUNTED_DXT(tag, SYMBOL) 0, 0, no_counters, no_counters, "", ""
#define COUNTED_HEATMAP(tag, SYMBOL) 0, 0, no_counters, no_counters, "", ""
#define COUNTED_APMPI(tag, SYMBOL) 0, 0, no_counters, no_counters, "", ""
#define COUNTED_NONE(tag, SYMBOL) 0, 0, no_counters, no_counters, "", ""
static const struct darshan_counter no_counters[] = {{"", 0, 0, 0, 0, 0, 0}};

#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  {id, name, version, DARSHAN_KIND_##KIND, DARSHAN_BYTES_##KIND(tag), COUNTED_##KIND(tag, SYMBOL)},
static const struct darshan_module modules[] = {
#include "modules.def"
};

enum { NUM_MODULES = sizeof(modules) / sizeof(modules[0]) };

const struct darshan_module *darshan_module_by_id(int id) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (modules[i].id == id) return &modules[i];
  return NULL;
}

const struct darshan_module *darshan_module_by_name(const char *name) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (strcmp(modules[i].name, name) == 0) return &modules[i];
  return NULL;
}

const char *darshan_rule_name(enum darshan_rule rule) {
  static const char *const names[] = {"sum",
                                      "sum, -1 if unknown",
                                      "maximum",
                                      "smallest above 0",
                                      "any",
                                      "or",
                                      "bits of either",
                                      "top 4",
                                      "top 4",
                                      "maximum",
                                      "goes with maximum",
                                      "fastest",
                                      "slowest",
                                      "variance",
                                      "variance"};
  return names[rule];
}

const char *darshan_unit_name(enum darshan_unit unit) {
  static const char *const names[] = {
      "count", "bytes", "byte offset", "seconds", "seconds from start", "elements", "rank",
      "id",    "bits",  "0 or 1",      ""};
  return names[unit];
}
