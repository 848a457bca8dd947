/* The state of an open log, which callers have as a void pointer (darshan-logutils.h). */
#ifndef DARSHAN_LIBRARY_HANDLE_H
#define DARSHAN_LIBRARY_HANDLE_H

#include "darshan-logutils.h"

#include "darshan-read.h"

#include <stdbool.h>

/* Progress in the records of one module. */
struct handle_module {
  int id, version;          /* id of the module; version of its records in the file */
  bool failed;              /* the module is corrupt or unknown, so it is not read any more */
  darshan_records *records; /* NULL before the first read */
};

struct handle {
  char version[9]; /* version of the format; first, because PyDarshan uses a handle as a string */
  darshan_log *log;
  char *path; /* for messages */
  int num_modules;
  struct handle_module *modules; /* the modules of which records were requested */
};

/* Prints one line about an error on stderr, with the path of the log. module: name of the module;
 * NULL if the error is not about a module. */
void handle_complain(const struct handle *handle, const char *module,
                     const struct darshan_error *error);

#endif
