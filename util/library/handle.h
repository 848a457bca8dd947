/* What stands behind the handle of a log. */
#ifndef DARSHAN_LIBRARY_HANDLE_H
#define DARSHAN_LIBRARY_HANDLE_H

#include "darshan-logutils.h"

#include "darshan-read.h"

#include <stdbool.h>

/* How far the records of one module are read. */
struct handle_module {
  int id, version;
  bool failed;              /* damaged, or not known: nothing more is read */
  darshan_records *records; /* NULL: before the first one */
};

struct handle {
  char version[9]; /* the format's; first, since PyDarshan takes a handle for a string */
  darshan_log *log;
  char *path;
  int num_modules;
  struct handle_module *modules;
};

/* The one line about what cannot be read; module may be NULL. */
void handle_complain(const struct handle *handle, const char *module,
                     const struct darshan_error *error);

#endif
