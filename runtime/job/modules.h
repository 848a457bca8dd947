/* The engine's table of modules: their records in the store and their callbacks, generated from the
 * rows in their folders (format/modules.def). */
#ifndef DARSHAN_MODULES_H
#define DARSHAN_MODULES_H

#include "../records/store.h"
#include "config/config.h"

struct log_content;

extern const struct store_shape modules_shapes[STORE_MODULES];

/* Stores each module's limits of records and memory, taken from the settings. */
void modules_limits(struct store_limits *limits, const struct darshan_config *config);
/* Lowers the limits of file records in a rank to DARSHAN_RECORDS, because a job may have thousands
 * of ranks. Does not change limits that MAX_RECORDS sets. The caller holds the store's lock. */
void modules_limit_rank(struct record_store *store, const struct darshan_config *config);
/* modules_prepare makes each module prepare its tables, after the store is prepared. Returns 0, or
 * -1 if out of memory. modules_forked is called in the child after fork. */
int modules_prepare(void);
void modules_forked(void);
/* Make each module finish its records: modules_ending is called before recording ends,
 * modules_ended after it. */
void modules_ending(void);
void modules_ended(void);
/* Adds the log regions that modules make themselves: of data that are not in the store, and trimmed
 * copies of the records of LAYERS. */
void modules_add_parts(struct log_content *content);

/* Functions that add to the log's metadata. modules_add_metadata calls `number` for each number of
 * a module that is not 0, and `text` for each library version that is known. */
struct modules_metadata {
  void (*number)(void *context, const char *key, uint64_t value);
  void (*text)(void *context, const char *key, const char *value);
};
void modules_add_metadata(const struct modules_metadata *add, void *context);

/* modules_last returns the time at which recording ended in this process, in seconds since its
 * start. Called after modules_ended. modules_agree_on_last sets the latest such time of all
 * ranks. */
double modules_last(void);
void modules_agree_on_last(double seconds);

/* modules_times stores two times of this process in seconds (APMPI), whose variances over all ranks
 * are in the log, and returns 1; returns 0 if the process has no such times.
 * modules_agree_on_variances sets the variances; is_first: 1 in the first rank that has such times.
 * */
int modules_times(double times[2]);
void modules_agree_on_variances(const double variances[2], int is_first);

/* A modules_frame_left returns 1 if a jump abandons the frame, otherwise 0. modules_are_inside
 * returns 1 if modules have stored frames of this thread, which a longjmp may abandon, otherwise 0.
 * modules_jumped, called before the jump, makes the modules drop the frames for which is_left
 * returns 1. */
typedef int modules_frame_left(const void *jump, const char *frame);
int modules_are_inside(void);
void modules_jumped(modules_frame_left *is_left, const void *jump);

/* Calls the modules' functions for the exit of the process. Called after all other exit
 * handlers. */
void modules_exiting(void);

#endif
