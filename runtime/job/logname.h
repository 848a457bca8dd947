/* Names and folders of the files that the runtime writes. */
#ifndef DARSHAN_LOGNAME_H
#define DARSHAN_LOGNAME_H

#include <stddef.h>
#include <stdint.h>

#include "../names/path-buffers.h"
#include "config.h"

/* What DARSHAN_LOGFILE means for a log. */
enum darshan_log_naming {
  DARSHAN_NAME_GIVEN,    /* it is the name, or there is no log */
  DARSHAN_NAME_NUMBERED, /* it is the name; with a number where that is taken */
  DARSHAN_NAME_MADE      /* it is the name of another log: this one's name is made */
};

struct darshan_log_identity {
  int64_t jobid;
  int64_t pid;        /* of rank 0 */
  int64_t rank;       /* of this process, for the journal */
  int64_t start_time; /* seconds since the epoch */
  enum darshan_log_naming naming;
  uint64_t unique;  /* of the job, for its journals; 0: one is made */
  const char *part; /* path of what is no log yet, but part of that of a run; NULL: a log */
};

/* Path under which a log is written before it is complete.  Makes a new one at
 * every call: keep it.  Returns its length, 0 if it does not fit into room. */
size_t darshan_partial_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Path that a complete log is renamed to; never replace an existing file.
 * shutdown_seconds: whole seconds that writing it took.  Returns as above. */
size_t darshan_final_path(char *out, size_t room, const struct darshan_config *config,
                          const struct darshan_log_identity *identity, const char *partial,
                          int64_t shutdown_seconds);

/* Path for a journal of this process; a new one at every call, but the same for the
 * same rank of a job that has a unique number. */
size_t darshan_journal_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Creates the folders above the last component of path that are missing, with
 * mode 0755; the last `shared` of them are open to whom the one above is open:
 * folders of a day serve all users.  Returns 0 or -errno. */
int darshan_make_folders(const char *path, int shared);
/* How many levels of folders stand between LOGPATH and a log. */
int darshan_dated_levels(const struct darshan_config *config);

#endif
