/* What a log's metadata say of the launcher that started its process as one of several. */
#ifndef DARSHAN_MERGE_LAUNCH_H
#define DARSHAN_MERGE_LAUNCH_H

#include "darshan-read.h"

enum { LAUNCH_NAME = 32, LAUNCH_TEXT = 200, LAUNCH_HOST = 64 };

struct launch {
  int64_t id;   /* the same in all that were started together; 0: no launcher said anything */
  int64_t rank; /* -1: it said none */
  int64_t size; /* 0: not known */
  int64_t pid;  /* 0: not known */
  char launcher[LAUNCH_NAME];
  char text[LAUNCH_TEXT]; /* as the launcher names what it started; "": it does not */
  char host[LAUNCH_HOST];
};

/* From the metadata of a log.  1: it says something. */
int launch_read(struct launch *launch, const struct darshan_info *info);
/* Is this a name that no two launches have? */
int launch_is_unique(const char *launcher, const char *text);
/* The value of a key of the metadata, or NULL. */
const char *launch_metadata(const struct darshan_info *info, const char *key);
/* A key that tells of one process and its launcher, and is not true of many. */
int launch_is_key(const char *key);

#endif
