/* The launcher that started a process as one of several, from the metadata of the process's log. */
#ifndef DARSHAN_MERGE_LAUNCH_H
#define DARSHAN_MERGE_LAUNCH_H

#include "darshan-read.h"

enum { LAUNCH_NAME = 32, LAUNCH_TEXT = 200, LAUNCH_HOST = 64 };

struct launch {
  int64_t id;   /* the same for all ranks of one launch; 0: no launcher */
  int64_t rank; /* -1: not known */
  int64_t size; /* 0: not known */
  int64_t pid;  /* 0: not known */
  char launcher[LAUNCH_NAME];
  char text[LAUNCH_TEXT]; /* the launcher's name for the launch; "": none */
  char host[LAUNCH_HOST];
};

/* Reads the metadata of a log. Returns 1 if they name a launcher, a rank or a size. */
int launch_read(struct launch *launch, const struct darshan_info *info);
/* Returns 1 if the launcher never gives two launches the same name. */
int launch_is_unique(const char *launcher, const char *text);
/* Returns the value of a metadata key, or NULL. */
const char *launch_metadata(const struct darshan_info *info, const char *key);
/* Returns 1 for a key that describes one process and its launcher, so is not true of a merged
 * log. */
int launch_is_key(const char *key);

#endif
