/* The LUSTRE module: how files are striped, asked when they are closed. */
#ifndef DARSHAN_LUSTRE_H
#define DARSHAN_LUSTRE_H

#include <stdint.h>

#include "lustre-state.h"

struct log_content;

enum { LUSTRE_FILE_SYSTEM = 0x0BD00BD0 }; /* f_type of statfs */
enum { LUSTRE_ALIGNMENT = 1 << 20 };      /* bytes, of FILE_ALIGNMENT */

/* A descriptor of a file on Lustre is about to be closed; id: of its record. */
void lustre_closing(uint64_t id, int fd);
/* The process ends: what is still open is asked for now. */
void lustre_finish(void);
void lustre_forked(void);
/* The records, as a part of the log. */
void lustre_add_part(struct log_content *content);

#endif
