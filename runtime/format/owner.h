/* The process that owns a journal, as a line of the journal's metadata: pid, PID namespace (0:
 * unknown), boot id of its system and host, separated by blanks. A log has no such line, because
 * its process has ended. */
#ifndef DARSHAN_FORMAT_OWNER_H
#define DARSHAN_FORMAT_OWNER_H

#define OWNER_KEY "owner"
#define OWNER_UNKNOWN "-" /* an unknown boot id or host */
#define OWNER_BOOT_FILE "/proc/sys/kernel/random/boot_id"

enum { OWNER_BOOT = 36 }; /* bytes */

#endif
