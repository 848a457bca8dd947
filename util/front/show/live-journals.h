/* Journals of running processes, and the rates between two readings. */
#ifndef DARSHAN_FRONT_LIVE_JOURNALS_H
#define DARSHAN_FRONT_LIVE_JOURNALS_H

#include "../path-list.h"
#include "../summary/summary.h"

/* Adds this user's journals of a folder and of its run directories, or one file as it is. Returns
 * 0, or -1 with errno set if the path cannot be read. */
int live_journals(struct path_list *list, const char *place);

struct live_rates { /* per second */
  double read, written, calls;
};

/* Returns the rates of a layer since `before`; NULL: since the start. */
struct live_rates live_layer(const struct picture_layer *now, const struct picture *before,
                             double seconds);
/* Like live_layer, for the file at index `place` of now->files. */
struct live_rates live_file(const struct picture *now, size_t place, const struct picture *before,
                            double seconds);

#endif
