/* Merges the metadata of the logs of processes: the launcher that started them, the sums of dropped
 * events, and the last failed lookups. */
#ifndef DARSHAN_MERGE_METADATA_H
#define DARSHAN_MERGE_METADATA_H

#include "darshan-read.h"

enum { LAUNCH_NAME = 32, LAUNCH_TEXT = 200, LAUNCH_HOST = 64 };

struct launch { /* of a process that it started as one of several */
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

enum { DROPPED_KINDS = 8, DROPPED_KEY = 40 };

/* Sums of dropped events ("dropped_in_signal_handlers=12"); zeroed before its first use. */
struct dropped {
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

enum { LOOKUPS_MOST = 4, LOOKUPS_NAME = 256 };

/* Failed lookups of a killed or failed process; zeroed before its first use. */
struct lookups {
  int count;
  char names[LOOKUPS_MOST][LOOKUPS_NAME]; /* last lookup first */
};

/* Adds the lookups of a log that are not in the list yet. A journal contains its lookups; another
 * log has them in the metadata. */
void lookups_add(struct lookups *lookups, const darshan_log *log);
/* Appends as many lookups as fit to `used` bytes of metadata. Returns the new length. */
size_t lookups_tell(const struct lookups *lookups, char *out, size_t room, size_t used);
/* Returns 1 for a key of a log's metadata that the merged log has its own value of. */
int lookups_is_key(const char *key);

#endif
