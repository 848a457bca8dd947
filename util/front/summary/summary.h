/* The summary of the logs of one run, small enough for a terminal. In the code it is called a
 * picture. */
#ifndef DARSHAN_FRONT_SUMMARY_H
#define DARSHAN_FRONT_SUMMARY_H

#include "../../parser/id-table.h"
#include "darshan-read.h"
#include "datasets.h"
#include "io-share.h"
#include "merge/merge.h"
#include "programs.h"
#include "unattributed.h"

/* Functions of waits.c. Time that processes waited: in epochs of PyTorch's DataLoader (module
 * TRAINING), and for other ranks of MPI jobs (module MPIWAIT). */

struct epochs {           /* summed over all loaders of some logs */
  double number, batches; /* of epochs; of batches in them */
  double whole;           /* seconds from the begin of each epoch to its end, summed */
  double wait;            /* seconds of `whole` in calls of the DataLoader */
  double begin;           /* seconds of `wait` until the first batch of each epoch */
  double longest;         /* seconds of the longest wait for a later batch */
  double processes;       /* that iterated over the loader with the most processes */
  double fewest, most;    /* batches of a complete epoch; 0: no complete epoch */
  struct id_table loops;  /* processes by record id of the loop */
};

/* Adds the epochs of a log. If the log is damaged, adds the records before the damage. */
void epochs_add(struct epochs *sum, darshan_log *log);

/* Returns the seconds for which the ranks in a log waited for other ranks in MPI, summed over the
 * ranks. If the log is damaged, returns the seconds in the records before the damage. */
double rank_waits_of(darshan_log *log);

enum { PICTURE_LAYERS = 8, PICTURE_DROPPED = 8, PICTURE_MISSED = 4 };

/* Data that logs lack. PICTURE_SHARED: some files share records, whose sums are exact.
 * PICTURE_LOST: numbers are lower bounds. PICTURE_ESTIMATED: the number of files that share records
 * is not exact. */
enum picture_missing { PICTURE_SHARED = 1, PICTURE_LOST = 2, PICTURE_ESTIMATED = 4 };

/* Dropped events of one kind, from the metadata. */
struct picture_dropped {
  char where[128]; /* for example "in signal handlers" */
  int64_t number;
};

/* A module that moves bytes, with the sums of its records in all logs. */
struct picture_layer {
  struct darshan_merge_plan plan;   /* of the module */
  struct darshan_total_state state; /* of the sums */
  uint64_t *total;                  /* a record with the sums over all records */
  struct id_table files;            /* ids of its records */
};

struct picture_file {
  char *name;                   /* path, or the name of the record; NULL: unknown */
  double time;                  /* seconds in I/O, over all processes */
  int64_t read, written, calls; /* bytes; bytes; number of read and write calls */
  int64_t touched;              /* bytes that were touched through mappings */
  char *was;           /* the temporary name with the most bytes, without its folder; or NULL */
  int64_t was_written; /* bytes written under that name */
  int is_joined; /* 1: its numbers were added to the row of the name to which it was renamed */
};

/* A record that several files share. */
struct picture_group {
  int64_t files;     /* number of these files, a lower bound */
  int is_of_program; /* 1: program files of an interpreter in one folder */
};

struct picture {
  size_t logs;       /* number of logs that were added */
  int64_t processes; /* number of processes in them; ranks of MPI jobs count in the job's own log */
  char *command;     /* command line of the log that started first */
  double began;      /* wall clock, seconds since the epoch */
  double ended;      /* wall clock, seconds since the epoch; 0: there are only journals */
  double run_time;   /* seconds, measured by `darshan stat`; used for logs without an end time */
  int missing;       /* bits of enum picture_missing over all logs */
  struct picture_dropped dropped[PICTURE_DROPPED]; /* one per kind; unused entries are zeroed */
  char *not_found[PICTURE_MISSED]; /* failed lookups of a program that failed, the last one first */
  char *not_found_by;              /* name of that program; NULL: it is the root process */
  int num_layers;
  struct picture_layer layers[PICTURE_LAYERS];
  struct id_table files;   /* record id -> struct picture_file; of POSIX, STDIO and DFS */
  struct id_table renamed; /* record id -> struct renamed */
  struct id_table groups;  /* record id -> struct picture_group */
  struct datasets datasets;
  struct epochs epochs;
  struct programs programs;
  struct shares shares;
  /* Seconds, over all processes: in calls that lock files; in syncs, which are part of the layer's
   * write time; and in reading the entries of folders, which is part of its metadata time. */
  double locks, syncing, listing;
  double rank_waits; /* seconds in MPI in which ranks waited for other ranks, over all ranks */
  double mapped, mapped_touched, mapped_unmeasured; /* bytes (unattributed.h) */
  struct beside_faults faults;
};

void picture_init(struct picture *picture);
void picture_free(struct picture *picture);

/* Adds a log. If the log is unreadable, prints a message and skips it. */
void picture_add(struct picture *picture, const char *path);

/* Return the number of read and of write calls of a record. */
int64_t picture_reads(const struct darshan_merge_plan *plan, const void *record);
int64_t picture_writes(const struct darshan_merge_plan *plan, const void *record);

/* picture_files_of returns the number of files that share the record with this id; 1 for an
 * ordinary record. picture_is_of_program returns 1 if the record has the program files of an
 * interpreter, otherwise 0. picture_files returns the number of files of all records whose ids are
 * keys of a table. */
int64_t picture_files_of(const struct picture *picture, uint64_t id);
int picture_is_of_program(const struct picture *picture, uint64_t id);
int64_t picture_files(const struct picture *picture, const struct id_table *records);

/* Returns 1 if no recorded layer is below this one (POSIX, STDIO and DFS), otherwise 0. Upper
 * layers count the same bytes again. */
int picture_is_bottom(const struct darshan_merge_plan *plan);

/* The next functions handle files that were written under a temporary name and then renamed. The
 * user knows their last name. The rule is that of the report
 * (util/python/darshan_report/measure/files/renamed.py). */

/* The renames of a file, collected from POSIX records. */
struct renamed {
  int64_t sources, targets; /* number of renames from and to this name */
  uint64_t from;            /* record id of the first name that was renamed to this one */
  int64_t read;             /* bytes read */
};

/* Stores the renames that a POSIX record contains, in picture->renamed. record: the POSIX record.
 */
void renamed_note(struct picture *picture, const void *record);
/* Called after all logs were added: adds the numbers of temporary files to the files that they
 * became. */
void renamed_join(struct picture *picture);

/* The rows of the table of files. Similar files of one folder and extension share a row, by the
 * rule of the report (util/python/darshan_report/measure/files/similar_files.py). */

struct alike_row {
  char *name;        /* text of the row; NULL: unknown, or out of memory */
  int64_t files;     /* number of files in the row */
  int is_of_program; /* 1: program files of an interpreter, or files that it made for itself */
  struct picture_file sum; /* numbers of all files of the row; its name is not used */
};

struct alike_rows {
  struct alike_row *row; /* sorted: other files before program files, then by time */
  size_t count;
};

/* Returns the rows, which alike_free frees; no rows if out of memory. */
struct alike_rows alike_rows(const struct picture *picture);
/* Ensures that the row with the most bytes touched through mappings is among the first `shown`
 * rows, by exchanging it with the last of them: access to mapped memory is in no call, so it adds
 * no time to the row. Exchanges neither the first row, nor a row whose file moved more bytes, nor a
 * row of program files. */
void alike_show_mapped(struct alike_rows *rows, size_t shown);
void alike_free(struct alike_rows *rows);

#endif
