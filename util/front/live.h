/* Journals of running processes, and what changed between two looks at them. */
#ifndef DARSHAN_FRONT_LIVE_H
#define DARSHAN_FRONT_LIVE_H

#include "path-list.h"
#include "picture.h"

/* Adds the journals of a folder that this user may read, and of the folders
 * that `darshan run` makes in it; a file is taken as it is.  0, or -1 with errno
 * set: it cannot be looked at. */
int live_journals(struct path_list *list, const char *place);

struct live_rates { /* per second */
  double read, written, calls;
};

/* What a layer did since the look before; NULL before: since the start. */
struct live_rates live_layer(const struct picture_layer *now, const struct picture *before,
                             double seconds);
/* The same of a file, by its place in now->files. */
struct live_rates live_file(const struct picture *now, size_t place, const struct picture *before,
                            double seconds);

#endif
