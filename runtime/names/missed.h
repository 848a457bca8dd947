/* The last failed lookups of a process, which may be why a program failed. Names of program files,
 * for which interpreters and loaders search, are not included. */
#ifndef DARSHAN_MISSED_H
#define DARSHAN_MISSED_H

#include <stddef.h>

enum { MISSED_NAMES = 4, MISSED_ROOM = 256 }; /* longer names are skipped */

/* Notes a name. Async-signal-safe. */
void missed_note(const char *name, size_t length);
/* Forgets all names in a forked child, which has looked up none. */
void missed_forget(void);
/* Writes the last name (back = 0), the one before (1) ... and returns its length, or 0 if there is
 * none. */
size_t missed_name(unsigned back, char out[MISSED_ROOM]);

#endif
