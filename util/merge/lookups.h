/* The last failed lookups of a killed or failed process, for the metadata of the merged log. */
#ifndef DARSHAN_MERGE_LOOKUPS_H
#define DARSHAN_MERGE_LOOKUPS_H

#include "darshan-read.h"

enum { LOOKUPS_MOST = 4, LOOKUPS_NAME = 256 };

struct lookups { /* zeroed before its first use */
  int count;
  char names[LOOKUPS_MOST][LOOKUPS_NAME]; /* last lookup first */
};

/* Adds the lookups of a log that are not there yet: of a journal those that it holds, otherwise
 * those of the metadata. */
void lookups_add(struct lookups *lookups, const darshan_log *log);
/* Appends the lookups to `used` bytes of metadata, as far as they have space. Returns the new
 * length. */
size_t lookups_tell(const struct lookups *lookups, char *out, size_t room, size_t used);
/* Returns 1 for a key of a log's metadata that the merged log has its own value of. */
int lookups_is_key(const char *key);

#endif
