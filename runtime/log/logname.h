/* Names and folders of the files that the runtime writes. */
#ifndef DARSHAN_LOGNAME_H
#define DARSHAN_LOGNAME_H

#include <stddef.h>
#include <stdint.h>

#include "../job/config.h"

enum { DARSHAN_PATH_ROOM = 4096 }; /* what the paths below fit into, with the NUL */

struct darshan_log_identity {
  int64_t jobid;
  int64_t pid;        /* of rank 0 */
  int64_t rank;       /* of this process, for the journal */
  int64_t start_time; /* seconds since the epoch */
};

/* Path under which a log is written before it is complete.  Makes a new one at
 * every call: keep it.  Returns its length, 0 if it does not fit into room. */
size_t darshan_partial_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Path that a complete log is renamed to; never replace an existing file.
 * shutdown_seconds: whole seconds that writing it took.  Returns as above. */
size_t darshan_final_path(char *out, size_t room, const struct darshan_config *config,
                          const char *partial, int64_t shutdown_seconds);

/* Path for a journal of this process; a new one at every call. */
size_t darshan_journal_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Creates the folders above the last component of path that are missing, with
 * mode 0755.  Returns 0 or -errno. */
int darshan_make_folders(const char *path);

#endif
