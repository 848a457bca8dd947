/* Describes every module as data: names, merge rules, units, meanings and old layouts. describe.c
 * fills the data from modules.def and the tables of the modules. The reader, the text output, the
 * documentation and the Python binding use it. */
#ifndef DARSHAN_DESCRIBE_H
#define DARSHAN_DESCRIBE_H

#include <stddef.h>

#include "base-record.h"
#include "log-format.h"

/* Rules to merge two values of one counter (README.md explains each). */
enum darshan_rule {
  DARSHAN_RULE_SUM,
  DARSHAN_RULE_SUM_OR_UNKNOWN, /* a negative sum becomes -1 */
  DARSHAN_RULE_MAX,
  DARSHAN_RULE_MIN_NONZERO, /* the smaller of the values above 0 */
  DARSHAN_RULE_ANY,         /* one of the values that are not 0 */
  DARSHAN_RULE_OR,          /* 1 if one of the values is 1 */
  DARSHAN_RULE_BITS,        /* bitwise or */
  DARSHAN_RULE_TOP4_VALUE,  /* four values or tuples, directly before their four TOP4_COUNT */
  DARSHAN_RULE_TOP4_COUNT,
  DARSHAN_RULE_MAX_WITH, /* the n-th maximum; its record's n-th COMPANION is merged with it */
  DARSHAN_RULE_COMPANION,
  DARSHAN_RULE_FASTEST,       /* rank, bytes or time of the rank with the least time in I/O */
  DARSHAN_RULE_SLOWEST,       /* the same of the rank with the most time */
  DARSHAN_RULE_VARIANCE_TIME, /* variance over the ranks of their seconds in I/O, or of their bytes
                               */
  DARSHAN_RULE_VARIANCE_BYTES
};

enum darshan_unit {
  DARSHAN_UNIT_COUNT,
  DARSHAN_UNIT_BYTES,
  DARSHAN_UNIT_OFFSET,    /* in a file, in bytes */
  DARSHAN_UNIT_SECONDS,   /* a duration */
  DARSHAN_UNIT_TIMESTAMP, /* seconds since the start of the job */
  DARSHAN_UNIT_ELEMENTS,
  DARSHAN_UNIT_RANK,
  DARSHAN_UNIT_ID,   /* printed unsigned */
  DARSHAN_UNIT_MODE, /* a set of bits */
  DARSHAN_UNIT_FLAG, /* 0 or 1 */
  DARSHAN_UNIT_NONE
};

/* The layout of a module's records (records.h); NONE: unknown, only the module's name is known. */
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

enum { DARSHAN_COUNTER_NAME = 48 };

/* A counter of a module. It has no pointers, because the loader would have to relocate them at
 * every start, with a page fault per 4 KiB, although a program reads few of these rows. */
struct darshan_counter {
  char name[DARSHAN_COUNTER_NAME]; /* with the prefix: POSIX_OPENS; empty ends the table */
  enum darshan_rule rule;
  enum darshan_unit unit;
  int index; /* in the newest record layout; -1: the counter was removed */
  int since; /* first and last record version that has it; last 0: the newest has it */
  int last;
  int absent; /* value in records of versions without it */
};

struct darshan_module {
  int id;
  const char *name; /* as printed, for example MPI-IO */
  int version;      /* newest version */
  enum darshan_kind kind;
  size_t record_size;                     /* newest version, fixed part only */
  int num_counters, num_fcounters;        /* of the newest version */
  const struct darshan_counter *counters; /* in the order of the log, and those that were removed */
  const struct darshan_counter *fcounters; /* those that were removed have their old index */
  const char *meanings,
      *fmeanings; /* NUL-terminated strings, one per counter; empty for a removed one */
};

/* Return the description of a module by its id or by its name (as printed, case-sensitive); NULL if
 * it is unknown. */
const struct darshan_module *darshan_module_by_id(int id);
const struct darshan_module *darshan_module_by_name(const char *name);
/* Return names for the documentation: "sum", "bytes", ... */
const char *darshan_rule_name(enum darshan_rule rule);
const char *darshan_unit_name(enum darshan_unit unit);

#endif
