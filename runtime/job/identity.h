/* What names the files of this process. */
#ifndef DARSHAN_IDENTITY_H
#define DARSHAN_IDENTITY_H

#include "logname.h"

/* Of its log. */
struct darshan_log_identity runtime_identity(void);
/* Of its journal. */
struct darshan_log_identity runtime_journal_identity(void);

#endif
