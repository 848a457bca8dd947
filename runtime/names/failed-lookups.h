/* The last failed lookups of a process, which may be why a program failed. Names of program files,
 * for which interpreters and loaders search, are not included. If the process has a journal, the
 * names are in a page of it, so they survive any end of the process. */
#ifndef DARSHAN_FAILED_LOOKUPS_H
#define DARSHAN_FAILED_LOOKUPS_H

#include <stddef.h>

#include "log-format.h"

enum { MISSED_NAMES = 4, MISSED_ROOM = sizeof(((struct darshan_lookup *)0)->name) };

/* Stores a name of a failed lookup. Skips names of MISSED_ROOM bytes or more. Async-signal-safe. */
void missed_note(const char *name, size_t length);
/* Forgets all names in a forked child, which has looked up none. */
void missed_forget(void);
/* Copies the last name of a data file (back = 0), the one before (1) ... to out, with a NUL, and
 * returns its length; 0 if there is none. */
size_t missed_name(unsigned back, char out[MISSED_ROOM]);

/* Copies all names of this process to *out, for a journal that is being made. */
void missed_copy(struct darshan_lookups *out);
/* From now on names are stored in this page of the journal, which has a copy of the names and is
 * never unmapped. */
void missed_keep_in(struct darshan_lookups *page);

/* Returns 1 for a name of a data file. The name ends with a NUL. */
int missed_is_of_data(const char *name, size_t length);

#endif
