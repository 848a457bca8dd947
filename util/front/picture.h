/* What some logs of one run say together, small enough for a screen. */
#ifndef DARSHAN_FRONT_PICTURE_H
#define DARSHAN_FRONT_PICTURE_H

#include "../parser/id-table.h"
#include "beside.h"
#include "darshan-read.h"
#include "datasets.h"
#include "merge.h"
#include "programs.h"
#include "shares.h"

enum { PICTURE_LAYERS = 8, PICTURE_DROPPED = 8, PICTURE_MISSED = 4 };

/* What logs had no room for.  Files that share a record are in all sums; PICTURE_ESTIMATED: if
 * some do, how many files these are is not exact. */
enum picture_missing { PICTURE_SHARED = 1, PICTURE_LOST = 2, PICTURE_ESTIMATED = 4 };

/* Events that the runtime saw and did not count, as metadata say. */
struct picture_dropped {
  char where[128]; /* "in signal handlers" */
  int64_t number;
};

/* A module that moves bytes. */
struct picture_layer {
  struct darshan_merge_plan plan;
  struct darshan_total_state state;
  uint64_t *total; /* a record: sums over all records */
  struct id_table files;
};

struct picture_file {
  char *name;
  double time; /* seconds in I/O, over all processes */
  int64_t read, written, calls;
  int64_t touched; /* bytes, through mappings */
};

/* What a record of several files stands for. */
struct picture_group {
  int64_t files;
  int is_of_program; /* those of an interpreter, below one folder */
};

struct picture {
  size_t logs;
  int64_t processes;
  char *command;   /* of the log that began first */
  double began;    /* wall clock, seconds since the epoch */
  double ended;    /* the same; 0: only journals */
  double run_time; /* seconds; of logs without an end, what whoever started it measured */
  int missing;     /* enum picture_missing of all logs, added up */
  struct picture_dropped dropped[PICTURE_DROPPED]; /* by kind; the rest is zeros */
  char *not_found[PICTURE_MISSED]; /* what a program that failed had looked for; the last first */
  char *not_found_by;              /* which one, if not the one that was started */
  int num_layers;
  struct picture_layer layers[PICTURE_LAYERS];
  struct id_table files;  /* record id -> struct picture_file, of POSIX, STDIO and DFS */
  struct id_table groups; /* record id -> struct picture_group */
  struct datasets datasets;
  struct programs programs;
  struct shares shares;
  double mapped, mapped_touched, mapped_unmeasured; /* bytes (beside.h) */
  struct beside_faults faults;
};

void picture_init(struct picture *picture);
void picture_free(struct picture *picture);

/* Adds a log; one that cannot be read is named on stderr and left out. */
void picture_add(struct picture *picture, const char *path);

/* Sum of the counters of a record that stand for calls that read (write). */
int64_t picture_reads(const struct darshan_merge_plan *plan, const void *record);
int64_t picture_writes(const struct darshan_merge_plan *plan, const void *record);

/* How many files the record of this id stands for; all records of a table by id together. */
int64_t picture_files_of(const struct picture *picture, uint64_t id);
int picture_is_of_program(const struct picture *picture, uint64_t id);
int64_t picture_files(const struct picture *picture, const struct id_table *records);

/* Whether the bytes of a layer are those of files as the system sees them;
 * upper layers move the same bytes again. */
int picture_is_bottom(const struct darshan_merge_plan *plan);

#endif
