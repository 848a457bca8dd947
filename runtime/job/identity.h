/* The values that the names of this process's log and journal are made of. */
#ifndef DARSHAN_IDENTITY_H
#define DARSHAN_IDENTITY_H

#include "log-format.h"
#include "text/logname.h"

struct darshan_log_identity runtime_identity(void); /* of the log */
struct darshan_log_identity runtime_journal_identity(void);
/* Adds this process as the owner of the records to the job's metadata, for readers of the
 * journal.  A log does not have this line (format/owner.h). */
void runtime_add_owner(struct darshan_job *job);

#endif
