/* Sums of dropped events over several logs, from their metadata ("dropped_in_signal_handlers=12"),
 * for the metadata of the merged log. */
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

/* Returns 1 for a metadata key that the sums replace. */
int dropped_is_key(const char *key);
/* Adds the dropped events of a log. Ignores a ninth kind; the runtime has six. */
void dropped_add(struct dropped *sums, const struct darshan_info *info);
void dropped_add_sums(struct dropped *sums, const struct dropped *more);
/* Appends the sums as lines to metadata that have `used` bytes of `room`. Returns the new length.
 */
size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used);

#endif
