/* What processes could not count, as their logs' metadata say ("dropped_in_signal_handlers=12"):
 * the sums of several logs, for the metadata of one. */
#ifndef DARSHAN_MERGE_DROPPED_H
#define DARSHAN_MERGE_DROPPED_H

#include "darshan-read.h"

enum { DROPPED_KINDS = 8, DROPPED_KEY = 40 };

struct dropped { /* zeroed before its first use */
  struct {
    char key[DROPPED_KEY];
    uint64_t number;
  } kinds[DROPPED_KINDS];
  int count;
};

/* 1: a key of the metadata that the sums replace. */
int dropped_is_key(const char *key);
/* Adds what the metadata of a log say.  A ninth kind is left out; the runtime has six. */
void dropped_add(struct dropped *sums, const struct darshan_info *info);
/* Adds sums to others. */
void dropped_add_sums(struct dropped *sums, const struct dropped *more);
/* Adds the sums to metadata of `used` bytes; returns the new length. */
size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used);

#endif
