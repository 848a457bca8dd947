/* Whose a journal is, in a line of its metadata: the process's id, its PID namespace (0: not
 * known), the start of its system, its host, with blanks between.  A log has no such line:
 * its process is no more. */
#ifndef DARSHAN_FORMAT_OWNER_H
#define DARSHAN_FORMAT_OWNER_H

#define OWNER_KEY "owner"
#define OWNER_UNKNOWN "-" /* the system does not tell its start, or its host */
#define OWNER_BOOT_FILE "/proc/sys/kernel/random/boot_id"

enum { OWNER_BOOT = 36 }; /* bytes */

#endif
