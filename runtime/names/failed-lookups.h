/* The last failed lookups of a process, which may be the reason why a program failed. Names of
 * program files, for which interpreters and loaders search, are not included. If the process has a
 * journal, the names are in a page of it, so they are available even if the process is killed. */
#ifndef DARSHAN_FAILED_LOOKUPS_H
#define DARSHAN_FAILED_LOOKUPS_H

#include <stddef.h>

#include "log-format.h"

enum { MISSED_NAMES = 4, MISSED_ROOM = sizeof(((struct darshan_lookup *)0)->name) };

/* Stores a name of a failed lookup. Skips relative names, names of MISSED_ROOM bytes or more, names
 * that end in .pyx, and the name that was stored last. Async-signal-safe. */
void missed_note(const char *name, size_t length);
/* Clears all names. Called in a forked child, which has not looked up any name yet. */
void missed_forget(void);
/* Copies a name of a data file, with a NUL, to out. back: 0 for the last name, 1 for the one
 * before, and so on. Returns the name's length, or 0 if there is none. */
size_t missed_name(unsigned back, char out[MISSED_ROOM]);

/* Copies all names of this process to *out, for a journal that is being made. */
void missed_copy(struct darshan_lookups *out);
/* Stores names in this page of the journal from now on. The page has a copy of the earlier names
 * and is never unmapped. */
void missed_keep_in(struct darshan_lookups *page);

/* Returns 1 if the name is that of a data file, not of a program file. Otherwise returns 0. The
 * name ends with a NUL. */
int missed_is_of_data(const char *name, size_t length);

#endif
