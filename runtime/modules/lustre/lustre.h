/* The LUSTRE module: the striping of files, read when they are closed. */
#ifndef DARSHAN_LUSTRE_H
#define DARSHAN_LUSTRE_H

#include <stdint.h>

#include "lustre-state.h"

struct log_content;

enum { LUSTRE_FILE_SYSTEM = 0x0BD00BD0 }; /* f_type of statfs */
enum { LUSTRE_ALIGNMENT = 1 << 20 };      /* bytes, of FILE_ALIGNMENT */

/* Reads the layout of a file on Lustre before its descriptor is closed; id is that of its record.
 */
void lustre_closing(uint64_t id, int fd);
/* Reads the layouts of files that are still open when recording ends. */
void lustre_finish(void);
void lustre_forked(void);
/* Adds the records to the log. */
void lustre_add_part(struct log_content *content);

#endif
