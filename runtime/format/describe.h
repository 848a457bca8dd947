/* What every module looks like, as data: names, merge rules, units, meanings
 * and old layouts.  Filled from modules.def and records/ by describe.c; used
 * by the reader, the text output, the documentation and the Python binding. */
#ifndef DARSHAN_DESCRIBE_H
#define DARSHAN_DESCRIBE_H

#include <stddef.h>

#include "base-record.h"
#include "log-format.h"

/* How two values of one counter become one (README.md says each in full). */
enum darshan_rule {
  DARSHAN_RULE_SUM,
  DARSHAN_RULE_SUM_OR_UNKNOWN, /* a negative sum becomes -1 */
  DARSHAN_RULE_MAX,
  DARSHAN_RULE_MIN_NONZERO,
  DARSHAN_RULE_ANY,
  DARSHAN_RULE_OR,
  DARSHAN_RULE_BITS,
  DARSHAN_RULE_TOP4_VALUE, /* four values (or tuples), followed by four TOP4_COUNT */
  DARSHAN_RULE_TOP4_COUNT,
  DARSHAN_RULE_MAX_WITH, /* the n-th of these takes the n-th COMPANION along */
  DARSHAN_RULE_COMPANION,
  DARSHAN_RULE_FASTEST,
  DARSHAN_RULE_SLOWEST,
  DARSHAN_RULE_VARIANCE_TIME,
  DARSHAN_RULE_VARIANCE_BYTES
};

enum darshan_unit {
  DARSHAN_UNIT_COUNT,
  DARSHAN_UNIT_BYTES,
  DARSHAN_UNIT_OFFSET,
  DARSHAN_UNIT_SECONDS,
  DARSHAN_UNIT_TIMESTAMP, /* seconds since the start of the job */
  DARSHAN_UNIT_ELEMENTS,
  DARSHAN_UNIT_RANK,
  DARSHAN_UNIT_ID, /* printed unsigned */
  DARSHAN_UNIT_MODE,
  DARSHAN_UNIT_FLAG,
  DARSHAN_UNIT_NONE
};

/* How the records of a module are laid out (records.h). */
enum darshan_kind {
  DARSHAN_KIND_NONE,
  DARSHAN_KIND_COUNTERS,
  DARSHAN_KIND_FILE_COUNTERS,
  DARSHAN_KIND_LUSTRE,
  DARSHAN_KIND_DXT,
  DARSHAN_KIND_MDHIM,
  DARSHAN_KIND_HEATMAP,
  DARSHAN_KIND_DFS,
  DARSHAN_KIND_DAOS,
  DARSHAN_KIND_APMPI
};

struct darshan_counter {
  const char *name; /* with the prefix: POSIX_OPENS */
  enum darshan_rule rule;
  enum darshan_unit unit;
  int index; /* place in the newest record; -1: retired */
  int since; /* first and last record version that have it; last 0: still there */
  int last;
  int absent;          /* value for records of older versions */
  const char *meaning; /* NULL if retired */
};

struct darshan_module {
  int id;
  const char *name; /* as printed: MPI-IO */
  int version;      /* the newest */
  enum darshan_kind kind;
  size_t record_size;                      /* newest version, fixed part only */
  int num_counters, num_fcounters;         /* of the newest version */
  const struct darshan_counter *counters;  /* on-disk order, retired ones at */
  const struct darshan_counter *fcounters; /* their old place; NULL name ends */
};

/* Returns the module with this id, NULL if there is none. */
const struct darshan_module *darshan_module_by_id(int id);
/* The same by printed name ("MPI-IO"), case-sensitive. */
const struct darshan_module *darshan_module_by_name(const char *name);
/* The words of an enum, for the documentation: "sum", "bytes", ... */
const char *darshan_rule_name(enum darshan_rule rule);
const char *darshan_unit_name(enum darshan_unit unit);

#endif
