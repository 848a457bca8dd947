/* Declares the functions that merge the metadata of several processes' logs: the launcher, the sums
 * of dropped events, and the last failed lookups. */
#ifndef DARSHAN_MERGE_METADATA_H
#define DARSHAN_MERGE_METADATA_H

#include "darshan-read.h"

enum { LAUNCH_NAME = 32, LAUNCH_TEXT = 200, LAUNCH_HOST = 64 };

struct launch { /* data about a process that a launcher started as one of several */
  int64_t id;   /* hash of launcher, text and size: equal for all ranks of a launch; 0: none */
  int64_t rank; /* number that the launcher assigned, from 0; -1: unknown */
  int64_t size; /* number of ranks; 0: unknown */
  int64_t pid;  /* pid of the process; 0: unknown */
  char launcher[LAUNCH_NAME]; /* such as "srun"; "": unknown */
  char text[LAUNCH_TEXT]; /* launcher's name for the launch, such as its job and step; "": none */
  char host[LAUNCH_HOST]; /* host of the process; "": unknown */
};

/* Reads the launcher's data from the metadata of a log. Returns 1 if the metadata name a launcher,
 * a rank or a size; otherwise 0. */
int launch_read(struct launch *launch, const struct darshan_info *info);
/* Returns 1 if logs with this launcher and text are certainly of the same launch: the launcher
 * never gives two launches the same name, and `text` is not "". Returns 0 otherwise, also for an
 * unknown launcher. */
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
/* Adds the sums `more` to the sums. */
void dropped_add_sums(struct dropped *sums, const struct dropped *more);
/* Appends the sums to the metadata in `out`, one line key=number per kind; skips a line that does
 * not fit. used: length of the metadata; room: size of `out`, both in bytes. Returns the new
 * length. */
size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used);

enum { LOOKUPS_MOST = 4, LOOKUPS_NAME = 256 };

/* Paths that a killed or failed process tried to open and that did not exist; zeroed before its
 * first use. */
struct lookups {
  int count;                              /* number of paths */
  char names[LOOKUPS_MOST][LOOKUPS_NAME]; /* starts with the last lookup of the first log */
};

/* Adds those lookups of a log that are not in the list yet, up to LOOKUPS_MOST names. Reads them
 * from the metadata, and from the lookups block of a journal; of the latter, adds only lookups of
 * data files, not of program files. */
void lookups_add(struct lookups *lookups, const darshan_log *log);
/* Appends lookups to the metadata in `out`, up to 400 bytes: not_found=PATH, not_found_2=PATH, ...
 * used: length of the metadata; room: size of `out`, both in bytes. Returns the new length. */
size_t lookups_tell(const struct lookups *lookups, char *out, size_t room, size_t used);
/* Returns 1 for a metadata key for which the merged log has its own value, otherwise 0. */
int lookups_is_key(const char *key);

#endif
