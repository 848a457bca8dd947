/* `darshan watch --export`: reads the journals of a node at intervals, and exports sums per job,
 * user and file system. */
#ifndef DARSHAN_EXPORT_EXPORT_H
#define DARSHAN_EXPORT_EXPORT_H

#include <signal.h>

#include "deliver.h"

enum { EXPORT_PLACES = 8, EXPORT_LIMIT = 1000 };

struct export_options {
  double interval; /* seconds between two looks */
  long looks;      /* 0: until interrupted */
  size_t limit;    /* of exported sums */
  char **folders;
  int num_folders;
  const volatile sig_atomic_t *interrupted;
  struct delivery deliveries[EXPORT_PLACES];
  int num_deliveries;
};

/* Reads and exports until a signal or the number of looks ends it. Returns the exit status. */
int export_run(struct export_options *options);

#endif
