/* Declares the functions that merge the metadata of several processes' logs: the launcher, the sums
 * of dropped events, and the last failed lookups. */
#ifndef DARSHAN_MERGE_METADATA_H
#define DARSHAN_MERGE_METADATA_H

#include "darshan-read.h"

enum { LAUNCH_NAME = 32, LAUNCH_TEXT = 200, LAUNCH_HOST = 64 };

struct launch { /* data about a process that a launcher started as one of several */
  int64_t id;   /* same number for all ranks of one launch; 0: no launcher */
  int64_t rank; /* -1: unknown */
  int64_t size; /* number of ranks; 0: unknown */
  int64_t pid;  /* pid of the process; 0: unknown */
  char launcher[LAUNCH_NAME];
  char text[LAUNCH_TEXT]; /* launcher's name for the launch; "": none */
  char host[LAUNCH_HOST];
};

/* Reads the launcher's data from the metadata of a log. Returns 1 if the metadata name a launcher,
 * a rank or a size; otherwise 0. */
int launch_read(struct launch *launch, const struct darshan_info *info);
/* Returns 1 if `text` names the launch and this launcher never gives two launches the same name.
 * text: the launcher's name for the launch; "": none. Returns 0 otherwise, also for an unknown
 * launcher. */
int launch_is_unique(const char *launcher, const char *text);
/* Returns the value of a metadata key; NULL if the log lacks the key. */
const char *launch_metadata(const struct darshan_info *info, const char *key);
/* Returns 1 for a key that describes one process and its launcher, and so does not apply to a
 * merged log; otherwise 0. */
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

/* Returns 1 for a metadata key that the sums replace, otherwise 0. */
int dropped_is_key(const char *key);
/* Adds the dropped events of a log to the sums. Stores at most eight kinds; the runtime has six. */
void dropped_add(struct dropped *sums, const struct darshan_info *info);
void dropped_add_sums(struct dropped *sums, const struct dropped *more);
/* Appends the sums to the metadata, one line per kind. used, room: length and size of `out` in
 * bytes. Returns the new length. */
size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used);

enum { LOOKUPS_MOST = 4, LOOKUPS_NAME = 256 };

/* Failed lookups of a killed or failed process; zeroed before its first use. */
struct lookups {
  int count;
  char names[LOOKUPS_MOST][LOOKUPS_NAME]; /* starts with the last lookup of the first log */
};

/* Adds those lookups of a log that are not in the list yet, up to LOOKUPS_MOST names. Reads them
 * from the metadata, and from the lookups block of a journal; of the latter, adds only lookups of
 * data files, not of program files. */
void lookups_add(struct lookups *lookups, const darshan_log *log);
/* Appends lookups to the metadata, up to 400 bytes. used, room: length and size of `out` in bytes.
 * Returns the new length. */
size_t lookups_tell(const struct lookups *lookups, char *out, size_t room, size_t used);
/* Returns 1 for a metadata key for which the merged log has its own value, otherwise 0. */
int lookups_is_key(const char *key);

#endif
