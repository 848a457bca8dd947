/* What names the files of this process. */
#ifndef DARSHAN_IDENTITY_H
#define DARSHAN_IDENTITY_H

#include "log-format.h"
#include "logname.h"

/* Of its log. */
struct darshan_log_identity runtime_identity(void);
/* Of its journal. */
struct darshan_log_identity runtime_journal_identity(void);
/* Adds to the job's metadata whose its records are, for who finds the journal; a log is
 * without it (format/owner.h). */
void runtime_add_owner(struct darshan_job *job);

#endif
