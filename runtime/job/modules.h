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
/* With the store's lock: the process is a rank, of which there may be thousands. */
void modules_limit_rank(struct record_store *store, const struct darshan_config *config);
/* The store is prepared.  0, or -1: no memory. */
int modules_prepare(void);
void modules_forked(void);
/* Recording is about to end; it has ended; what is not in the store for the log. */
void modules_ending(void);
void modules_ended(void);
void modules_add_parts(struct log_content *content);

/* Numbers for the log's metadata. */
typedef void modules_metadata(void *context, const char *key, uint64_t value);
void modules_add_metadata(modules_metadata *add, void *context);

/* Seconds until which this process has something for the log; what all ranks agree on. */
double modules_last(void);
void modules_agree_on_last(double seconds);

/* Two times whose variance over all ranks the log has; 0: there are none.  The variances,
 * and whether this rank is the first of those that have them. */
int modules_times(double times[2]);
void modules_agree_on_variances(const double variances[2], int is_first);

/* A jump may leave frames that modules keep note of: whether there are any, and that it is
 * made.  is_left says which go. */
typedef int modules_frame_left(const void *jump, const char *frame);
int modules_are_inside(void);
void modules_jumped(modules_frame_left *is_left, const void *jump);

/* exit has called everything else. */
void modules_exiting(void);

#endif
