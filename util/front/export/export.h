/* Declares `darshan watch --export`, which reads the journals of a node at intervals, and exports
 * sums per job, user and file system. One reading of all journals is called a look. */
#ifndef DARSHAN_EXPORT_EXPORT_H
#define DARSHAN_EXPORT_EXPORT_H

#include <signal.h>
#include <stddef.h>

#include "deliver.h"
#include "followed.h"

enum { EXPORT_PLACES = 8, EXPORT_LIMIT = 1000 }; /* most receivers; default limit of sums */

struct export_options {
  double interval; /* seconds between two looks */
  long looks;      /* number of looks; 0: until interrupted */
  size_t limit;    /* largest number of exported sums */
  char **folders;  /* where journals and run directories are */
  int num_folders;
  const volatile sig_atomic_t *interrupted;  /* 1 after SIGINT or SIGTERM: end after a last look */
  struct delivery deliveries[EXPORT_PLACES]; /* the receivers */
  int num_deliveries;
};

/* Reads and exports until a signal, the number of looks or a broken receiver (deliver.h) ends it.
 * Returns the exit status: 1 if it cannot start, if the first look can read no folder or if a
 * receiver is broken, otherwise 0. */
int export_run(struct export_options *options);

/* The sums, and the facts about this program that the formats contain. */
struct export_view {
  const struct followed *followed;
  char host[64];
  int64_t now_ns;      /* current time, since the epoch */
  int64_t began_ns;    /* start of this program */
  double processor;    /* processor time that this program has used, in seconds */
  unsigned long since; /* for JSON: only sums that changed after this look; 0: all sums */
};

/* Return the sums as a text of *length bytes, which the caller frees; NULL if out of memory.
 * format_ldms writes JSON, and may return an empty text. */
char *format_prometheus(const struct export_view *view, size_t *length);
char *format_otlp(const struct export_view *view, size_t *length);
char *format_ldms(const struct export_view *view, size_t *length);

#endif
