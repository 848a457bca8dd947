/* The modules, as the engine knows them: what they keep in the store, and when they
 * are called.  Made from the rows in their folders (format/modules.def). */
#ifndef DARSHAN_MODULES_H
#define DARSHAN_MODULES_H

#include "../records/store.h"
#include "config.h"

struct log_content;

extern const struct store_shape modules_shapes[STORE_MODULES];

/* How many records each may have. */
void modules_limits(struct store_limits *limits, const struct darshan_config *config);
/* The store is prepared.  0, or -1: no memory. */
int modules_prepare(void);
void modules_forked(void);
/* Recording is about to end; it has ended; what is not in the store for the log. */
void modules_ending(void);
void modules_ended(void);
void modules_add_parts(struct log_content *content);

#endif
