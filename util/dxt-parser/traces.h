/* Prints the DXT modules of a log: for each module a heading, for each record its head lines and
 * segments, and for files on Lustre the storage targets (OSTs) of each segment's byte range. */
#ifndef DARSHAN_DXT_PARSER_TRACES_H
#define DARSHAN_DXT_PARSER_TRACES_H

#include "darshan-read.h"
#include "id-table.h"
#include "output.h"

#include <stdbool.h>

struct trace_options {
  bool show_incomplete; /* do not stop at a partial module */
  const char *path;     /* for messages */
};

/* Prints all traces of a log. Returns the exit status: 0, even if a module is unreadable and was
 * reported on stderr; STATUS_INCOMPLETE after a message if it stopped at a partial module. */
int traces_print(darshan_log *log, const struct trace_options *options, struct output *out);

struct stripe_component {
  int64_t start, end;  /* bytes start to end - 1 of the file; end -1: up to the end of the file */
  int64_t size, count; /* bytes per stripe, number of targets */
  const int64_t *osts; /* numbers of the `count` targets */
};

struct stripe_layout {
  size_t num_components;
  struct stripe_component
      *components; /* components, followed by all their targets, in one allocation */
};

struct stripes {
  struct id_table layouts; /* record id -> struct stripe_layout */
};

/* Makes an empty table of layouts, and frees a table. */
void stripes_open(struct stripes *stripes);
void stripes_close(struct stripes *stripes);

/* Reads the layouts of all records of the LUSTRE module into the table. Returns 0, or -1 with an
 * error; the records before the error are then loaded. */
int stripes_load(struct stripes *stripes, darshan_log *log, struct darshan_error *error);

/* Returns the layout of a file; NULL if the log does not have it. */
const struct stripe_layout *stripes_find(const struct stripes *stripes, uint64_t id);

/* Iterates over the storage targets of a byte range of a file, in the order of the bytes. at, stop:
 * file offsets of the next byte and after the end of the range. local: offset of `at` in the
 * component, in bytes. index: index of its target in the component's osts. printed: number of
 * targets returned so far. */
struct stripe_walk {
  const struct stripe_layout *layout;
  size_t component; /* index of the current component */
  __int128 at, stop, local;
  int64_t index, printed;
  bool inside; /* true: `at` is in a stripe of the component */
};
/* Begins a walk over `length` bytes from `offset` on. */
void stripes_begin(struct stripe_walk *walk, const struct stripe_layout *layout, int64_t offset,
                   int64_t length);
/* Stores the next target in *ost. Returns false after the last one. Stops in a component after as
 * many targets as it has, so that a long range does not return them again and again. */
bool stripes_next(struct stripe_walk *walk, int64_t *ost);

#endif
